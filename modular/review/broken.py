"""What breaks in modular classes when their parent classes change: methods that are gone, and parameters that differ."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from modular.project.project import Project
from modular.rules.classes.methods import methods
from modular.rules.classes.super_kwargs import NAME
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.code import Code
from modular.source.diagnostics import Place
from modular.source.parts import Parts, parts_of
from modular.source.places import place_of, place_of_word


@dataclass(frozen=True, slots=True)
class Broken:
    """A place in a modular class that counts on what its parent class does not have any more, and what that is."""

    place: Place
    class_: str
    member: str
    message: str


def broken(
    project: Project, modulars: Iterable[str], old: Mapping[str, str], new: Mapping[str, str]
) -> tuple[Broken, ...]:
    """Find what breaks in modular files. ``old`` and ``new`` are the texts of files before and after a change, by path."""
    differing = {path for path in old.keys() & new.keys() if old[path] != new[path]}
    before = {path: _classes(path, old[path]) for path in sorted(differing)}
    after = {path: _classes(path, new[path]) for path in sorted(differing)}
    found: list[Broken] = []
    for modular in modulars:
        for statement, path, name in _inheriting(project, modular):
            if path in differing and name in before[path] and name in after[path]:
                found += _of_class(
                    parts_of(statement), name, _methods(before[path][name]), _methods(after[path][name])
                )
    return tuple(sorted(found, key=lambda each: (each.place.path, each.place.line, each.member)))


def _classes(path: str, text: str) -> dict[str, Statement]:
    return {
        statement.name: statement
        for statement in modules.read(path, text).block.statements
        if statement.kind is Kind.CLASS
    }


def _methods(statement: Statement) -> dict[str, Parts]:
    return methods(parts_of(statement).body.statements)


def _inheriting(project: Project, modular: str) -> Iterator[tuple[Statement, str, str]]:
    """Yield each class of a modular file that has a parent class, with the parent's file and its name there."""
    module = modules.read(modular, (project.root / modular).read_text(encoding="utf-8", errors="replace"))
    parents = {}
    for import_ in module.imports:
        for path in project.resolve(modular, import_)[::-1]:
            parents.update({alias.bound: (path, alias.name) for alias in import_.names})
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS:
            for base in parts_of(statement).bases:
                if base in parents:
                    yield statement, *parents[base]


def _of_class(own: Parts, parent: str, before: Mapping[str, Parts], after: Mapping[str, Parts]) -> Iterator[Broken]:
    overrides = methods(own.body.statements)
    for name in before:
        override = overrides.get(name)
        if name in after:
            if override is not None and _differ(before[name], after[name], override):
                message = f"overrides `{parent}.{name}`, whose parameters changed: they are {_shown(after[name])} now"
                yield Broken(place_of(override.header), own.name, name, message)
        elif override is not None:
            yield Broken(place_of(override.header), own.name, name, f"overrides `{parent}.{name}`, which is gone")
        elif (used := _use(own.code, name)) is not None:
            yield Broken(used, own.name, name, f"uses `{parent}.{name}`, which is gone")


def _differ(before: Parts, after: Parts, override: Parts) -> bool:
    """Whether the parent's parameters changed, and an override neither takes them as they come nor has them already."""
    new, own = after.parameters, override.parameters
    return new not in (before.parameters, own) and f"**{NAME}" not in own


def _shown(method: Parts) -> str:
    return f"`({', '.join(method.parameters)})`"


def _use(code: Code, name: str) -> Place | None:
    """The first place at which code uses an attribute of `self` or `super()` of some name."""
    for start in (f"self.{name}", f"super().{name}"):
        position = code.mask.find(start)
        while position >= 0:
            if not code.mask[position + len(start)].isidentifier():
                return place_of_word(code.cut(position), name)
            position = code.mask.find(start, position + 1)
    return None
