"""Indexes what modular files import and inherit."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from modular.rules.reading.modular_file import ModularFile
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place
from modular.source.places import place_of_word
from modular.source.unreadable import UnreadableError


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name of a parent file.

    Attributes:
        modular: Path of the modular file that uses the name.
        parent: Path of the parent file.
        name: Name in the parent file.
        place: Place of the use.
        child: Name of the class that inherits from it, or empty for an import.
    """

    modular: str
    parent: str
    name: str
    place: Place
    child: str = ""


class _ImportedName(NamedTuple):
    """A name that a modular file imports, and a statement that imports it."""

    name: str
    statement: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is known of one modular file."""

    uses: tuple[Use, ...] = ()
    imports: tuple[_ImportedName, ...] = ()


class UseIndex:
    """The entries of all modular files that were read so far."""

    def __init__(self) -> None:
        """Create an index without entries."""
        self._entries: dict[str, _Entry] = {}

    def set(self, modular: str, file: ModularFile | None) -> None:
        """Replace what the index knows of a modular file.

        Args:
            modular: Path of the modular file.
            file: The file; None if it is missing or unreadable.
        """
        # An empty entry stays if the file cannot be read, so that nobody reads it again.
        self._entries[modular] = _Entry()
        if file is None:
            return
        with suppress(UnreadableError):
            self._entries[modular] = _Entry(
                uses=tuple(_uses(file)),
                imports=tuple(_imported_names(file)),
            )

    def has(self, modular: str) -> bool:
        """Return whether a modular file was read."""
        return modular in self._entries

    def imports_of(self, name: str) -> list[str]:
        """Return the statements that import a name in modular files.

        The most frequent statement comes first: for `nn` it is `from torch import nn`.
        """
        counts: Counter[str] = Counter()
        for entry in self._entries.values():
            for imported in entry.imports:
                if imported.name == name:
                    counts[imported.statement] += 1
        return sorted(counts, key=lambda statement: (-counts[statement], statement))

    def uses(self, parent: str, name: str) -> list[Use]:
        """Return the uses of a name of a parent file, sorted by place."""
        uses = []
        for entry in self._entries.values():
            for use in entry.uses:
                if use.parent == parent and use.name == name:
                    uses.append(use)
        return sorted(
            uses, key=lambda use: (use.modular, use.place.line, use.place.column)
        )

    def parents(self, modular: str) -> frozenset[str]:
        """Return the parent files of a modular file that was read."""
        return frozenset(use.parent for use in self._entries[modular].uses)


def _imported_names(file: ModularFile) -> Iterator[_ImportedName]:
    """Yield the imported names of a file, each with a statement that imports it alone.

    `from torch import nn, Tensor` yields `nn` with `from torch import nn`, and `Tensor`
    with `from torch import Tensor`.
    """
    for statement in file.module.imports:
        # `from .a import b` imports from the folder of the model itself.
        if statement.level == 1:
            continue
        prefix = ""
        is_from_import = bool(statement.module or statement.level)
        if is_from_import:
            prefix = f"from {statement.source} "
        for name in statement.names:
            yield _ImportedName(name.bound, f"{prefix}import {name}")


def _uses(file: ModularFile) -> Iterator[Use]:
    """Yield the uses of other models' code in a file.

    A class that is inherited is used where it is a base: `LlamaMLP` in the header of
    `class OlmoMLP(LlamaMLP)`. Any other name is used where it is imported.
    """
    inherited_names = set()
    for definition in file.definitions.classes.values():
        header = view_definition(definition.statement).header
        for base in file.parents_of(definition.name):
            inherited_names.add(base)
            yield Use(
                modular=file.path,
                parent=file.parent_of[base],
                name=file.original_names[base],
                place=place_of_word(header, base),
                child=definition.name,
            )

    for path, statement in file.model_imports:
        for name in statement.names:
            if name.bound not in inherited_names:
                place = place_of_word(statement.statement.bare_code, name.name)
                yield Use(file.path, path, name.name, place)
