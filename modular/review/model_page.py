"""What the page of a model shows: its modular file, the generated ones, and how many lines are of which kind."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from modular.provenance.blame import Blame
from modular.review.rows import Rows
from modular.rules.drafts import Provenance
from modular.source.diffs import Diff


MEANINGS = {
    Provenance.OWN: ("o", "written in the modular file"),
    Provenance.INHERITED: ("i", "inherited from a parent, renamed"),
    Provenance.MERGED: ("m", "the parent's, in a body that replaces `super().method(...)`"),
    Provenance.NEEDED: ("d", "a dependency: something uses it"),
    Provenance.IMPORT: ("p", "an import"),
    Provenance.MADE: ("x", "added by the converter or the formatter"),
}
"""The class of the style sheet for each kind of line, and what it means."""


@dataclass(frozen=True)
class File:
    """A file on a page: its text, and how that differs from the text that it had.

    ``prefix`` is what the identifiers of its lines begin with, ``kinds`` the class of each line that has a kind, and
    ``problems`` are the diagnostics to show at their lines.
    """

    path: str
    prefix: str
    text: str
    changes: Diff
    kinds: Mapping[int, str] = field(default_factory=dict)
    problems: Sequence[Mapping[str, Any]] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n")

    def html(self) -> str:
        """Return its lines as HTML."""
        notes: dict[int, list[Mapping[str, Any]]] = {}
        for problem in self.problems:
            if problem["path"] == self.path:
                notes.setdefault(max(1, problem["line"]), []).append(problem)
        return Rows(self.prefix, self.text, self.changes, self.kinds, notes).html()


@dataclass(frozen=True, slots=True)
class Share:
    """How many lines are of a kind."""

    way: Provenance
    lines: int

    @property
    def name(self) -> str:
        """The kind in words."""
        return self.way.value

    @property
    def letter(self) -> str:
        """Its class in the style sheet."""
        return MEANINGS[self.way][0]

    @property
    def meaning(self) -> str:
        """What it means."""
        return MEANINGS[self.way][1]


def shares(blames: Iterable[Blame]) -> tuple[Share, ...]:
    """Return how many lines are of which kind, the kinds in their own order."""
    counts = Counter(line.kind for blame in blames for line in blame.lines)
    return tuple(Share(way, counts[way]) for way in Provenance if counts[way])


def parent_files(modular: str, blames: Iterable[Blame]) -> dict[str, int]:
    """Return the parent files that lines come from, and how many do; those that most come from are first."""
    counts = Counter(line.path for blame in blames for line in blame.lines if line.path not in (None, modular))
    return {str(path): lines for path, lines in sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))}


def digest(files: Iterable[File]) -> str:
    """Return something that differs when anything that a page shows of files does."""
    shown = [(file.path, file.text, file.changes.hunks) for file in files]
    return sha256(repr(shown).encode()).hexdigest()[:12]
