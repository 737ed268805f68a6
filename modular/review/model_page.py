"""What stands on the page of a model: its modular file, the generated ones, and where each of their lines comes from."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from modular.provenance.blame import Blame
from modular.review.rendering import line_prefix
from modular.review.rows import Rows
from modular.rules.drafts import Way
from modular.source.diffs import Diff, compare


MEANINGS = {
    Way.OWN: ("o", "written in the modular file"),
    Way.INHERITED: ("i", "inherited from a parent, renamed"),
    Way.MERGED: ("m", "the parent's, in a body that `super().method(...)` stands for"),
    Way.NEEDED: ("d", "a dependency: something uses it"),
    Way.IMPORT: ("p", "an import"),
    Way.MADE: ("x", "added by the converter or the formatter"),
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

    way: Way
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


@dataclass(frozen=True)
class ModelPage:
    """The page of a model. Build it with `model_page`."""

    name: str
    modular: File
    files: Sequence[File]
    blames: Sequence[Blame]
    problems: Sequence[Mapping[str, Any]]

    @property
    def generated_lines(self) -> int:
        """The lines of all generated files."""
        return sum(file.lines for file in self.files)

    @property
    def new(self) -> int:
        """Generated lines that are new."""
        return sum(file.changes.added for file in self.files)

    @property
    def gone(self) -> int:
        """Generated lines that are gone."""
        return sum(file.changes.removed for file in self.files)

    @cached_property
    def kinds(self) -> tuple[Share, ...]:
        """How many lines are of which kind, the kinds in their own order."""
        found = Counter(line.kind for blame in self.blames for line in blame.lines)
        return tuple(Share(way, found[way]) for way in Way if found[way])

    @cached_property
    def parents(self) -> tuple[tuple[str, int], ...]:
        """The parent files that lines come from, and how many do; those that most come from are first."""
        found = Counter(line.path for blame in self.blames for line in blame.lines if line.path is not None)
        del found[self.modular.path]
        return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def digest(self) -> str:
        """Something that differs when anything that the page shows of the files does."""
        files = [(file.path, file.text, file.changes.hunks) for file in (self.modular, *self.files)]
        return sha256(repr(files).encode()).hexdigest()[:12]


def model_page(
    name: str,
    modular: str,
    text: str,
    blames: Sequence[Blame],
    problems: Sequence[Mapping[str, Any]],
    old: Mapping[str, str] | None,
) -> ModelPage:
    """Put together the page of a model.

    ``text`` is that of its modular file, ``blames`` are the generated files. ``old`` are the texts that files had,
    by path (empty or not there: the file is new); None if nobody asks what has changed.
    """
    ordered = sorted(blames, key=lambda blame: (-len(blame.lines), blame.path))

    def file(path: str, text: str, kinds: Mapping[int, str]) -> File:
        before = text if old is None else old.get(path, "")
        return File(path, line_prefix(path, modular), text, compare(before, text), kinds, problems)

    used = {line.origin_line for blame in ordered for line in blame.lines if line.path == modular}
    files = [
        file(blame.path, blame.text, {line.line: MEANINGS[line.kind][0] for line in blame.lines}) for blame in ordered
    ]
    return ModelPage(name, file(modular, text, _own(used)), files, ordered, problems)


def _own(lines: Collection[int | None]) -> dict[int, str]:
    return {line: MEANINGS[Way.OWN][0] for line in lines if line is not None}
