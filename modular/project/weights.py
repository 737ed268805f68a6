"""How much of a library rests on each parent: the models that inherit from it, directly or not."""

from collections.abc import Mapping
from typing import NamedTuple

from modular.project.ancestry import Graph


class Weight(NamedTuple):
    """A model that others inherit from: how many do so directly, how many in all, and the generated lines of all these."""

    model: str
    direct: int
    models: int
    lines: int


def weights(graph: Graph, lines: Mapping[str, int]) -> tuple[Weight, ...]:
    """Return what rests on each model, the heaviest first. ``lines`` are the generated lines of modular files, by path."""
    of_model = {model.name: lines.get(model.modular, 0) for model in graph.models}
    parents = sorted({edge.parent for edge in graph.edges})
    weighed = (_weight(graph, parent, of_model) for parent in parents)
    return tuple(sorted(weighed, key=lambda weight: (-weight.lines, -weight.models, weight.model)))


def _weight(graph: Graph, parent: str, lines: Mapping[str, int]) -> Weight:
    direct = {edge.model for edge in graph.edges if edge.parent == parent}
    resting = set(graph.descendants(parent).names) - {parent}
    return Weight(parent, len(direct), len(resting), sum(lines.get(model, 0) for model in resting))
