"""Ways out of a diagnostic, as edits of the file that it is about."""

import re
from collections.abc import Iterable

from modular.source.blocks import Statement
from modular.source.code import Code
from modular.source.diagnostics import Edit, Fix, Place
from modular.source.import_statements import Import


def write(place: Place, text: str, title: str = "") -> Fix:
    """Write a text in the place of what is marked."""
    edit = Edit(place.path, place.line, place.column, place.line, place.column + place.width, text)
    return Fix(title or f"Write `{text}`", (edit,))


def rename(code: Code, old: str, new: str) -> Fix:
    """Write one name for another wherever a file's code has it; names of attributes are left as they are."""
    found = re.finditer(rf"(?<![\w.]){re.escape(old)}(?!\w)", code.mask)
    return Fix(f"Write `{new}`", tuple(edit(code, *match.span(), new) for match in found))


def remove(statement: Statement, title: str = "Remove the line") -> Fix:
    """Remove the lines of a statement; the comments above it stay."""
    return Fix(title, (edit(statement.code, statement.start, len(statement.code.text), ""),))


def take_out(statement: Statement, title: str, is_alone: bool = False) -> Fix:
    """Remove a statement with what stands above it; where it is alone, `pass` takes its place."""
    own = statement.own.text
    text = f"{own[: len(own) - len(own.lstrip())]}pass\n" if is_alone else ""
    return Fix(title, (edit(statement.code, 0, len(statement.code.text), text),))


def insert_above(statement: Statement, line: str) -> Fix:
    """Write a line above a statement, indented as that is."""
    own = statement.own.text
    text = f"{own[: len(own) - len(own.lstrip())]}{line}\n"
    return Fix(f"Write `{line}`", (edit(statement.code, statement.start, statement.start, text),))


def drop_import(statement: Import, bound: str) -> Fix:
    """Remove a name from an import, or the import with its only name."""
    rest = tuple(each for each in statement.names if each.bound != bound)
    code, start = statement.statement.code, statement.statement.start
    text = statement.render(rest).text[start:] if rest else ""
    return Fix(f"Remove the import of `{bound}`", (edit(code, start, len(code.text), text),))


def import_from(statement: Import, name: str, source: str) -> Fix:
    """Import a name of an import statement from another module, which is named as it is to be written."""
    code, start = statement.statement.code, statement.statement.start
    taken = [each for each in statement.names if each.name == name]
    rest = tuple(each for each in statement.names if each.name != name)
    new = f"from {source} import {', '.join(map(str, taken))}\n"
    if rest:
        new += statement.render(rest).text[start:]
    return Fix(f"Write `from {source} import {name}`", (edit(code, start, len(code.text), new),))


def joined(title: str, fixes: Iterable[Fix]) -> Fix:
    """Do what several fixes do, as one."""
    return Fix(title, tuple(edit for fix in fixes for edit in fix.edits))


def edit(code: Code, start: int, end: int, text: str) -> Edit:
    """Return the edit that writes a text in the place of a span of some code."""
    return Edit(code.path, *_position(code, start), *_position(code, end), text)


def _position(code: Code, offset: int) -> tuple[int, int]:
    """The line and column, from 1, of an offset."""
    return code.line + code.text.count("\n", 0, offset), offset - code.text.rfind("\n", 0, offset)
