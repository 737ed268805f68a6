"""Prepares the start page and the catalogue of models that all pages load."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from modular.effects.causes import Variant
from modular.effects.changes import Change
from modular.review import rendering
from modular.review.symbols import FileSymbols
from modular.rules.files.drafts import Provenance
from modular.semantics.model_graph import Graph
from modular.source.diagnostics import Place
from modular.source.walking import walk


INDEX = "index.html"
"""Path of the start page."""

CATALOGUE = "models.js"
"""Path of the catalogue."""

MAX_SHOWN_LINES = 60
"""Number of lines of a change that the start page shows."""


class Bar(NamedTuple):
    """A part of a bar chart: its lines, and its start and width in percent."""

    kind: Provenance
    lines: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A model on the start page.

    Attributes:
        name: Shown name of the model.
        page: Path of its page.
        digest: Digest of what its page shows.
        modular_lines: Number of lines of its modular file.
        generated_lines: Number of lines of its generated files.
        modular_new: Number of added lines of the modular file.
        modular_gone: Number of removed lines of the modular file.
        new: Number of added generated lines.
        gone: Number of removed generated lines.
        kinds: Number of generated lines of each provenance.
        sources: Paths of the files that generated lines come from.
        errors: Number of errors.
        warnings: Number of warnings.
        changes: Changes of its generated files.
        symbols: Classes and functions of its generated files, or without any of its
            modular file.
    """

    name: str
    page: str
    digest: str
    modular_lines: int
    generated_lines: int
    modular_new: int
    modular_gone: int
    new: int
    gone: int
    kinds: Mapping[Provenance, int]
    sources: tuple[str, ...]
    errors: int
    warnings: int
    changes: tuple[Change, ...]
    symbols: tuple[FileSymbols, ...]

    @property
    def ratio(self) -> float:
        """The number of generated lines for each modular line, to one decimal place."""
        if not self.modular_lines:
            return 0.0
        return round(self.generated_lines / self.modular_lines, 1)

    @property
    def bars(self) -> Iterator[Bar]:
        """A bar for each provenance of the generated lines, each beside the last."""
        total = sum(self.kinds.values())
        start = 0
        for kind, lines in self.kinds.items():
            start_percent = round(100 * start / total, 2)
            width_percent = round(100 * lines / total, 2)
            yield Bar(kind, lines, start_percent, width_percent)
            start += lines


def places_by_model(
    names: Mapping[str, str], variant: Variant
) -> dict[str, list[Place]]:
    """Return the places of changes with the same lines, by the name of their model.

    The start page shows such changes once, with links to the places in all models.

    Args:
        names: Shown names of models by modular file.
        variant: The changes with the same lines.
    """
    places: dict[str, list[Place]] = {}
    for change in variant.changes:
        place = Place(change.path, max(1, change.line))
        places.setdefault(names[change.modular], []).append(place)
    return places


def find_models_between(
    graph: Graph, edited: AbstractSet[str], changed: AbstractSet[str]
) -> set[str]:
    """Return the changed models, and the models on the way to them from edited models.

    If `llama` is edited and `olmo2` changes, then `olmo` is between them if it inherits
    from `llama`, and `olmo2` inherits from `olmo`. The result has all three.

    Args:
        graph: The models and their parents.
        edited: Names of the models whose hand-written files changed.
        changed: Names of the models whose generated files changed.
    """
    parents: dict[str, set[str]] = {}
    children: dict[str, set[str]] = {}
    for edge in graph.edges:
        parents.setdefault(edge.model, set()).add(edge.parent)
        children.setdefault(edge.parent, set()).add(edge.model)
    above_changed = set(walk(changed, lambda name: parents.get(name, ())))
    below_edited = set(walk(edited, lambda name: children.get(name, ())))
    return (above_changed & below_edited) | changed


def catalogue(
    project: str,
    graph: Graph,
    summaries: Sequence[Summary],
    link_to_file: Callable[[str], str],
    changed_paths: AbstractSet[str] | None,
) -> str:
    """Return a script with the list of all models, and which inherits from which.

    The pages load it for their search and their graph of models.

    Args:
        project: Name of the project.
        graph: Graph of the models.
        summaries: The models that have pages.
        link_to_file: Returns the link from the start page to a file, or nothing.
        changed_paths: Paths of the files that changed; None without a comparison. With
            them, only the changed models and those that lead to them are drawn.
    """
    summary_by_name = {summary.name: summary for summary in summaries}
    modular_by_name = dict(graph.models)
    parent_files: dict[str, str] = {}
    for edge in graph.edges:
        parent_files.setdefault(edge.parent, edge.path)

    all_names = {*graph.names, *summary_by_name}
    edited_names = _edited_models(graph, changed_paths or set())
    drawn_names = all_names
    if changed_paths is not None:
        changed_names = set(summary_by_name)
        drawn_names = find_models_between(graph, edited_names, changed_names)

    models: list[dict[str, Any]] = []
    for name in sorted(all_names):
        summary = summary_by_name.get(name)
        href = digest = ""
        if summary is not None:
            href = rendering.link(INDEX, summary.page)
            digest = summary.digest
        elif name in parent_files:
            href = link_to_file(parent_files[name])
        models.append(
            {
                "name": name,
                "href": href,
                "digest": digest,
                "state": _state(summary, modular_by_name.get(name)),
                "isEdited": name in edited_names,
                "isDrawn": name in drawn_names,
            }
        )

    edges = set()
    for edge in graph.edges:
        if edge.parent != edge.model:
            edges.add((edge.parent, edge.model))
    values = {"project": project, "models": models, "edges": sorted(edges)}
    text = json.dumps(values, separators=(",", ":"))
    return f'"use strict";\nconst CATALOGUE = {text};\n'


def _state(summary: Summary | None, modular: str | None) -> str:
    """Return the state of a model: `broken`, `changed`, `hand` (hand-written) or empty.

    Args:
        summary: What the start page shows of the model; None if the model has no page.
        modular: The path of its modular file, if it has one.
    """
    if summary is None:
        return "" if modular else "hand"
    if summary.errors:
        return "broken"
    return "changed" if summary.new or summary.gone else ""


def _edited_models(graph: Graph, changed_paths: AbstractSet[str]) -> set[str]:
    """Return the names of the models whose hand-written files changed."""
    edited = set()
    for model in graph.models:
        if model.modular in changed_paths:
            edited.add(model.name)
    generated_models = {model.name for model in graph.models if model.modular}
    for edge in graph.edges:
        # A generated file changes because another file was edited.
        is_hand_written = edge.parent not in generated_models
        if edge.path in changed_paths and is_hand_written:
            edited.add(edge.parent)
    return edited
