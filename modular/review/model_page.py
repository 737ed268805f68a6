"""What stands on the page of a model: its modular file, the generated ones, and where each of their lines comes from."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from modular.provenance.blame import Blame
from modular.review.differences import Difference, difference
from modular.review.line_origins import OriginFile, origins, sources_of
from modular.review.rows import rows
from modular.rules.drafts import Way
from modular.source.diagnostics import Diagnostic


MEANINGS = {
    Way.OWN: ("o", "written in the modular file"),
    Way.INHERITED: ("i", "inherited from a parent, renamed"),
    Way.MERGED: ("m", "the parent's, in a body that is put together"),
    Way.NEEDED: ("d", "pulled in because something uses it"),
    Way.IMPORT: ("p", "an import"),
    Way.MADE: ("x", "made by the converter or the formatter"),
}
"""The class of the style sheet for each way in which a line came in, and what it means."""


@dataclass(frozen=True, slots=True)
class File:
    """A file on the page: its text, and the text that it had."""

    path: str
    text: str
    old: str
    changes: Difference
    html: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n")

    @property
    def columns(self) -> int:
        """How long its longest line is."""
        return longest(self.text)


def longest(text: str) -> int:
    """Return how long the longest line of a text is."""
    return max(map(len, text.split("\n")))


@dataclass(frozen=True, slots=True)
class Share:
    """How many lines came in in a way."""

    way: Way
    lines: int

    @property
    def name(self) -> str:
        """The way in words."""
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
    diagnostics: Sequence[Diagnostic]

    @property
    def generated_lines(self) -> int:
        """The lines of all generated files."""
        return sum(file.lines for file in self.files)

    @property
    def new(self) -> int:
        """Generated lines that are new."""
        return sum(len(file.changes.new) for file in self.files)

    @property
    def gone(self) -> int:
        """Generated lines that are gone."""
        return sum(file.changes.gone_lines for file in self.files)

    @cached_property
    def sources(self) -> tuple[OriginFile, ...]:
        """The modular file first, then those that most lines come from."""
        return sources_of(self.modular.path, self.blames)

    @cached_property
    def kinds(self) -> tuple[Share, ...]:
        """How many lines came in in which way, the ways in their own order."""
        found = Counter(line.kind for blame in self.blames for line in blame.lines)
        return tuple(Share(way, found[way]) for way in Way if found[way])

    def origins(self, links: Mapping[str, str]) -> str:
        """Return what the page's script reads, as JSON that can stand in a page. ``links`` are the pages of sources."""
        return origins(self.modular.path, self.modular.text, self.blames, self.sources, links)


def model_page(
    name: str,
    modular: str,
    text: str,
    blames: Mapping[str, Blame],
    diagnostics: Sequence[Diagnostic],
    old: Mapping[str, str] | None,
) -> ModelPage:
    """Put together the page of a model.

    ``text`` is that of its modular file, ``blames`` has each generated file by path. ``old`` are the texts that files had,
    by path (empty or not there: the file is new); None if nobody asks what has changed.
    """
    ordered = sorted(blames.values(), key=lambda blame: (-len(blame.lines), blame.path))
    colours = {source.path: source.colour for source in sources_of(modular, ordered)}
    files = [_generated(blame, colours, _before(old, blame.path, blame.text)) for blame in ordered]
    used = {line.origin_line for blame in ordered for line in blame.lines if line.path == modular}
    return ModelPage(name, _written(modular, text, _before(old, modular, text), used), files, ordered, diagnostics)


def _before(old: Mapping[str, str] | None, path: str, text: str) -> str:
    return text if old is None else old.get(path, "")


def _written(path: str, text: str, old: str, used: Collection[int | None]) -> File:
    """The modular file; only lines that something comes from have its colour."""
    changes = difference(old, text)
    html = rows(PurePosixPath(path).name, text, old, changes, lambda number: "s0" if number in used else "")
    return File(path, text, old, changes, html)


def _generated(blame: Blame, colours: Mapping[str, int], old: str) -> File:
    def classes(number: int) -> str:
        line = blame.lines[number - 1]
        letter = MEANINGS[line.kind][0]
        return letter if line.path is None else f"{letter} s{colours[line.path]}"

    changes = difference(old, blame.text)
    html = rows(PurePosixPath(blame.path).name, blame.text, old, changes, classes)
    return File(blame.path, blame.text, old, changes, html)
