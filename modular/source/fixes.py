"""Autofixes of diagnostics: edits of the file that a diagnostic is about."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Edit, Fix, Place
from modular.source.import_statements import Import, module_span
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, find_word


_MAX_BLANKS = 100
"""Blanks between the dot and the name of an attribute that are looked at."""


def write(place: Place, text: str, title: str = "") -> Fix:
    """Write a text in the place of what is marked."""
    start = place.column - 1
    edit = Edit(
        place.path,
        place.line,
        place.column,
        place.line,
        place.column + place.width,
        text,
        old=place.text[start : start + place.width],
    )
    return Fix(title or f"Write `{text}`", (edit,))


def rename(code: SourceSlice, old: str, new: str) -> Fix:
    """Write one name for another wherever a file's code has it; names of attributes are left as they are."""
    edits = []
    for start in find_word(code.mask, old):
        before = code.mask[max(0, start - _MAX_BLANKS) : start]
        if not before.rstrip(" \t").endswith("."):
            edits.append(edit(code, start, start + len(old), new))
    return Fix(f"Write `{new}`", tuple(edits))


def remove(statement: Statement, title: str = "Remove the line") -> Fix:
    """Remove the lines of a statement and the blank ones above it; with a comment there, all of that stays."""
    start = statement.start if statement.lead.text.strip() else 0
    return Fix(title, (edit(statement.code, start, len(statement.code.text), ""),))


def take_out(statement: Statement, title: str, is_alone: bool = False) -> Fix:
    """Remove a statement with the lines above it; where it is alone, `pass` takes its place."""
    text = f"{statement.indent}pass\n" if is_alone else ""
    return Fix(title, (edit(statement.code, 0, len(statement.code.text), text),))


def insert_above(statement: Statement, line: str) -> Fix:
    """Write a line above a statement, indented as that is."""
    text = f"{statement.indent}{line}\n"
    return Fix(
        f"Write `{line}`",
        (edit(statement.code, statement.start, statement.start, text),),
    )


def drop_import(statement: Import, bound: str) -> Fix:
    """Remove a name from an import, or the import with its only name."""
    return next(drop_imports((statement,), {bound}))


def drop_imports(
    statements: Iterable[Import], bound_names: Collection[str]
) -> Iterator[Fix]:
    """Yield a fix for each import statement that removes some names from it, or the statement if none is left."""
    for statement in statements:
        dropped = [name for name in statement.names if name.bound in bound_names]
        if not dropped:
            continue
        rest = tuple(name for name in statement.names if name not in dropped)
        code, start = statement.statement.code, statement.statement.start
        text = statement._replace(names=rest).render().text[start:] if rest else ""
        listed = " and ".join(f"`{name.bound}`" for name in dropped)
        change = edit(code, start, len(code.text), text)
        yield Fix(f"Remove the import of {listed}", (change,))


def drop_unused_imports(module: Module, fix: Fix) -> Fix:
    """Add to a fix the removal of those imports that only the code which it removes uses.

    Args:
        module: The modular file.
        fix: Edits of that file.
    """
    removed = "\n".join(edit.old for edit in fix.edits)
    added = "\n".join(edit.text for edit in fix.edits)
    edited_lines = {edit.line for edit in fix.edits}
    unused: set[str] = set()
    imports: list[Import] = []
    for import_ in module.imports:
        code = import_.statement.code
        last_line = code.line + code.text.count("\n")
        if not edited_lines.isdisjoint(range(code.line, last_line)):
            continue
        imports.append(import_)
        for alias in import_.names:
            name = alias.bound.partition(".")[0]
            count = _count_word(removed, name)
            if count and not _count_word(added, name):
                statements = module.block.statements
                others = (
                    one.code.text for one in statements if one.kind is not Kind.IMPORT
                )
                if sum(_count_word(text, name) for text in others) == count:
                    unused.add(alias.bound)
    if not unused:
        return fix
    edits = list(fix.edits)
    for drop in drop_imports(imports, unused):
        for change in drop.edits:
            edits.append(_with_blank_lines_below(module, change))
    return fix._replace(edits=tuple(edits))


def _with_blank_lines_below(module: Module, change: Edit) -> Edit:
    """Extend a removal of the first lines of a file to the blank lines below, with which the file would begin."""
    if change.text or change.line > 1:
        return change
    end_line, removed = change.end_line, change.old
    while end_line < len(module.lines) and not module.lines[end_line - 1]:
        end_line += 1
        removed += "\n"
    return change._replace(end_line=end_line, old=removed)


def _count_word(text: str, word: str) -> int:
    return sum(1 for _ in find_word(text, word))


def import_from(statement: Import, sources: Mapping[str, str]) -> Fix:
    """Import names of an import statement from other modules, which are named as they are to be written."""
    code, start = statement.statement.code, statement.statement.start
    taken = [
        (sources[name.name], name) for name in statement.names if name.name in sources
    ]
    rest = tuple(name for name in statement.names if name.name not in sources)
    new = "".join(f"from {source} import {name}\n" for source, name in taken)
    if rest:
        new += statement._replace(names=rest).render().text[start:]
    title = " and ".join(
        f"`from {source} import {name.name}`" for source, name in taken
    )
    return Fix(f"Write {title}", (edit(code, start, len(code.text), new),))


def write_module(statement: Import, source: str) -> Fix:
    """Write another module, with its leading dots, in a `from` import."""
    own = statement.statement.own
    start, end = module_span(own.mask, own.mask.index("from"))
    return Fix(f"Write `{source}`", (edit(own, start, end, source),))


def move_after(statement: Statement, other: Statement, title: str) -> Fix:
    """Write a statement after another one of the same block."""
    end = len(other.code.text)
    return Fix(
        title,
        (edit(other.code, end, end, statement.own.text), *remove(statement).edits),
    )


def move_above(statements: Iterable[Statement], other: Statement, title: str) -> Fix:
    """Write statements, each with the lines above it, above another one of the same block."""
    moved = tuple(statements)
    text = "".join(statement.code.text for statement in moved)
    taken = (
        edit(statement.code, 0, len(statement.code.text), "") for statement in moved
    )
    return Fix(title, (edit(other.code, other.start, other.start, text), *taken))


def remove_comment(place: Place) -> Fix:
    """Remove a comment, with its line if nothing else is on it."""
    before = place.text[: place.column - 1].rstrip()
    end = place.column - 1 + place.width
    gone = Edit(
        place.path,
        place.line,
        len(before) + 1,
        place.line,
        end + 1,
        "",
        old=place.text[len(before) : end],
    )
    if not before:
        gone = Edit(
            place.path, place.line, 1, place.line + 1, 1, "", old=f"{place.text}\n"
        )
    return Fix("Remove the comment", (gone,))


def joined(title: str, fixes: Iterable[Fix]) -> Fix:
    """Do what several fixes do, as one."""
    return Fix(title, tuple(edit for fix in fixes for edit in fix.edits))


def edit(code: SourceSlice, start: int, end: int, text: str) -> Edit:
    """Return the edit that writes a text in the place of a span of some code."""
    old = code.text[start:end]
    return Edit(code.path, *_position(code, start), *_position(code, end), text, old)


def _position(code: SourceSlice, offset: int) -> tuple[int, int]:
    """The line and column, from 1, of an offset."""
    return code.line + code.text.count("\n", 0, offset), offset - code.text.rfind(
        "\n", 0, offset
    )
