"""A graph of models as text: to read, or for the programs that draw it. The same graph always gives the same text."""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import PurePosixPath

from modular.project.ancestry import Edge, Graph


def text(graph: Graph) -> str:
    """Return the graph to read: each model that takes something, and below it what from which file.

    Models of which only the name is known are written as well.
    """
    edges = {model: list(taken) for model, taken in groupby(graph.edges, lambda edge: edge.model)}
    parents = {edge.parent for edge in graph.edges}
    lines: list[str] = []
    for model in graph.names:
        if model in edges or model not in parents:
            lines.append(model)
            lines += (_taken(edge) for edge in edges.get(model, ()))
    return "".join(f"{line}\n" for line in lines)


def _taken(edge: Edge) -> str:
    return f"  {edge.parent} ({PurePosixPath(edge.path).stem}): {', '.join(edge.names)}"


def as_values(graph: Graph) -> dict[str, object]:
    """Return the graph as JSON values; a model written by hand has no modular file (null)."""
    models = [{"name": model.name, "modular": model.modular or None} for model in graph.models]
    return {"models": models, "edges": [edge._asdict() for edge in graph.edges]}


def mermaid(graph: Graph, with_names: bool = False, asked: str | None = None) -> str:
    """Return the graph as a Mermaid flowchart, with an arrow from each model to those that take from it.

    So parents are on the left, as on the pages of `modular review`. Models that are written by hand have round corners; the
    one that was ``asked`` for is marked.
    """
    # Mermaid takes hardly any character in a node's own name: nodes are numbered, and names are labels.
    numbers = {model.name: f"m{number}" for number, model in enumerate(graph.models, start=1)}
    lines = ["flowchart LR"]
    for model in graph.models:
        before, after = "[]" if model.modular else "()"
        lines.append(f"  {numbers[model.name]}{before}{_mermaid_quoted(model.name)}{after}")
    if asked is not None:
        lines.append(f"  style {numbers[asked]} stroke-width:4px")
    for parent, model_name, names in _arrows(graph):
        label = f"|{_mermaid_quoted('<br>'.join(names))}|" if with_names else ""
        lines.append(f"  {numbers[parent]} -->{label} {numbers[model_name]}")
    return "".join(f"{line}\n" for line in lines)


def dot(graph: Graph, with_names: bool = False, asked: str | None = None) -> str:
    """Return the graph in the language of Graphviz, with an arrow from each model to those that take from it.

    Models that are written by hand are ellipses, others boxes; the one that was ``asked`` for is marked.
    """
    lines = ["digraph models {", "  rankdir=LR;"]
    for model in graph.models:
        style = f"shape={'box' if model.modular else 'ellipse'}{', penwidth=3' if model.name == asked else ''}"
        lines.append(f"  {_dot_quoted(model.name)} [{style}];")
    for parent, model_name, names in _arrows(graph):
        label = f" [label={_dot_quoted(*names)}]" if with_names else ""
        lines.append(f"  {_dot_quoted(parent)} -> {_dot_quoted(model_name)}{label};")
    return "".join(f"{line}\n" for line in (*lines, "}"))


def _arrows(graph: Graph) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each parent and model once, with all names that the model takes from the parent."""
    for (model, parent), edges in groupby(graph.edges, lambda edge: (edge.model, edge.parent)):
        yield parent, model, tuple(sorted({name for edge in edges for name in edge.names}))


def _mermaid_quoted(label: str) -> str:
    return '"' + label.replace("#", "#35;").replace('"', "#quot;") + '"'


def _dot_quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'


MOST_OF_MERMAID = 500
"""Arrows that Mermaid draws at most, unless it is told otherwise."""

DRAWINGS: Mapping[str, Callable[[Graph, bool, str | None], str]] = {"mermaid": mermaid, "dot": dot}
"""The formats that say it only when they are asked to."""
