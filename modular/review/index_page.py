"""What stands on the start page: models, changes by cause, what is wrong, and the drawing of who inherits from whom."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from modular.project.ancestry import Graph
from modular.provenance.causes import Change
from modular.review import rendering
from modular.review.inheritance import Box, draw
from modular.review.model_page import ModelPage, Share
from modular.rules.drafts import Way


INDEX = "index.html"
"""The path of the start page."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the start page says of a model; ``page`` is the path of its own page, ``parents`` are the files it takes from,
    ``changed`` those of its generated files that differ."""

    name: str
    modular: str
    page: str
    modular_lines: int
    generated_lines: int
    modular_new: int
    modular_gone: int
    new: int
    gone: int
    kinds: tuple[Share, ...]
    parents: tuple[str, ...]
    problems: int
    changed: tuple[Change, ...]


def summary(page: ModelPage, path: str, changed: tuple[Change, ...]) -> Summary:
    """Return what the start page says of a model."""
    changes = page.modular.changes
    return Summary(
        page.name,
        page.modular.path,
        path,
        page.modular.lines,
        page.generated_lines,
        len(changes.new),
        changes.gone_lines,
        page.new,
        page.gone,
        page.kinds,
        tuple(source.path for source in page.sources[1:]),
        len(page.diagnostics),
        changed,
    )


def index_page(
    project: str,
    since: str,
    summaries: Sequence[Summary],
    left_out: int,
    problems: Sequence[Mapping[str, str]],
    causes: Sequence[Mapping[str, Any]],
    graph: Graph,
) -> str:
    """Return the start page."""
    ordered = sorted(summaries, key=lambda each: (-(each.new + each.gone), each.name))
    drawing = draw(graph)
    return rendering.render(
        "index.html",
        INDEX,
        project=project,
        since=since,
        models=[_row(each) for each in ordered],
        left_out=left_out,
        modular_lines=sum(each.modular_lines for each in summaries),
        generated_lines=sum(each.generated_lines for each in summaries),
        problems=problems,
        problem_groups=_grouped(problems),
        causes=causes,
        legend=[Share(way, 0) for way in Way],
        drawing=drawing,
        nodes=list(_nodes(drawing.boxes, graph, summaries)),
    )


def _row(each: Summary) -> dict[str, Any]:
    total = sum(share.lines for share in each.kinds) or 1
    bars, start = [], 0.0
    for share in each.kinds:
        width = round(100 * share.lines / total, 2)
        bars.append({"letter": share.letter, "x": round(start, 2), "width": width})
        start += width
    parents = Counter(PurePosixPath(path).parent.name for path in each.parents)
    return {
        "name": each.name,
        "href": rendering.link(INDEX, each.page),
        "modular_lines": each.modular_lines,
        "generated_lines": each.generated_lines,
        "modular_new": each.modular_new,
        "modular_gone": each.modular_gone,
        "new": each.new,
        "gone": each.gone,
        "problems": each.problems,
        "bars": bars,
        "shares": ", ".join(f"{share.name} {share.lines}" for share in each.kinds),
        "parents": ", ".join(parents),
    }


def _grouped(problems: Sequence[Mapping[str, str]]) -> list[tuple[str, str, list[Mapping[str, str]]]]:
    """Problems by their code, errors first."""
    ordered = sorted(problems, key=lambda each: (each["severity"], each["code"]))
    groups = groupby(ordered, lambda each: (each["code"], each["title"]))
    return [(code, title, list(found)) for (code, title), found in groups]


def _nodes(boxes: Sequence[Box], graph: Graph, summaries: Sequence[Summary]) -> Iterator[dict[str, Any]]:
    pages = {each.modular: each for each in summaries}
    sources = {path for each in summaries for path in each.parents}
    by_hand = {edge.parent: edge.path for edge in reversed(graph.edges) if edge.path in sources}
    modulars = {model.name: model.modular for model in graph.models}
    takes: dict[str, set[str]] = {}
    for edge in graph.edges:
        takes.setdefault(edge.model, set()).add(edge.parent)
    for box in boxes:
        modular = modulars[box.name]
        each = pages.get(modular)
        href = rendering.link(INDEX, each.page) if each is not None else ""
        if not href and box.name in by_hand:
            href = rendering.link(INDEX, rendering.source_path(by_hand[box.name]))
        yield {"box": box, "kind": _kind(modular, each), "href": href, "label": _label(box.name, takes.get(box.name))}


def _kind(modular: str, each: Summary | None) -> str:
    if not modular:
        return "hand"
    if each is None:
        return "other"
    return "changed" if each.new or each.gone else "model"


def _label(name: str, parents: set[str] | None) -> str:
    return f"{name}, takes from {', '.join(sorted(parents))}" if parents else f"{name}, written by hand"
