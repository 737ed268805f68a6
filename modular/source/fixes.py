"""Makes autofixes: edits of the file that a diagnostic is about.

`modular.source.edits` applies them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Edit, Fix, Place
from modular.source.import_statements import Import, module_span
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, find_word


_MAX_BLANKS = 100
"""Blanks between the dot and the name of an attribute that are looked at."""


def replace(place: Place, text: str, title: str = "") -> Fix:
    """Replace the marked text of a place."""
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
    """Replace a name everywhere in a file's code, but not as an attribute."""
    edits = []
    for start in find_word(code.mask, old):
        before = code.mask[max(0, start - _MAX_BLANKS) : start]
        if not before.rstrip(" \t").endswith("."):
            edits.append(make_edit(code, start, start + len(old), new))
    return Fix(f"Write `{new}`", tuple(edits))


def remove(statement: Statement, title: str = "Remove the line") -> Fix:
    """Remove a statement and the blank lines above it.

    If there is a comment above it, comment and blank lines stay.
    """
    start = statement.start if statement.lead.text.strip() else 0
    return Fix(title, (make_edit(statement.code, start, len(statement.code.text), ""),))


def remove_with_comments(
    statement: Statement, title: str, is_alone: bool = False
) -> Fix:
    """Remove a statement with the lines above it.

    Args:
        statement: The statement.
        title: The title of the fix.
        is_alone: Whether its block has no other statement; `pass` replaces it then.
    """
    text = f"{statement.indent}pass\n" if is_alone else ""
    return Fix(title, (make_edit(statement.code, 0, len(statement.code.text), text),))


def insert_above(statement: Statement, line: str) -> Fix:
    """Insert a line above a statement, with the indent of that."""
    text = f"{statement.indent}{line}\n"
    return Fix(
        f"Write `{line}`",
        (make_edit(statement.code, statement.start, statement.start, text),),
    )


def remove_import(statement: Import, bound: str) -> Fix:
    """Remove a name from an import, or the import with its only name."""
    return next(remove_imports((statement,), {bound}))


def remove_imports(
    statements: Iterable[Import], bound_names: Collection[str]
) -> Iterator[Fix]:
    """Yield a fix for each import statement that has one of some names.

    It removes the names, or the statement if no name is left.
    """
    for statement in statements:
        dropped = [name for name in statement.names if name.bound in bound_names]
        if not dropped:
            continue
        rest = tuple(name for name in statement.names if name not in dropped)
        code, start = statement.statement.code, statement.statement.start
        text = statement._replace(names=rest).render().text[start:] if rest else ""
        listed = " and ".join(f"`{name.bound}`" for name in dropped)
        change = make_edit(code, start, len(code.text), text)
        yield Fix(f"Remove the import of {listed}", (change,))


def remove_unused_imports(module: Module, fix: Fix) -> Fix:
    """Add the removal of imports that only the code removed by a fix uses.

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
    for drop in remove_imports(imports, unused):
        for change in drop.edits:
            edits.append(_with_blank_lines_below(module, change))
    return fix._replace(edits=tuple(edits))


def _with_blank_lines_below(module: Module, change: Edit) -> Edit:
    """Extend a removal of a file's first lines to the blank lines below them."""
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
    """Import some names of an import statement from other modules.

    Args:
        statement: The import statement.
        sources: The new module of each name, with its leading dots.
    """
    code = statement.statement.code
    start = statement.statement.start
    new_text = ""
    titles = []
    rest = []
    for alias in statement.names:
        if alias.name not in sources:
            rest.append(alias)
            continue
        source = sources[alias.name]
        new_text += f"from {source} import {alias}\n"
        titles.append(f"`from {source} import {alias.name}`")
    if rest:
        new_text += statement._replace(names=tuple(rest)).render().text[start:]
    title = f"Write {' and '.join(titles)}"
    return Fix(title, (make_edit(code, start, len(code.text), new_text),))


def replace_module(statement: Import, source: str) -> Fix:
    """Replace the module of a `from` import, given with its leading dots."""
    code = statement.statement.bare_code
    start, end = module_span(code.mask, code.mask.index("from"))
    return Fix(f"Write `{source}`", (make_edit(code, start, end, source),))


def move_after(statement: Statement, other: Statement, title: str) -> Fix:
    """Move a statement behind another one of the same block."""
    end = len(other.code.text)
    insertion = make_edit(other.code, end, end, statement.bare_code.text)
    return Fix(title, (insertion, *remove(statement).edits))


def move_above(statements: Iterable[Statement], other: Statement, title: str) -> Fix:
    """Move statements with the lines above them above another one."""
    text = ""
    removals = []
    for statement in statements:
        text += statement.code.text
        removals.append(make_edit(statement.code, 0, len(statement.code.text), ""))
    insertion = make_edit(other.code, other.start, other.start, text)
    return Fix(title, (insertion, *removals))


def remove_comment(place: Place) -> Fix:
    """Remove a comment and the blanks before it, or its line if that has no code."""
    path, line = place.path, place.line
    code_end = len(place.text[: place.column - 1].rstrip())
    comment_end = place.column - 1 + place.width
    if code_end:
        old = place.text[code_end:comment_end]
        removal = Edit(path, line, code_end + 1, line, comment_end + 1, "", old)
    else:
        removal = Edit(path, line, 1, line + 1, 1, "", old=f"{place.text}\n")
    return Fix("Remove the comment", (removal,))


def join(title: str, fixes: Iterable[Fix]) -> Fix:
    """Return one fix with the edits of several fixes."""
    edits: list[Edit] = []
    for fix in fixes:
        edits += fix.edits
    return Fix(title, tuple(edits))


def make_edit(code: SourceSlice, start: int, end: int, text: str) -> Edit:
    """Return the edit that replaces the span between two offsets of some code."""
    line, column = _position(code, start)
    end_line, end_column = _position(code, end)
    old = code.text[start:end]
    return Edit(code.path, line, column, end_line, end_column, text, old)


def _position(code: SourceSlice, offset: int) -> tuple[int, int]:
    """Return the line and the column of an offset, both from 1."""
    line = code.line + code.text.count("\n", 0, offset)
    column = offset - code.text.rfind("\n", 0, offset)
    return line, column
