"""Merging: the modular's functions, assignments and classes meet those of a renamed parent file."""

from collections.abc import Mapping

from modular.needs import Scope
from modular.settings import Settings
from modular.source.blocks import assignment_operator
from modular.source.module import Definition, Definitions
from modular.source.renamed import RenamedFile


def merge(file: RenamedFile, modular: Definitions, settings: Settings) -> Scope:
    """Return the scope in which the modular's classes that inherit from this parent file find their needs."""
    parent = file.definitions
    merged = Definitions(
        functions={**parent.functions, **modular.functions},
        assignments=dict(parent.assignments),
        classes=dict(parent.classes),
        items=dict(parent.items),
    )
    for name, definition in modular.assignments.items():
        if name not in merged.assignments or _replaces(name, definition, settings):
            merged.assignments[name] = definition
            if name in modular.items:
                merged.items[name] = modular.items[name]
    for name, definition in modular.classes.items():
        if name not in merged.classes and name not in file.siblings:
            merged.classes[name] = definition
    return Scope(merged, _lines(parent), _lines(modular), file.siblings)


def _replaces(name: str, definition: Definition, settings: Settings) -> bool:
    """Whether an assignment of the modular is used instead of the parent's of the same name."""
    if any(part in name for part in settings.replacing_assignments):
        return True
    return any(part in name for part in settings.replacing_unless_none) and _value(definition) != "None"


def _value(definition: Definition) -> str:
    own = definition.statement.own
    position = assignment_operator(own.mask)
    return "" if position is None else own.without_comments()[position + 1 :].strip()


def _lines(definitions: Definitions) -> Mapping[str, int]:
    return {name: definition.line for name, definition in definitions.nodes().items()}
