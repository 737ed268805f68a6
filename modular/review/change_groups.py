"""Changes by cause, as the start page shows them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modular.provenance.causes import Cause, Change
from modular.review.highlighting import highlighted
from modular.source.diagnostics import Place
from modular.source.diffs import Diff


LONGEST = 60
"""Lines of a change that the start page shows."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A generated file that differs."""

    path: str
    modular: str
    difference: Diff


def as_shown(
    found: Sequence[Cause], names: Mapping[str, str], link: Callable[[Place], str]
) -> Iterator[dict[str, Any]]:
    """Yield what the start page shows of each cause. ``names`` are those of the models by their modular files."""
    for cause in found:
        first = cause.changes[0]
        place = cause.place
        yield {
            "title": cause.title,
            "new": cause.added,
            "gone": cause.removed,
            "models": len(cause.models),
            "origin": "" if place is None else f"{place.path}:{place.line}",
            "href": "" if place is None else link(place),
            "lines": [_line(line) for line in first.lines[:LONGEST]],
            "more": max(0, len(first.lines) - LONGEST),
            "places": [_place(each, names, link) for each in cause.changes],
        }


def _line(line: str) -> dict[str, str]:
    """A line of a diff; `rows` and tests know the classes."""
    kind = "added" if line.startswith("+") else "removed"
    return {"kind": kind, "sign": "+" if kind == "added" else "−", "html": "".join(highlighted(line[1:]))}


def _place(change: Change, names: Mapping[str, str], link: Callable[[Place], str]) -> dict[str, str]:
    place = Place(change.path, max(1, change.line))
    return {"name": names[change.modular], "title": f"{place.path}:{place.line}", "href": link(place)}
