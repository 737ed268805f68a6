"""Renders a graph of models as text, as JSON values, or as a Mermaid diagram."""

from pathlib import PurePosixPath

from modular.cli.rendering.templates import render
from modular.semantics.model_graph import Edge, Graph
from modular.system.printable import fold


MAX_MERMAID_EDGES = 500
"""Number of edges that Mermaid draws by default (`maxEdges`)."""


def text(graph: Graph, columns: int) -> str:
    """Return the graph as text: each model, and below it the names that it imports.

        gemma
          llama (modeling_llama): LlamaMLP, LlamaModel

    Args:
        graph: The graph.
        columns: The width to which lines are wrapped.
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


def draw(graph: Graph, emphasized: str | None = None) -> str:
    """Return the graph as a Mermaid diagram.

    Edges point from parents to children. Hand-written models have round corners.

    Args:
        graph: The graph.
        emphasized: The name of the model to emphasize, if any.
    """
    # A model may have several edges from a parent: one for each of its files.
    arrows = dict.fromkeys((edge.parent, edge.model) for edge in graph.edges)

    # Mermaid allows few characters in identifiers, so names are only labels.
    numbers = {}
    for number, name in enumerate(graph.names, start=1):
        numbers[name] = f"m{number}"
    return render(
        "graph.mermaid",
        models=graph.models,
        numbers=numbers,
        arrows=arrows,
        emphasized=emphasized,
    )
