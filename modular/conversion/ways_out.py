"""Fixes of what can be wrong with a class: each writes what its diagnostic's hint says."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from modular.source import fixes
from modular.source.code import Code
from modular.source.diagnostics import Fix, Place, nearest
from modular.source.parts import Parts
from modular.source.places import place_of_word


_REST = "super_kwargs"
_CALL = re.compile(r"\.(\w+)\((?:self\s*(?:,\s*)?)?")
"""What stands after the parent's class where a line calls one of its methods."""


def spellings(code: Code, name: str, known: Iterable[str]) -> Iterator[Fix]:
    """Write one of the names that are there, the nearest first, where some code has a wrong one."""
    place = place_of_word(code, name)
    return (fixes.write(place, each) for each in nearest(name, known))


def explicit_call(call: Code, method: str, base: str) -> Iterator[Fix]:
    """Call a base by its name, in the place of `super()`, where its method is not to be unravelled."""
    start = call.mask.find("super")
    opening = call.mask.find("(", call.mask.find(method, start))
    if 0 <= start < opening:
        comma = "" if call.mask[opening + 1 :].lstrip().startswith(")") else ", "
        edit = fixes.edit(call, start, opening + 1, f"{base}.{method}(self{comma}")
        yield Fix(f"Write `{base}.{method}(self, ...)`", (edit,))


def removing_form(own: Parts) -> Fix:
    """Give an override that only raises the one form in which it removes the parent's method."""
    statements = (each for each in own.body.statements if each is not own.docstring)
    raising = next(statements).own.text
    text = own.statement.own.text
    indent = text[: len(text) - len(text.lstrip())]
    parameters = " ".join(own.tree.code(own.function_node.params).split()).rstrip(", ")
    header = f"\n{indent}def {own.name}({parameters}):\n"
    if own.is_inline:
        header, end = f"{header}{raising.rstrip()}\n", len(own.code.text)
    else:
        end = own.code.text.index(raising)
    return Fix(f"Remove the parent's `{own.name}`", (fixes.edit(own.code, 0, end, header),))


def all_parameters(own: Parts) -> Fix:
    """Let an override take all of the parent's parameters."""
    import libcst as cst

    rest = cst.Param(cst.Name(_REST), star="**")
    node = own.function_node
    header = own.header_with(node.with_changes(params=node.params.with_changes(star_kwarg=rest)))
    edit = fixes.edit(own.header, 0, len(own.header.text), header.text)
    return Fix(f"Write `**{_REST}` in the parameters of `{own.name}`", (edit,))


def unravelled_call(place: Place) -> Fix | None:
    """Call `super()` where a line calls a method of the parent's class, which stands at a place, by its name."""
    match = _CALL.match(place.text, place.column + place.width - 1)
    if match is None:
        return None
    width = match.end() - place.column + 1
    text = f"super().{match.group(1)}("
    return fixes.write(replace(place, width=width), text, f"Write `{text}...)`")
