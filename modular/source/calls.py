"""What calls in a statement stand for."""

from collections.abc import Iterator

import libcst as cst

from modular.source.blocks import Statement
from modular.source.trees import read_whole, walk


def method_of_super(called: cst.CSTNode) -> str | None:
    """Return the method that `super().method` names, whatever the arguments of `super`; None for anything else."""
    match called:
        case cst.Attribute(value=cst.Call(func=cst.Name(value="super")), attr=cst.Name(value=method)):
            return method
    return None


def names_method_of_super(statement: Statement, method: str) -> bool:
    """Whether a statement names a method of `super()` anywhere in it."""
    mask = statement.code.mask
    if "super" not in mask or method not in mask:
        return False
    return any(method_of_super(node) == method for node in walk(read_whole(statement).node))


def calls_of_self(statement: Statement, method: str) -> bool:
    """Whether a statement calls a method of `self` anywhere in it."""
    return method in statement.code.mask and any(called == method for called in _called_of_self(statement))


def _called_of_self(statement: Statement) -> Iterator[str]:
    for node in walk(read_whole(statement).node):
        match node:
            case cst.Call(func=cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=method))):
                yield method
