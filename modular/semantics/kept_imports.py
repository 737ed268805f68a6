"""Tells which names of an import from another model's file are inlined.

The code of a parent class is merged, and the code of other imported names is copied. So
generated files do not import them. Two things keep an import:

- With the setting `model-imports = "keep"`, all names stay that no class inherits from.
- A class with the comment `# modular: keep` after its header keeps its bases.
"""

import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from modular.source.blocks import Kind, Statement
from modular.source.class_bases import read_bases
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.source_slice import SourceSlice
from modular.source.unreadable import UnreadableError


KEEP = "# modular: keep"
"""The comment after the header of a class whose bases stay as they are."""

_KEEP = re.compile(r"#[ \t]*+modular:[ \t]*+keep\b[^#\n]*+")
_MAX_CACHED_FILES = 64


def inlined_part(module: Module, import_: Import, keeps_others: bool) -> Import | None:
    """Return an import from another model's file without the names that stay imported.

    The other names are inlined: their code is merged or copied. A parent class that is
    merged, such as `LlamaMLP` in `class MyModelMLP(LlamaMLP)`, is always one of them.

    Args:
        module: The modular file.
        import_: The import.
        keeps_others: Whether a name stays imported if no class inherits from it.

    Returns:
        The import; None if all of its names stay imported.
    """
    if not _can_keep(module, keeps_others):
        return import_
    bases = _find_bases(module)
    inlined_names = []
    for alias in import_.names:
        # A base that one class merges is inlined, even if another class keeps it.
        is_merged_base = alias.bound in bases.merged
        stays_imported = keeps_others or alias.bound in bases.kept
        if is_merged_base or not stays_imported:
            inlined_names.append(alias)
    if len(inlined_names) == len(import_.names):
        return import_
    return import_._replace(names=tuple(inlined_names)) if inlined_names else None


def kept_part(module: Module, import_: Import, keeps_others: bool) -> Import | None:
    """Return an import from another model's file with only the names that stay imported.

    The bases of classes with the comment `# modular: keep` stay imported, and with
    `keeps_others` also all names that are no bases. A base that one class keeps and
    another class merges stays imported, although its code is inlined, too.

    Args:
        module: The modular file.
        import_: The import.
        keeps_others: Whether a name stays imported if no class inherits from it.

    Returns:
        The import; None if all of its names are inlined.
    """
    if not _can_keep(module, keeps_others):
        return None
    bases = _find_bases(module)
    kept_names = []
    for alias in import_.names:
        is_kept_base = alias.bound in bases.kept
        is_kept_by_setting = keeps_others and alias.bound not in bases.merged
        if is_kept_base or is_kept_by_setting:
            kept_names.append(alias)
    return import_._replace(names=tuple(kept_names)) if kept_names else None


def _can_keep(module: Module, keeps_others: bool) -> bool:
    """Whether any name of a model import can stay imported.

    This test is fast. The decision about each name needs the bases of all classes.
    """
    return keeps_others or _has_keep_comment(module)


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _has_keep_comment(module: Module) -> bool:
    """Whether a class of a file may keep its bases because of a comment."""
    # The answer is cached, because a file can have many imports.
    return _KEEP.search(module.code.text) is not None


def keeps_bases(class_: Statement) -> bool:
    """Whether a class keeps its bases because of a comment after its header."""
    return _find_keep_comment(class_) is not None


def without_keep_comment(class_: Statement) -> SourceSlice:
    """Return the code of a class without the comment that keeps its bases."""
    comment = _find_keep_comment(class_)
    if comment is None:
        return class_.code
    start, end = comment.span()
    code_end = len(class_.code.text[:start].rstrip(" \t"))
    return class_.code.replace([(code_end, end, "")])


def with_keep_comment(class_: Statement) -> SourceSlice:
    """Return the code of a class with a comment that keeps its bases."""
    header = class_.code.text[: class_.header_end]
    end = len(header.rstrip("\n"))
    return class_.code.replace([(end, end, f"  {KEEP}")])


class _Bases(NamedTuple):
    """The names of the bases of all classes in a modular file.

    Attributes:
        merged: The bases whose code is merged.
        kept: The bases of classes with a comment that keeps them.
    """

    merged: set[str]
    kept: set[str]


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _find_bases(module: Module) -> _Bases:
    """Return the bases of the classes in a modular file."""
    bases = _Bases(merged=set(), kept=set())
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS:
            names = bases.kept if keeps_bases(statement) else bases.merged
            # A class that cannot be read is reported when it is converted.
            with suppress(UnreadableError):
                names.update(read_bases(statement))
    return bases


def _find_keep_comment(class_: Statement) -> re.Match[str] | None:
    """Return the comment after the header of a class that keeps its bases."""
    code = class_.code
    for match in _KEEP.finditer(code.text, class_.header_start, class_.header_end):
        # In the masked text, comments are blank, and strings are not.
        if not code.masked_text[match.start() : match.end()].strip():
            return match
    return None
