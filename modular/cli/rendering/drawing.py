"""A graph of models as text: to read, or for the programs that draw it. The same graph always gives the same text."""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import PurePosixPath

from modular.project.ancestry import Edge, Graph, Model


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

    So parents are on the left, as on the pages of `modular review`. Models that are written by hand have round corners; the one that was ``asked`` for is marked.
    """
    numbers = _numbers(graph)
    nodes = [f"  {numbers[model.name]}{_mermaid_box(model)}" for model in graph.models]
    nodes += [f"  style {numbers[asked]} stroke-width:4px"] if asked is not None else []
    arrows = []
    for model, parent, names in _arrows(graph):
        label = f"|{_mermaid_quoted('<br>'.join(names))}|" if with_names else ""
        arrows.append(f"  {numbers[parent]} -->{label} {numbers[model]}")
    return "".join(f"{line}\n" for line in ("flowchart LR", *nodes, *arrows))


def dot(graph: Graph, with_names: bool = False, asked: str | None = None) -> str:
    """Return the graph in the language of Graphviz, with an arrow from each model to those that take from it.

    Models that are written by hand are ellipses, others boxes; the one that was ``asked`` for is marked.
    """
    nodes = (f"  {_dot_quoted(model.name)} [{_dot_style(model, asked)}];" for model in graph.models)
    arrows = []
    for model, parent, names in _arrows(graph):
        label = f" [label={_dot_quoted(*names)}]" if with_names else ""
        arrows.append(f"  {_dot_quoted(parent)} -> {_dot_quoted(model)}{label};")
    return "".join(f"{line}\n" for line in ("digraph models {", "  rankdir=LR;", *nodes, *arrows, "}"))


def _arrows(graph: Graph) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each pair of models once, with all names that the one takes from the other."""
    for (model, parent), edges in groupby(graph.edges, _pair):
        yield model, parent, tuple(sorted({name for edge in edges for name in edge.names}))


def _pair(edge: Edge) -> tuple[str, str]:
    return edge.model, edge.parent


def _numbers(graph: Graph) -> dict[str, str]:
    """Mermaid takes hardly any character in a node's own name; so nodes are numbered, and names are labels."""
    return {model.name: f"m{number}" for number, model in enumerate(graph.models, start=1)}


def _mermaid_box(model: Model) -> str:
    return f"[{_mermaid_quoted(model.name)}]" if model.modular else f"({_mermaid_quoted(model.name)})"


def _dot_style(model: Model, asked: str | None) -> str:
    return ("shape=box" if model.modular else "shape=ellipse") + (", penwidth=3" if model.name == asked else "")


def _mermaid_quoted(label: str) -> str:
    return '"' + label.replace("#", "#35;").replace('"', "#quot;") + '"'


def _dot_quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'


MOST_OF_MERMAID = 500
"""Arrows that Mermaid draws at most, unless it is told otherwise."""

DRAWINGS: Mapping[str, Callable[[Graph, bool, str | None], str]] = {"mermaid": mermaid, "dot": dot}
"""The formats that say it only when they are asked to."""
