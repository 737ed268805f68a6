"""What breaks in modular classes when their parent classes change: methods that are gone, and parameters that differ."""

from collections.abc import Iterable, Iterator, Mapping
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
from modular.source.parts import DefinitionView, view_definition
from modular.source.places import place_of, place_of_word


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
    """Find what breaks in modular files. ``old`` and ``new`` are the texts of files before and after a change, by path."""
    differing = sorted(
        path for path in old.keys() & new.keys() if old[path] != new[path]
    )
    before, after = (
        {path: _classes(path, texts[path]) for path in differing}
        for texts in (old, new)
    )
    breaks: list[Broken] = []
    for modular in modulars:
        for statement, path, name in _inheriting(
            engine.batches.local_converter().read(modular)
        ):
            if path in before and name in before[path] and name in after[path]:
                breaks += _of_class(
                    view_definition(statement),
                    name,
                    _methods(before[path][name]),
                    _methods(after[path][name]),
                )
    return tuple(
        sorted(
            breaks,
            key=lambda breakage: (
                breakage.place.path,
                breakage.place.line,
                breakage.member,
            ),
        )
    )


def _classes(path: str, text: str) -> dict[str, ModuleBinding]:
    return definitions(modules.read(path, text)).classes


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
