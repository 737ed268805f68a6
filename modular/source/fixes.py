"""Makes autofixes: edits of the file that a diagnostic is about.

`modular.source.edits` applies them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Edit, Fix, Place
from modular.source.import_statements import Alias, Import, module_span
from modular.source.module import Module
from modular.source.source_slice import SourceSlice, find_word, synthetic


_MAX_BLANKS = 100
"""Blanks between the dot and the name of an attribute that are looked at."""


_WORD = re.compile(r"\w+")


def replace(place: Place, text: str, title: str = "") -> Fix:
    """Return the fix that replaces the marked text of a place.

    Args:
        place: The place, which is a part of one line.
        text: The new text.
        title: What the fix does; empty for "Write `text`".
    """
    line = _read_line(place.text, place.path, place.line)
    start = place.column - 1
    edit = make_edit(line, start, start + place.width, text)
    return Fix(title or f"Write `{text}`", (edit,))


@lru_cache(maxsize=16)
def _read_line(text: str, path: str, line: int) -> SourceSlice:
    """Return a line of a file. A long line can have thousands of findings."""
    return synthetic(text, path, line)


def rename(code: SourceSlice, old: str, new: str) -> Fix:
    """Return the fix that renames a variable wherever some code uses it.

    For the variable `x`, `x` is renamed and the attribute `self.x` is not.
    """
    edits = []
    for start in find_word(code.masked_text, old):
        # Blanks may follow the dot of an attribute.
        text_before = code.masked_text[max(0, start - _MAX_BLANKS) : start]
        is_attribute = text_before.rstrip(" \t").endswith(".")
        if not is_attribute:
            edits.append(make_edit(code, start, start + len(old), new))
    return Fix(f"Write `{new}`", tuple(edits))


def remove(statement: Statement, title: str = "Remove the line") -> Fix:
    """Return the fix that removes a statement and the blank lines above it.

    If there is a comment above it, the comment and the blank lines stay, because the
    comment may also be about the statements below.
    """
    has_comment = bool(statement.lead.text.strip())
    start = statement.start if has_comment else 0
    end = len(statement.code.text)
    return Fix(title, (make_edit(statement.code, start, end, ""),))


def remove_with_comments(
    statement: Statement, title: str, is_alone: bool = False
) -> Fix:
    """Return the fix that removes a statement with the comments above it.

    Args:
        statement: The statement.
        title: The title of the fix.
        is_alone: Whether its block has no other statement. Then `pass` replaces it,
            because Python has no empty blocks.
    """
    text = f"{statement.indent}pass\n" if is_alone else ""
    end = len(statement.code.text)
    return Fix(title, (make_edit(statement.code, 0, end, text),))


def insert_above(statement: Statement, line: str) -> Fix:
    """Return the fix that inserts a line above a statement, with the same indent."""
    start = statement.start
    edit = make_insertion(statement.code, start, f"{statement.indent}{line}\n")
    return Fix(f"Write `{line}`", (edit,))


def remove_import(import_: Import, bound: str) -> Fix:
    """Return the fix that removes the name that an import binds.

    If the statement binds no other name, it is removed as a whole.
    """
    return next(remove_imports((import_,), {bound}))


def remove_imports(
    statements: Iterable[Import], bound_names: Collection[str]
) -> Iterator[Fix]:
    """Yield a fix for each import statement that imports one of some names.

    The fix removes the names from the statement, or the whole statement if it imports no
    other name.

    Args:
        statements: The import statements in which the names are searched.
        bound_names: The names as code uses them: `np` for `import numpy as np`.
    """
    for import_ in statements:
        removed_names = []
        kept_names = []
        for alias in import_.names:
            if alias.bound in bound_names:
                removed_names.append(f"`{alias.bound}`")
            else:
                kept_names.append(alias)
        if removed_names:
            title = f"Remove the import of {' and '.join(removed_names)}"
            yield Fix(title, (_replace_names(import_, kept_names),))


def _replace_names(import_: Import, names: Sequence[Alias], above: str = "") -> Edit:
    """Return the edit that replaces the names that an import statement imports.

    The comments and blank lines above the statement stay.

    Args:
        import_: The import statement.
        names: The new names. Without any, the statement is removed.
        above: Lines to insert above the statement.
    """
    # Old and new code begin with the same comments and blank lines above the statement.
    # The edit begins below them.
    old_code = import_.statement.code
    statement_start = import_.statement.start
    new_text = above
    if names:
        new_code = import_._replace(names=tuple(names)).render()
        new_text += new_code.text[statement_start:]
    return make_edit(old_code, statement_start, len(old_code.text), new_text)


def remove_unused_imports(module: Module, fix: Fix) -> Fix:
    """Return a fix that also removes the imports that it leaves unused.

    If the fix removes the last use of `nn`, it also removes `from torch import nn`. If
    the first lines of the file are removed, the blank lines below them are removed, too.

    Args:
        module: The file that the fix is for.
        fix: The fix.
    """
    unused_names = _find_names_without_use(module, fix)
    imports_by_name = _imports_by_name(module)
    imports: set[Import] = set()
    for name in unused_names:
        imports.update(imports_by_name[name])

    edited_lines = {edit.line for edit in fix.edits}
    edits = list(fix.edits)
    for import_ in sorted(imports, key=lambda import_: import_.statement.line):
        code = import_.statement.code
        import_lines = range(code.line, code.line + code.text.count("\n"))
        is_edited = not edited_lines.isdisjoint(import_lines)
        # A second edit of the same import would overlap.
        if not is_edited:
            edits += _remove_names(import_, unused_names)
    edits = [_remove_blank_lines_at_top(module, edit) for edit in edits]
    return fix._replace(edits=tuple(edits))


def _remove_names(import_: Import, names: Collection[str]) -> Iterator[Edit]:
    """Yield the edit that removes names from an import statement.

    For `import torch.nn`, the name is `torch`, although the statement binds `torch.nn`.
    """
    bound_names = set()
    for alias in import_.names:
        if _first_name(alias) in names:
            bound_names.add(alias.bound)
    for removal in remove_imports((import_,), bound_names):
        yield from removal.edits


def _find_names_without_use(module: Module, fix: Fix) -> set[str]:
    """Return the imported names of a file whose last use a fix removes."""
    removed_words: Counter[str] = Counter()
    added_words: set[str] = set()
    for edit in fix.edits:
        removed_words.update(_WORD.findall(edit.old))
        added_words.update(_WORD.findall(edit.text))

    names = set()
    for name in removed_words.keys() & _imports_by_name(module).keys():
        is_last_use = removed_words[name] == _count_words_outside_imports(module)[name]
        if is_last_use and name not in added_words:
            names.add(name)
    return names


def _first_name(alias: Alias) -> str:
    """Return the name that an import binds: `torch` for `import torch.nn`."""
    return alias.bound.partition(".")[0]


@lru_cache(maxsize=1)
def _imports_by_name(module: Module) -> Mapping[str, Sequence[Import]]:
    """Return the imports of a file by the names that they bind.

    The result is cached, because a file can have many findings, each with a fix.
    """
    imports: dict[str, list[Import]] = {}
    for import_ in module.imports:
        for alias in import_.names:
            imports.setdefault(_first_name(alias), []).append(import_)
    return imports


@lru_cache(maxsize=1)
def _count_words_outside_imports(module: Module) -> Counter[str]:
    """Return how often a file uses each word, without its import statements."""
    counts: Counter[str] = Counter()
    for statement in module.block.statements:
        if statement.kind is not Kind.IMPORT:
            counts.update(_WORD.findall(statement.code.text))
    return counts


def _remove_blank_lines_at_top(module: Module, edit: Edit) -> Edit:
    """Let an edit that removes a file's first lines also remove the blank lines below.

    An edit that does not remove the first lines of the file is returned unchanged.
    """
    is_at_start = (edit.line, edit.column) == (1, 1)
    # For example, a removal of lines 1 and 2 ends in column 1 of line 3, which stays.
    removes_lines = edit.end_column == 1 and not edit.text
    if not is_at_start or not removes_lines:
        return edit
    blank_count = 0
    # The last item of `lines` is the empty text after the final line end.
    for line in module.lines[edit.end_line - 1 : -1]:
        if line:
            break
        blank_count += 1
    return edit._replace(
        end_line=edit.end_line + blank_count, old=edit.old + "\n" * blank_count
    )


def import_from(import_: Import, sources: Mapping[str, str]) -> Fix:
    """Return the fix that imports some names of a statement from other modules.

    For `from .a import X, Y` and the new module `..b` of `Y`, the fix writes
    `from ..b import Y` above `from .a import X`.

    Args:
        import_: The import statement.
        sources: The new module of each name to move, with its leading dots.
    """
    new_imports = ""
    titles = []
    kept_names = []
    for alias in import_.names:
        if alias.name not in sources:
            kept_names.append(alias)
            continue
        source = sources[alias.name]
        new_imports += f"from {source} import {alias}\n"
        titles.append(f"`from {source} import {alias.name}`")
    title = f"Write {' and '.join(titles)}"
    return Fix(title, (_replace_names(import_, kept_names, above=new_imports),))


def replace_module(import_: Import, source: str) -> Fix:
    """Return the fix that replaces the module, with its dots, of a `from` import."""
    code = import_.statement.bare_code
    start, end = module_span(code.masked_text, code.masked_text.index("from"))
    return Fix(f"Write `{source}`", (make_edit(code, start, end, source),))


def move_after(statement: Statement, target: Statement, title: str) -> Fix:
    """Return the fix that moves a statement below a target statement of its block."""
    end = len(target.code.text)
    insertion = make_insertion(target.code, end, statement.bare_code.text)
    return Fix(title, (insertion, *remove(statement).edits))


def remove_comment(place: Place) -> Fix:
    """Return the fix that removes a comment and the blanks before it.

    If its line has no code, the line is removed.

    Args:
        place: The place of the comment. Its text is the whole line, without line end.
    """
    comment_start = place.column - 1
    code_before = place.text[:comment_start].rstrip()
    # `make_edit` takes a slice of the file, which knows the number of its line.
    line = synthetic(f"{place.text}\n", place.path, place.line)
    if code_before:
        comment_end = comment_start + place.width
        edit = make_edit(line, len(code_before), comment_end, "")
    else:
        edit = make_edit(line, 0, len(line.text), "")
    return Fix("Remove the comment", (edit,))


def join(title: str, fixes: Iterable[Fix]) -> Fix:
    """Return one fix with the edits of several fixes."""
    edits: list[Edit] = []
    for fix in fixes:
        edits += fix.edits
    return Fix(title, tuple(edits))


def make_insertion(code: SourceSlice, offset: int, text: str) -> Edit:
    """Return the edit that inserts a text at an offset of some code."""
    return make_edit(code, offset, offset, text)


def make_edit(code: SourceSlice, start: int, end: int, text: str) -> Edit:
    """Return the edit that replaces the span between two offsets of some code.

    Args:
        code: A part of a file. It knows the line of the file on which it begins.
        start: The offset in the code at which the span begins.
        end: The offset after the span.
        text: The new text.
    """
    line, column = _position(code, start)
    end_line, end_column = _position(code, end)
    return Edit(
        path=code.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        text=text,
        old=code.text[start:end],
    )


def _position(code: SourceSlice, offset: int) -> tuple[int, int]:
    """Return the line and the column of an offset, both from 1."""
    line = code.line + code.text.count("\n", 0, offset)
    column = offset - code.text.rfind("\n", 0, offset)
    return line, column
