"""Changes by cause, as the start page shows them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from modular.provenance.causes import Cause, Change
from modular.review.visible_text import visible
from modular.source.diagnostics import Place


_LONGEST = 60
"""Lines of a change that the start page shows."""


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
