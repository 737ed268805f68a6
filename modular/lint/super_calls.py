"""Calls of `super()` that are not unravelled, though the method that is meant is the parent class's.

The flattened class does not inherit from the parent class any more, so such a call goes to the bases that remain.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from modular.flatten.flattened import Flattened
from modular.lint.bases import lack
from modular.lint.subject import Subject
from modular.lint.trees import place_of_node, tree_of
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.parts import Parts
from modular.source.places import place_of
from modular.source.trees import walk


if TYPE_CHECKING:
    import libcst as cst


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report the calls whose method the parent class has and no base that remains does."""
    for flat in subject.flattened:
        for own in flat.overriding.values():
            yield from _of_method(subject, flat, own)


def _of_method(subject: Subject, flat: Flattened, own: Parts) -> Iterator[Diagnostic]:
    if "super" not in own.code.mask:
        return
    statements = own.body.statements
    unravelled = super_call_index(statements, own.name)
    for index, statement in enumerate(statements):
        if index != unravelled and "super" in statement.code.mask:
            yield from _of_statement(subject, flat, own, statement, unravelled)


def _of_statement(
    subject: Subject, flat: Flattened, own: Parts, statement: Statement, unravelled: int | None
) -> Iterator[Diagnostic]:
    tree = tree_of(statement.own)
    for node, method in _super_calls(tree) if tree is not None else ():
        parent = next((each for each in flat.inherited.values() if each.name == method), None)
        if parent is None or not _is_lost(subject, flat, method):
            continue
        message = (
            f"`super().{method}(...)` does not stand for the `{method}` of `{flat.parent.name}` here, and no base of the "
            f"generated `{flat.own.name}` has one"
        )
        hint = _hint(own, method, unravelled is not None)
        place = place_of_node(statement.own, tree or node, node)
        is_inherited = all(each.name != method for each in flat.overriding.values())
        ways_out = (fixes.write(place, f"self.{method}"),) if is_inherited else ()
        yield Diagnostic(Problem.SUPER_CALL_STAYS, place, message, hint, place_of(parent.header), fixes=ways_out)


def _super_calls(tree: "cst.CSTNode") -> "Iterator[tuple[cst.CSTNode, str]]":
    """Each `super().method` in a tree, and the name of the method."""
    import libcst as cst

    for node in walk(tree):
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Call):
            if isinstance(node.value.func, cst.Name) and node.value.func.value == "super":
                yield node, node.attr.value


def _is_lost(subject: Subject, flat: Flattened, method: str) -> bool:
    """Whether no base that remains has the method."""
    where = subject.output_of(flat.own.name)
    if where is None:
        return False
    written = next(each for each in where.block.statements if each.name == flat.own.name)
    return lack(subject, where, written.parts.bases, method)


def _hint(own: Parts, method: str, is_second: bool) -> str:
    if method != own.name:
        return f"write out what the parent's `{method}` does, or call `self.{method}(...)` if this class has it"
    if is_second:
        return "only the first such call stands for the parent's body: write out what the second should do"
    return f"write `super().{method}(...)` or `return super().{method}(...)` as a statement of its own, at the method's own depth"
