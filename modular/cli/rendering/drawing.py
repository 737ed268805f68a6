"""Renders a graph of models as text or as JSON values."""

from pathlib import PurePosixPath

from modular.cli.rendering.terminal import fold
from modular.semantics.model_graph import Edge, Graph


def text(graph: Graph, columns: int | None = None) -> str:
    """Return the graph as text: each model, and below it the names that it imports.

        gemma
          llama (modeling_llama): LlamaMLP, LlamaModel

    Args:
        graph: The graph.
        columns: The width to which lines are wrapped; None: they are not.
    """
    edges_by_model: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        edges_by_model.setdefault(edge.model, []).append(edge)
    parents = {edge.parent for edge in graph.edges}

    lines = []
    for model in graph.names:
        edges = edges_by_model.get(model, [])
        # A model that is only a parent is named in the lines of its children.
        if edges or model not in parents:
            lines.append(f"{model}\n")
        for edge in edges:
            module = PurePosixPath(edge.path).stem
            line = f"  {edge.parent} ({module}): {', '.join(edge.names)}"
            for folded in fold(line, columns, indent=" " * 4):
                lines.append(f"{folded}\n")
    return "".join(lines)


def as_values(graph: Graph) -> dict[str, object]:
    """Return the graph as JSON values; `modular` is null for hand-written models."""
    models = []
    for model in graph.models:
        models.append({"name": model.name, "modular": model.modular or None})
    return {"models": models, "edges": [edge._asdict() for edge in graph.edges]}
