"""Modular files that inherit from each other in a cycle: none of them can be converted first."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from modular.source.diagnostics import Diagnostic, Place, Problem


def find_cycle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a cycle of models, each followed by the one that it takes from, from the first in the alphabet round to it."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][::-1]
        start = cycle.index(min(cycle))
        return [*cycle[start:-1], *cycle[:start], cycle[start]]
    return []


def cycle_problem(cycle: Sequence[str], place: Place) -> Diagnostic:
    """Report a cycle at the place where one of its models imports from the next."""
    message = f"modular files inherit from each other in a cycle: {' -> '.join(cycle)}"
    return Diagnostic(Problem.CIRCLE, place, message, "let one of them inherit from a hand-written file")
