"""Parameters of a parent's method that its body uses where an unravelled call brought it, and the override does not have."""

from collections.abc import Iterable, Iterator, Mapping

from modular.flatten.autofixes import all_parameters
from modular.flatten.flattened import Flattened
from modular.flatten.layout import Layout
from modular.flatten.outputs import OutputFile
from modular.rules.classes.super_call import super_call_index
from modular.source.code import Code
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.parts import Parts
from modular.source.places import place_of


Call = tuple[str, str]
"""An unravelled call: the class, and the key of the method that it stands in."""


def call_of(layout: Layout, file: OutputFile, line: int, name: str) -> Call | None:
    """Return the call that brought a line in which an undefined name stands, if it is a parameter that is missing."""
    found = file.piece_at(line)
    if found is None or found[1].code.path == layout.modular.path:
        return None
    statement, piece = found
    flat = layout.flattened.get(statement.name)
    if flat is None or piece.member not in flat.overriding or piece.member not in flat.inherited:
        return None
    own, parent = flat.overriding[piece.member], flat.inherited[piece.member]
    if super_call_index(own.body.statements, own.name) is None or name not in _parameters(parent):
        return None
    return None if name in _parameters(own) else (statement.name, piece.member)


def report(layout: Layout, call: Call, uses: Mapping[str, Place]) -> Diagnostic:
    """Return the diagnostic of all parameters that are missing at one call, by where the parent's body uses them."""
    name, member = call
    flat: Flattened = layout.flattened[name]
    own = flat.overriding[member]
    index = super_call_index(own.body.statements, own.name)
    assert index is not None, "the call was found before"
    listed = " and ".join(f"`{each}`" for each in uses)
    message = (
        f"the body of the parent's `{own.name}`, which this call is replaced by, uses its parameters, of which "
        f"`{name}.{own.name}` does not have {listed}"
    )
    stars = next((each for each in own.parameters if each.startswith("**")), "")
    all_of_them = (
        f", or `**super_kwargs` {f'for `{stars}`, ' if stars else 'among them, '}which stands for all of the parent's"
    )
    hint = f"arguments are not passed on: write {listed} as in the parent{all_of_them}"
    call_place = place_of(own.body.statements[index].own)
    related, way_out = next(iter(uses.values())), all_parameters(own)
    return Diagnostic(Problem.UNDEFINED_NAME, call_place, message, hint, related, fixes=(way_out,))


def less_arguments(layout: Layout, lints: Iterable[Diagnostic], found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return lints without the dropped arguments of those calls of which it is said that parameters are missing."""
    own = (each.place for each in found if each.code is Problem.UNDEFINED_NAME)
    said = {place.line for place in own if place.path == layout.modular.path}
    lines = (
        {line for call in _calls(layout) if place_of(call).line in said for line in _lines(call)} if said else set()
    )
    return [each for each in lints if each.code is not Problem.DROPPED_ARGUMENT or each.place.line not in lines]


def _calls(layout: Layout) -> Iterator[Code]:
    """The unravelled calls of the modular file."""
    for flat in layout.flattened.values():
        for own in flat.overriding.values():
            index = super_call_index(own.body.statements, own.name)
            if index is not None:
                yield own.body.statements[index].own


def _lines(code: Code) -> range:
    return range(code.line, code.line + code.text.count("\n") + 1)


def _parameters(method: Parts) -> set[str]:
    return {each.lstrip("*") for each in method.parameters}
