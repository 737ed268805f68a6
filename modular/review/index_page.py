"""What is on the start page: what is wrong, changes by cause, and the models; and the list of models for all pages."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from modular.project.ancestry import Graph
from modular.provenance.causes import Cause, Change
from modular.review import rendering
from modular.review.rendering import visible
from modular.rules.drafts import Provenance
from modular.source.diagnostics import Place


INDEX = "index.html"
"""The path of the start page."""

CATALOGUE = "models.js"
"""The path of the list of models that the scripts of all pages read."""

_LONGEST = 60
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
    def href(self) -> str:
        """The link from the start page to its page."""
        return rendering.link(INDEX, self.page)

    @property
    def ratio(self) -> float:
        """How many lines are generated for each of modular code, to one decimal place."""
        return round(self.generated_lines / self.modular_lines, 1) if self.modular_lines else 0.0

    @property
    def bars(self) -> Iterator[tuple[Provenance, int, float, float]]:
        """The kinds, each with how many lines it has, where its bar begins and how wide that is, in percent."""
        start, total = 0, sum(self.kinds.values())
        for kind, lines in self.kinds.items():
            yield kind, lines, round(100 * start / total, 2), round(100 * lines / total, 2)
            start += lines


def index_values(summaries: Sequence[Summary], problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the start page says of models and of what is wrong."""
    return {
        "models": sorted(summaries, key=lambda model: (-model.errors, -(model.new + model.gone), model.name)),
        "errors": _grouped([problem for problem in problems if problem["severity"] == "error"]),
        "warnings": _grouped([problem for problem in problems if problem["severity"] != "error"]),
    }


def _grouped(problems: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[Mapping[str, Any]]]]:
    """Problems by their code."""
    ordered = sorted(problems, key=lambda problem: str(problem["code"]))
    groups = groupby(ordered, lambda problem: (problem["code"], problem["title"]))
    return [(code, title, list(group)) for (code, title), group in groups]


def as_shown(
    causes: Sequence[Cause], names: Mapping[str, str], link: Callable[[Place], str]
) -> Iterator[dict[str, Any]]:
    """Yield what the start page shows of each cause. ``names`` are those of the models by their modular files."""
    for cause in causes:
        first = cause.changes[0]
        place = cause.place
        yield {
            "title": cause.title,
            "new": cause.added,
            "gone": cause.removed,
            "models": len(cause.models),
            "origin": "" if place is None else f"{place.path}:{place.line}",
            "href": "" if place is None else link(place),
            "lines": [_line(line) for line in first.lines[:_LONGEST]],
            "more": max(0, len(first.lines) - _LONGEST),
            "places": list(_places(cause.changes, names, link)),
        }


def _line(line: str) -> dict[str, str]:
    """A line of a diff; the style sheet knows the classes."""
    kind = "new" if line.startswith("+") else "gone"
    return {"kind": kind, "sign": "+" if kind == "new" else "−", "text": visible(line[1:])}


def _places(
    changes: Sequence[Change], names: Mapping[str, str], link: Callable[[Place], str]
) -> Iterator[dict[str, Any]]:
    """Each model once, with the first of its places."""
    by_model: dict[str, list[Place]] = {}
    for change in changes:
        by_model.setdefault(change.modular, []).append(Place(change.path, max(1, change.line)))
    for modular, places in by_model.items():
        shown = [f"{place.path}:{place.line}" for place in places]
        yield {"name": names[modular], "count": len(places), "title": ", ".join(shown), "href": link(places[0])}


def catalogue(project: str, graph: Graph, summaries: Sequence[Summary], link: Callable[[str], str]) -> str:
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
            href, digest, state = rendering.link(INDEX, page.page), page.digest, _state(page)
        else:
            href, digest, state = link(files[name]) if name in files else "", "", "" if modulars[name] else "hand"
        models.append({"name": name, "href": href, "digest": digest, "state": state})
    edges = sorted({(edge.parent, edge.model) for edge in graph.edges if edge.parent != edge.model})
    text = json.dumps({"project": project, "models": models, "edges": edges}, separators=(",", ":"))
    return f'"use strict";\nconst CATALOGUE = {text};\n'


def _state(page: Summary) -> str:
    if page.errors:
        return "broken"
    return "changed" if page.new or page.gone else ""
