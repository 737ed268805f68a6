"""What breaks in modular classes when their parent classes change: methods that are gone, and parameters that differ."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from modular.rules.classes.methods import methods
from modular.rules.classes.super_kwargs import SUPER_KWARGS
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import Engine
from modular.source import module as modules
from modular.source.blocks import Statement
from modular.source.code import SourceSlice, find_word
from modular.source.definitions import ModuleBinding, definitions
from modular.source.diagnostics import Place
from modular.source.half_typed import blank_unreadable_statements
from modular.source.parts import DefinitionView, view_definition
from modular.source.places import place_of, place_of_word
from modular.source.trees import UnreadableError


@dataclass(frozen=True, slots=True)
class Broken:
    """A place in a modular class that counts on what its parent class does not have any more, and what that is."""

    place: Place
    class_: str
    member: str
    message: str


def broken(
    engine: Engine,
    modulars: Iterable[str],
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> tuple[Broken, ...]:
    """Find what breaks in modular files.

    What cannot be read is left out: it is an error of its own.

    Args:
        engine: Reads the modular files.
        modulars: The paths of the modular files.
        old: The texts of files before a change, by path.
        new: The texts of files after it.
    """
    old_classes = _ClassesByFile(old)
    new_classes = _ClassesByFile(new)
    converter = engine.batches.local_converter()
    breakages: list[Broken] = []
    for modular in modulars:
        text = engine.source(modular)
        if engine.results[modular].failed:
            text = blank_unreadable_statements(text, modular)
        file = converter.read(modular, text)
        with suppress(UnreadableError):
            for statement, path, name in _inheriting(file):
                if path not in old or path not in new or old[path] == new[path]:
                    continue
                before = old_classes.find(path, name)
                after = new_classes.find(path, name)
                if before is not None and after is not None:
                    breakages += _of_class(
                        view_definition(statement),
                        name,
                        _methods(before),
                        _methods(after),
                    )
    return tuple(sorted(breakages, key=_sort_key))


def _sort_key(breakage: Broken) -> tuple[str, int, str]:
    return breakage.place.path, breakage.place.line, breakage.member


class _ClassesByFile:
    """The classes of files, each of which is read when it is first asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._classes: dict[str, dict[str, ModuleBinding]] = {}

    def find(self, path: str, name: str) -> ModuleBinding | None:
        """Return the class of a file; None if the file has no such class that is readable."""
        if path not in self._classes:
            text = blank_unreadable_statements(self._texts[path], path)
            self._classes[path] = definitions(modules.read(path, text)).classes
        return self._classes[path].get(name)


def _inheriting(file: ModularFile | None) -> Iterator[tuple[Statement, str, str]]:
    """Yield each class of a modular file that has a parent class, with the parent's file and its name there."""
    if file is not None:
        for name, definition in file.definitions.classes.items():
            for base in file.parents_of(name):
                yield (
                    definition.statement,
                    file.parent_of[base],
                    file.original_names[base],
                )


def _methods(definition: ModuleBinding) -> dict[str, DefinitionView]:
    return methods(view_definition(definition.statement).body.statements)


def _of_class(
    own: DefinitionView,
    parent: str,
    before: Mapping[str, DefinitionView],
    after: Mapping[str, DefinitionView],
) -> Iterator[Broken]:
    overrides = methods(own.body.statements)
    for name in before:
        override = overrides.get(name)
        if name in after:
            if override is not None and _differ(before[name], after[name], override):
                listed = ", ".join(after[name].parameters)
                message = f"overrides `{parent}.{name}`, whose parameters changed: they are `({listed})` now"
                yield Broken(place_of(override.header), own.name, name, message)
        elif override is not None:
            yield Broken(
                place_of(override.header),
                own.name,
                name,
                f"overrides `{parent}.{name}`, which is gone",
            )
        elif (used := _use(own.code, name)) is not None:
            yield Broken(used, own.name, name, f"uses `{parent}.{name}`, which is gone")


def _differ(
    before: DefinitionView, after: DefinitionView, override: DefinitionView
) -> bool:
    """Whether the parent's parameters changed, and an override neither takes them as they come nor has them already."""
    new, own = after.parameters, override.parameters
    return new not in (before.parameters, own) and f"**{SUPER_KWARGS}" not in own


def _use(code: SourceSlice, name: str) -> Place | None:
    """The first place at which code uses an attribute of `self` or `super()` of some name."""
    for used in (f"self.{name}", f"super().{name}"):
        if (start := next(find_word(code.mask, used), None)) is not None:
            return place_of_word(code.cut(start), name)
    return None
