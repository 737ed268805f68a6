"""Which modular file takes which name from which parent file, kept up to date while files change."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modular.rules.modular_file import ModularFile
from modular.source.diagnostics import Place
from modular.source.places import place_of_word


@dataclass(frozen=True, slots=True)
class Use:
    """A modular file takes a name of a parent file: where, and for which class of its own if that inherits from it."""

    modular: str
    parent: str
    name: str
    place: Place
    child: str = ""


class Index:
    """The uses in all modular files of a project that were read so far."""

    def __init__(self) -> None:
        self._of_modular: dict[str, tuple[Use, ...]] = {}
        self._imports: dict[str, tuple[tuple[str, str], ...]] = {}

    def set(self, modular: str, file: ModularFile | None) -> None:
        """Take what a modular file says; None: it is gone."""
        self._of_modular.pop(modular, None)
        self._imports.pop(modular, None)
        if file is not None:
            self._of_modular[modular] = tuple(_uses(file))
            self._imports[modular] = tuple(_imports(file))

    def forget(self, known: Iterable[str]) -> None:
        """Forget the modular files that are not among those that the project has."""
        for gone in self._of_modular.keys() - set(known):
            self.set(gone, None)

    def imports_of(self, name: str) -> list[str]:
        """Return the statements by which modular files import a name, the most frequent first."""
        found = Counter(text for each in self._imports.values() for bound, text in each if bound == name)
        return [text for text, _ in sorted(found.items(), key=lambda each: (-each[1], each[0]))]

    def knows(self, modular: str) -> bool:
        """Whether a modular file was read."""
        return modular in self._of_modular

    def uses(self, parent: str, name: str = "") -> list[Use]:
        """Return the uses of a name of a parent file, or of any of its names, by modular file and line."""
        found = (use for uses in self._of_modular.values() for use in uses if use.parent == parent)
        named = (use for use in found if name in ("", use.name))
        return sorted(named, key=lambda use: (use.modular, use.place.line, use.place.column))

    def parents(self, modular: str) -> frozenset[str]:
        """Return the parent files of a modular file."""
        return frozenset(use.parent for use in self._of_modular.get(modular, ()))


def _imports(file: ModularFile) -> Iterator[tuple[str, str]]:
    """Each name that a file imports, but from its own model, with a statement that imports it."""
    for statement in file.module.imports:
        for name in statement.names if statement.level != 1 else ():
            source = f"from {statement.source} " if statement.module or statement.level else ""
            yield name.bound, f"{source}import {name}"


def _uses(file: ModularFile) -> Iterator[Use]:
    inherited = set()
    for definition in file.definitions.classes.values():
        for base in file.parents_of(definition.name):
            header = definition.statement.parts.header
            place = place_of_word(header, base)
            inherited.add(base)
            yield Use(file.path, file.parent_of[base], file.original_names[base], place, definition.name)
    for path, statement in file.model_imports:
        for name in statement.names:
            if name.bound not in inherited:
                yield Use(file.path, path, name.name, place_of_word(statement.statement.own, name.name))
