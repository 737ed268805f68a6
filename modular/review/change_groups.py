"""Changes by cause, as the start page shows them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modular.provenance.causes import Cause, Change, Traced, causes
from modular.review.highlighting import highlighted
from modular.source.diagnostics import Place


LONGEST = 60
"""Lines of a change that the start page shows."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A generated file that differs: its unified diff, what is known of its lines now, and the names of its model."""

    path: str
    modular: str
    diff: str
    traced: tuple[Traced, ...]
    names: tuple[str, ...]


class _Origins:
    """Tells `causes.causes` what is known of changed files."""

    def __init__(self, files: Sequence[ChangedFile]) -> None:
        self._files = {file.path: file for file in files}

    def traced(self, path: str) -> Sequence[Traced]:
        return self._files[path].traced

    def names(self, path: str) -> Sequence[str]:
        return self._files[path].names


def group(files: Sequence[ChangedFile]) -> tuple[Cause, ...]:
    """Return the changes of generated files, grouped by cause."""
    return causes(files, _Origins(files))


def as_shown(
    found: Sequence[Cause], names: Mapping[str, str], link: Callable[[Place], str]
) -> Iterator[dict[str, Any]]:
    """Yield what the start page shows of each cause. ``names`` are those of the models by their modular files."""
    for cause in found:
        first = cause.changes[0]
        spot = None if cause.spot is None else Place(cause.spot.path, cause.spot.line)
        yield {
            "title": cause.title,
            "new": cause.added,
            "gone": cause.removed,
            "models": len(cause.models),
            "origin": "" if spot is None else f"{spot.path}:{spot.line}",
            "href": "" if spot is None else link(spot),
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
