"""What stands on the start page: what is wrong, changes by cause, and the models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from modular.provenance.causes import Change
from modular.review import rendering
from modular.review.model_page import ModelPage, Share
from modular.rules.drafts import Way


INDEX = "index.html"
"""The path of the start page."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the start page says of a model.

    ``page`` is the path of its own page, ``digest`` differs when that shows something else. ``sources`` are the files that
    its lines come from, ``changed`` is what changes in its generated files.
    """

    name: str
    modular: str
    page: str
    digest: str
    modular_lines: int
    generated_lines: int
    modular_new: int
    modular_gone: int
    new: int
    gone: int
    kinds: tuple[Share, ...]
    sources: tuple[str, ...]
    errors: int
    warnings: int
    changed: tuple[Change, ...]


def summary(page: ModelPage, path: str, sources: tuple[str, ...], changed: tuple[Change, ...]) -> Summary:
    """Return what the start page says of a model."""
    changes = page.modular.changes
    errors = sum(problem["severity"] == "error" for problem in page.problems)
    return Summary(
        page.name,
        page.modular.path,
        path,
        page.digest,
        page.modular.lines,
        page.generated_lines,
        changes.added,
        changes.removed,
        page.new,
        page.gone,
        page.kinds,
        sources,
        errors,
        len(page.problems) - errors,
        changed,
    )


def index_values(
    summaries: Sequence[Summary], problems: Sequence[Mapping[str, Any]], parents: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return what the start page says of models and of what is wrong. ``parents`` has links to each model's, by names."""
    ordered = sorted(summaries, key=lambda each: (-each.errors, -(each.new + each.gone), each.name))
    return {
        "models": [_row(each, parents.get(each.name, {})) for each in ordered],
        "errors": _grouped([problem for problem in problems if problem["severity"] == "error"]),
        "warnings": _grouped([problem for problem in problems if problem["severity"] != "error"]),
        "legend": [Share(way, 0) for way in Way],
    }


def _row(each: Summary, parents: Mapping[str, str]) -> dict[str, Any]:
    total = sum(share.lines for share in each.kinds) or 1
    bars, start = [], 0.0
    for share in each.kinds:
        width = round(100 * share.lines / total, 2)
        bars.append({"letter": share.letter, "lines": share.lines, "x": round(start, 2), "width": width})
        start += width
    return {
        "name": each.name,
        "href": rendering.link(INDEX, each.page),
        "modular_lines": each.modular_lines,
        "generated_lines": each.generated_lines,
        "ratio": round(each.generated_lines / each.modular_lines, 1) if each.modular_lines else 0,
        "modular_new": each.modular_new,
        "modular_gone": each.modular_gone,
        "new": each.new,
        "gone": each.gone,
        "errors": each.errors,
        "warnings": each.warnings,
        "bars": bars,
        "shares": ", ".join(f"{share.name} {share.lines}" for share in each.kinds),
        "parents": parents,
    }


def _grouped(problems: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[Mapping[str, Any]]]]:
    """Problems by their code."""
    ordered = sorted(problems, key=lambda problem: str(problem["code"]))
    groups = groupby(ordered, lambda problem: (problem["code"], problem["title"]))
    return [(code, title, list(found)) for (code, title), found in groups]
