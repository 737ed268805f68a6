"""Statements of a modular file that are in no output file: only what the rules name is read from it."""

from collections.abc import Iterator

import libcst as cst

from modular.flatten.layout import Layout
from modular.rules.files.exports import ALL, is_written_out
from modular.source import fixes
from modular.source.assignments import owner, written_text
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic, Fix, Problem
from modular.source.places import place_of
from modular.source.scan import STRING


def find(layout: Layout) -> Iterator[Diagnostic]:
    """Report statements at module level that are passed over, and an `__all__` of which not all can be read."""
    exports = layout.modular.special(ALL)
    for statement in layout.modular.module.block.statements:
        if statement.kind is Kind.OTHER and not statement.does_nothing and not owner(statement):
            message = (
                "this is in no generated file: only imports, functions, classes and assignments to one name are read"
            )
            hint, ways_out = "write it into a function, or assign what it makes to a name", tuple[Fix, ...]()
            if (added := _added(statement, ALL)) is not None:
                hint = f"list the names in the one assignment to `{ALL}`"
                ways_out = tuple(_listed(exports, added, statement))
            yield Diagnostic(Problem.LEFT_OUT, place_of(statement.own), message, hint, fixes=ways_out)
    if exports is not None and not is_written_out(exports):
        message = f"only the names that stand in `{ALL}` as strings are exported by the generated files"
        yield Diagnostic(Problem.LEFT_OUT, place_of(exports.own), message, "write them all out")


def _added(statement: Statement, name: str) -> cst.BaseExpression | None:
    """What is added to a name by `name += ...`, or handed over by a call of one of its methods; None if nothing is."""
    if name not in statement.code.mask or statement.is_compound:
        return None
    match statement.tree.node:
        case cst.SimpleStatementLine(
            body=[
                cst.AugAssign(target=cst.Name(value=changed), value=added)
                | cst.Expr(
                    value=cst.Call(func=cst.Attribute(value=cst.Name(value=changed)), args=[cst.Arg(value=added)])
                )
            ]
        ):
            return added if changed == name else None
    return None


def _listed(exports: Statement | None, added: cst.BaseExpression, statement: Statement) -> Iterator[Fix]:
    """List names that a statement adds in the assignment itself, if all of them are strings and it is a plain list."""
    elements = added.elements if isinstance(added, cst.List | cst.Tuple) else [cst.Element(added)]
    names = [written_text(each.value) for each in elements]
    if exports is None or None in names or not names:
        return
    code, end = exports.own, len(exports.own.mask.rstrip()) - 1
    before = code.mask[:end].rstrip()
    if code.mask[end : end + 1] == "]" and before[-1:] in ("[", ",", STRING):
        written = ", ".join(f'"{each}"' for each in names)
        text = {"[": written, ",": f" {written},"}.get(before[-1], f", {written}")
        edit = fixes.edit(code, len(before), len(before), text)
        yield Fix(f"List {written} in `{ALL}`", (edit, *fixes.remove(statement).edits))
