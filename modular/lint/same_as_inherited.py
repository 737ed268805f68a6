"""Methods that are written out and are the same as what is inherited anyway.

Attributes, and methods that call `super()`, are not looked at: whoever repeats these has the reader in mind.
"""

from collections.abc import Iterator
from itertools import zip_longest

from modular.flatten.flattened import Flattened
from modular.lint.subject import Subject, overrides
from modular.rules.classes.super_call import super_call_index
from modular.source import fixes
from modular.source.code import Code, joined
from modular.source.diagnostics import Diagnostic, Problem
from modular.source.parts import Parts
from modular.source.places import place_of


def find(subject: Subject) -> Iterator[Diagnostic]:
    """Report methods of which the flattened class would hold the same, comments aside, without them."""
    for flat in subject.flattened:
        for key, parent, own in overrides(flat):
            if super_call_index(own.body.statements, own.name) is not None:
                continue
            result = [part.code for part in flat.parts if part.member == key]
            if _are_alike(result, [parent.code]) and joined(result, own.code.path).normal() == parent.code.normal():
                yield _diagnostic(flat, own, parent.header)


def _are_alike(one: list[Code], other: list[Code]) -> bool:
    """Whether the lines are the same if every string is a filler. They are compared up to the first that differs."""
    return all(here == there for here, there in zip_longest(_masked_lines(one), _masked_lines(other)))


def _masked_lines(codes: list[Code]) -> Iterator[str]:
    lines = (line.rstrip() for code in codes for line in code.mask.split("\n"))
    return (line for line in lines if line)


def _diagnostic(flat: Flattened, own: Parts, inherited: Code) -> Diagnostic:
    message = f"`{own.name}` is the same as in `{flat.parent.name}`, so `{flat.own.name}` has it without this"
    way_out = fixes.take_out(own.statement, f"Remove `{own.name}`", len(flat.own.body.statements) == 1)
    place = place_of(own.header)
    return Diagnostic(Problem.SAME_AS_INHERITED, place, message, "remove it", place_of(inherited), fixes=(way_out,))
