"""What every modular file imports, inherits and defines, kept up to date while files change."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from modular.rules.reading.modular_file import ModularFile
from modular.source.blocks import Kind
from modular.source.definition_view import view_definition
from modular.source.diagnostics import Place
from modular.source.places import place_of_word
from modular.source.trees import UnreadableError
from modular.source.walking import inverted


@dataclass(frozen=True, slots=True)
class Use:
    """A modular file uses a name of a parent file: where, and for which class of its own if that inherits from it."""

    modular: str
    parent: str
    name: str
    place: Place
    child: str = ""


NamedDefinition = tuple[str, Kind, Place]
"""A class or function that a modular file defines: its name, what it is, and the place of the name."""


@dataclass(frozen=True, slots=True)
class _Entry:
    uses: tuple[Use, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    definitions: tuple[NamedDefinition, ...] = ()


class UseIndex:
    """The entries of all modular files that were read so far."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def set(self, modular: str, file: ModularFile | None) -> None:
        """Replace the entry of a modular file; None: the file is gone or unreadable."""
        self._entries[modular] = _Entry()
        if file is not None:
            with suppress(UnreadableError):
                self._entries[modular] = _Entry(
                    uses=tuple(_uses(file)),
                    imports=tuple(_imports(file)),
                    definitions=tuple(_definitions(file)),
                )

    def has(self, modular: str) -> bool:
        """Whether a modular file was read."""
        return modular in self._entries

    def imports_of(self, name: str) -> list[str]:
        """Return the statements by which modular files import a name, the most frequent first."""
        statements = Counter(
            statement
            for entry in self._entries.values()
            for bound, statement in entry.imports
            if bound == name
        )
        return sorted(
            statements, key=lambda statement: (-statements[statement], statement)
        )

    def uses(self, parent: str, name: str = "") -> list[Use]:
        """Return the uses of a name of a parent file, or of any of its names, by modular file and line."""
        uses = (
            use
            for entry in self._entries.values()
            for use in entry.uses
            if use.parent == parent
        )
        named = (use for use in uses if name in ("", use.name))
        return sorted(
            named, key=lambda use: (use.modular, use.place.line, use.place.column)
        )

    def users(self) -> dict[str, list[str]]:
        """Return the modular files that use something of each parent file, sorted."""
        return inverted(
            {
                modular: sorted(self.parents(modular))
                for modular in sorted(self._entries)
            }
        )

    def parents(self, modular: str) -> frozenset[str]:
        """Return the parent files of a modular file that was read."""
        return frozenset(use.parent for use in self._entries[modular].uses)

    def definitions(self) -> Iterator[NamedDefinition]:
        """Yield what modular files define, by file."""
        for _, entry in sorted(self._entries.items()):
            yield from entry.definitions


def _imports(file: ModularFile) -> Iterator[tuple[str, str]]:
    """Yield each name that a file imports from outside its model, with a statement that imports it."""
    for statement in file.module.imports:
        for name in statement.names if statement.level != 1 else ():
            source = (
                f"from {statement.source} "
                if statement.module or statement.level
                else ""
            )
            yield name.bound, f"{source}import {name}"


def _uses(file: ModularFile) -> Iterator[Use]:
    inherited = set()
    for definition in file.definitions.classes.values():
        for base in file.parents_of(definition.name):
            place = place_of_word(view_definition(definition.statement).header, base)
            inherited.add(base)
            yield Use(
                file.path,
                file.parent_of[base],
                file.original_names[base],
                place,
                definition.name,
            )
    for path, statement in file.model_imports:
        for name in statement.names:
            if name.bound not in inherited:
                yield Use(
                    file.path,
                    path,
                    name.name,
                    place_of_word(statement.statement.own, name.name),
                )


def _definitions(file: ModularFile) -> Iterator[NamedDefinition]:
    for statement in file.module.block.statements:
        if statement.is_definition:
            yield (
                statement.name,
                statement.kind,
                place_of_word(statement.own, statement.name),
            )
