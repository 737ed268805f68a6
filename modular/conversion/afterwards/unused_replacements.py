"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from modular.conversion.layout import Layout
from modular.rules.files.exports import ALL, exported
from modular.rules.files.used_names import UsedNames
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.module import Definition
from modular.source.parts import take_apart
from modular.source.places import place_of_word


@dataclass(frozen=True, slots=True)
class _Need:
    """A class of the modular that needs another class of its parent file, and where the file says so."""

    child: str
    place: Place
    distance: int


def find(layout: Layout) -> list[Diagnostic]:
    """Report classes that would change a parent's class, are not used, and are not exported."""
    modular = layout.modular
    statement = modular.special(ALL)
    public = set(exported(statement)) if statement is not None else set()
    found = []
    for name, definition in modular.definitions.classes.items():
        parents = modular.parents_of(name)
        if parents and name not in public and name not in layout.mentioned and _changes(definition):
            need = min(_needs(layout, name, parents[0]), key=lambda each: each.distance, default=None)
            if need is not None and not _is_quoted(layout, name):
                found.append(_diagnostic(layout, definition, parents[0], need))
    return found


def _changes(definition: Definition) -> bool:
    """Whether a class differs from its parent by more than its name."""
    parts = take_apart(definition.statement)
    if parts.decorators.text or len(parts.arguments) > 1:
        return True
    return any(each.kind is not Kind.STRING and not each.does_nothing for each in parts.body.statements)


def _is_quoted(layout: Layout, name: str) -> bool:
    """Whether an annotation in quotes names the class."""
    nodes = (node for draft in layout.drafts.values() for node in draft.nodes.values() if node.name != name)
    return name in UsedNames([part.code for node in nodes for part in node.parts], frozenset())


def _needs(layout: Layout, name: str, base: str) -> Iterator[_Need]:
    """The other classes of the modular whose parent needs, directly or through others, the parent of a class."""
    modular = layout.modular
    path, needed = modular.parent_of[base], modular.original_names[base]
    source = layout.parents[path].source
    statements = {each.name: each for each in source.module.block.statements if each.name}
    for child in modular.definitions.classes:
        for other in modular.parents_of(child):
            start = modular.original_names[other]
            if child != name and modular.parent_of[other] == path and start != needed:
                yield from _way(child, start, needed, statements)


def _way(child: str, start: str, needed: str, statements: Mapping[str, Statement]) -> Iterator[_Need]:
    """The shortest way, if there is one, from a class of a parent file to another that it needs."""
    level, seen, distance = [start], {start}, 1
    while level:
        following = []
        for name in level:
            words = statements[name].code.words() & statements.keys()
            if needed in words:
                yield _Need(child, place_of_word(statements[name].own, needed), distance)
                return
            following += sorted(words - seen)
            seen |= words
        level, distance = following, distance + 1


def _diagnostic(layout: Layout, definition: Definition, base: str, need: _Need) -> Diagnostic:
    modular, name = layout.modular, definition.name
    original = modular.original_names[base]
    given = layout.parents[modular.parent_of[base]].renamer.word(original)
    message = (
        f"`{name}` is used nowhere: it should be used when `{need.child}` is defined, whose parent needs `{original}`"
    )
    hint = f"write `{name}` where `{need.child}` makes its own `{original}`, or remove the class"
    if given != name:
        hint = f"call it `{given}`, and `{need.child}` takes it in the place of `{original}`; or remove the class"
    place = place_of_word(take_apart(definition.statement).header, name)
    return Diagnostic(Problem.UNUSED_REPLACEMENT, place, message, hint, need.place)
