"""Statements of a modular file that are in no output file: only what the rules name is read from it."""

from collections.abc import Iterator

import libcst as cst

from modular.conversion.layout import Layout
from modular.rules.files.exports import ALL, is_written_out
from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.places import place_of


def find(layout: Layout) -> Iterator[Diagnostic]:
    """Report statements at module level that are passed over, and an `__all__` of which not all can be read."""
    for statement in layout.modular.module.block.statements:
        if statement.kind is Kind.OTHER and not statement.does_nothing and not owner(statement):
            message = (
                "this is in no generated file: only imports, functions, classes and assignments to one name are read"
            )
            hint = "write it into a function, or assign what it makes to a name"
            if _adds_to(statement, ALL):
                hint = f"list the names in the one assignment to `{ALL}`"
            yield Diagnostic(Problem.LEFT_OUT, place_of(statement.own), message, hint)
    exports = layout.modular.special(ALL)
    if exports is not None and not is_written_out(exports):
        message = f"only the names that stand in `{ALL}` as strings are exported by the generated files"
        yield Diagnostic(Problem.LEFT_OUT, place_of(exports.own), message, "write them all out")


def _adds_to(statement: Statement, name: str) -> bool:
    """Whether a statement is `name += ...`, or a call of a method of a name."""
    if name not in statement.own.mask or statement.is_compound:
        return False
    match statement.tree.node:
        case cst.SimpleStatementLine(
            body=[
                cst.AugAssign(target=cst.Name(value=changed))
                | cst.Expr(value=cst.Call(func=cst.Attribute(value=cst.Name(value=changed))))
            ]
        ):
            return changed == name
    return False
