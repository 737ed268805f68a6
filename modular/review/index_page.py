"""What is on the start page: what is wrong, changes by cause, and the models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from modular.provenance.causes import Change
from modular.review import rendering
from modular.review.model_page import Share
from modular.rules.drafts import Provenance


INDEX = "index.html"
"""The path of the start page."""


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
    kinds: tuple[Share, ...]
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
    def shares(self) -> str:
        """How many of its generated lines are of which kind, in words."""
        return ", ".join(f"{share.name} {share.lines}" for share in self.kinds)

    @property
    def bars(self) -> Iterator[tuple[Share, float, float]]:
        """The kinds, each with where its bar begins and how wide that is, in percent."""
        start, total = 0, sum(share.lines for share in self.kinds)
        for share in self.kinds:
            yield share, round(100 * start / total, 2), round(100 * share.lines / total, 2)
            start += share.lines


def index_values(summaries: Sequence[Summary], problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the start page says of models and of what is wrong."""
    return {
        "models": sorted(summaries, key=lambda model: (-model.errors, -(model.new + model.gone), model.name)),
        "errors": _grouped([problem for problem in problems if problem["severity"] == "error"]),
        "warnings": _grouped([problem for problem in problems if problem["severity"] != "error"]),
        "legend": [Share(way, 0) for way in Provenance],
    }


def _grouped(problems: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[Mapping[str, Any]]]]:
    """Problems by their code."""
    ordered = sorted(problems, key=lambda problem: str(problem["code"]))
    groups = groupby(ordered, lambda problem: (problem["code"], problem["title"]))
    return [(code, title, list(group)) for (code, title), group in groups]
