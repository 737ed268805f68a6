"""A graph of models as text: to read, or for the programs that draw it. The same graph always gives the same text."""

from itertools import groupby
from pathlib import PurePosixPath

from modular.cli.rendering import render
from modular.project.ancestry import Graph


def text(graph: Graph) -> str:
    """Return the graph to read: each model that takes something, and below it what from which file.

    Models of which only the name is known are written as well.
    """
    edges = {
        model: list(taken)
        for model, taken in groupby(graph.edges, lambda edge: edge.model)
    }
    parents = {edge.parent for edge in graph.edges}
    lines: list[str] = []
    for model in graph.names:
        if model in edges or model not in parents:
            lines.append(model)
            for edge in edges.get(model, ()):
                lines.append(
                    f"  {edge.parent} ({PurePosixPath(edge.path).stem}): {', '.join(edge.names)}"
                )
    return "".join(f"{line}\n" for line in lines)


def as_values(graph: Graph) -> dict[str, object]:
    """Return the graph as JSON values; a model written by hand has no modular file (null)."""
    models = [
        {"name": model.name, "modular": model.modular or None} for model in graph.models
    ]
    return {"models": models, "edges": [edge._asdict() for edge in graph.edges]}


def draw(
    language: str, graph: Graph, with_names: bool = False, asked: str | None = None
) -> str:
    """Return the graph in one of the `LANGUAGES`, with an arrow from each model to those that take from it.

    Models that are written by hand have round corners; the one that was ``asked`` for is marked. In Mermaid parents are on
    the left, as on the pages of `modular review`.
    """
    arrows: dict[tuple[str, str], set[str]] = {}
    for edge in graph.edges:
        arrows.setdefault((edge.parent, edge.model), set()).update(edge.names)
    return render(
        f"graph.{language}",
        models=graph.models,
        # Mermaid takes hardly any character in a node's own name: nodes are numbered, and names are labels.
        numbers={
            name: f"m{number}" for number, name in enumerate(graph.names, start=1)
        },
        arrows={ends: sorted(names) for ends, names in arrows.items()},
        with_names=with_names,
        asked=asked,
    )


MOST_OF_MERMAID = 500
"""Arrows that Mermaid draws at most, unless it is told otherwise."""

LANGUAGES = ("mermaid", "dot")
"""The languages of programs that draw: Mermaid's, and that of Graphviz."""
