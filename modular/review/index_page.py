"""What is on the start page: what is wrong, changes by cause, and the models; and the list of models for all pages."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modular.effects.causes import Cause, Change
from modular.project.ancestry import Graph
from modular.review import rendering
from modular.rules.files.drafts import Provenance
from modular.source.diagnostics import Place


INDEX = "index.html"
"""The path of the start page."""

CATALOGUE = "models.js"
"""The path of the list of models that the scripts of all pages read."""

LONGEST = 60
"""Lines of a change that the start page shows."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the start page says of a model.

    ``page`` is the path of its own page, ``digest`` differs when that shows something else. ``sources`` are the files that
    its lines come from, ``changed`` is what changes in its generated files.
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
    changed: tuple[Change, ...]

    @property
    def ratio(self) -> float:
        """How many lines are generated for each of modular code, to one decimal place."""
        return (
            round(self.generated_lines / self.modular_lines, 1)
            if self.modular_lines
            else 0.0
        )

    @property
    def bars(self) -> Iterator[tuple[Provenance, int, float, float]]:
        """The kinds, each with how many lines it has, where its bar begins and how wide that is, in percent."""
        start, total = 0, sum(self.kinds.values())
        for kind, lines in self.kinds.items():
            yield (
                kind,
                lines,
                round(100 * start / total, 2),
                round(100 * lines / total, 2),
            )
            start += lines


def models_of(names: Mapping[str, str], cause: Cause) -> dict[str, list[Place]]:
    """Return each model that a cause changes once, with its places. ``names`` are those of models by their modular files."""
    models: dict[str, list[Place]] = {}
    for change in cause.changes:
        models.setdefault(names[change.modular], []).append(
            Place(change.path, max(1, change.line))
        )
    return models


def catalogue(
    project: str, graph: Graph, summaries: Sequence[Summary], link: Callable[[str], str]
) -> str:
    """Return the list as a script: the models with their links and states, and who takes from whom.

    ``link`` gives the link from the folder of the pages to a parent file, or nothing.
    """
    pages = {summary.name: summary for summary in summaries}
    files = {edge.parent: edge.path for edge in reversed(graph.edges)}
    modulars = dict(graph.models)
    models: list[dict[str, Any]] = []
    for name in sorted({*graph.names, *pages}):
        page = pages.get(name)
        if page is not None:
            state = (
                "broken" if page.errors else "changed" if page.new or page.gone else ""
            )
            href, digest = rendering.link(INDEX, page.page), page.digest
        else:
            href, digest, state = (
                link(files[name]) if name in files else "",
                "",
                "" if modulars[name] else "hand",
            )
        models.append({"name": name, "href": href, "digest": digest, "state": state})
    edges = sorted(
        {(edge.parent, edge.model) for edge in graph.edges if edge.parent != edge.model}
    )
    text = json.dumps(
        {"project": project, "models": models, "edges": edges}, separators=(",", ":")
    )
    return f'"use strict";\nconst CATALOGUE = {text};\n'
