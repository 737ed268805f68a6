"""Modular files that inherit from each other in a circle: none of them can be converted first."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from modular.source.diagnostics import Diagnostic, Place, Problem


def find(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a circle of models, each followed by the one that it takes from, from the first in the alphabet round to it."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]
        start = circle.index(min(circle))
        return [*circle[start:-1], *circle[:start], circle[start]]
    return []


def problem(circle: Sequence[str], place: Place) -> Diagnostic:
    """Report a circle at the place where one of its models imports from the next."""
    message = f"modular files inherit from each other in a circle: {' -> '.join(circle)}"
    return Diagnostic(Problem.CIRCLE, place, message, "let one of them inherit from a hand-written file")
