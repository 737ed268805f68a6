"""What stands on the page of a model: its modular file, the generated ones, and where each of their lines comes from."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from modular.rules.drafts import Way
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Diagnostic
from modular.source.module import Module
from modular.traceback.blame import Blame, BlamedLine
from modular.traceback.review.differences import Difference, difference
from modular.traceback.review.rows import rows


_COLOURS = 8
"""Colours of parent files; where there are more parents they begin again."""

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
class Source:
    """A file that generated lines come from, how many do, and the first of its lines that one comes from."""

    path: str
    lines: int
    first: int
    number: int

    @property
    def label(self) -> str:
        """The file's name."""
        return PurePosixPath(self.path).name

    @property
    def colour(self) -> int:
        """Which colour it has: the modular file has the first."""
        return (self.number - 1) % _COLOURS + 1 if self.number else 0


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
    def sources(self) -> tuple[Source, ...]:
        """The modular file first, then those that most lines come from."""
        return _sources(self.modular.path, self.blames)

    @cached_property
    def kinds(self) -> tuple[Share, ...]:
        """How many lines came in in which way, the ways in their own order."""
        found = Counter(line.kind for blame in self.blames for line in blame.lines)
        return tuple(Share(way, found[way]) for way in Way if found[way])

    def origins(self, links: Mapping[str, str]) -> str:
        """Return what the page's script reads, as JSON that can stand in a page. ``links`` are the pages of sources."""
        heads = _heads(modules.read(self.modular.path, self.modular.text)) if self.blames else ()
        owners = _Owners(dict(heads))
        numbers = {source.path: source.number for source in self.sources}
        files = [
            {"name": PurePosixPath(blame.path).name, "runs": list(_runs(blame, numbers, owners))}
            for blame in self.blames
        ]
        found = {
            "modular": self.modular.name,
            "kinds": [way.value for way in Way],
            "sources": [
                {"path": each.path, "href": links.get(each.path, ""), "first": each.first, "colour": each.colour}
                for each in self.sources
            ],
            "owners": owners.found,
            "files": files,
        }
        return json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")


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
    colours = {source.path: source.colour for source in _sources(modular, ordered)}
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


def _sources(modular: str, blames: Sequence[Blame]) -> tuple[Source, ...]:
    first: dict[str, int] = {modular: 1}
    lines: Counter[str] = Counter()
    for line in (line for blame in blames for line in blame.lines):
        if line.path is not None and line.origin_line is not None:
            lines[line.path] += 1
            first[line.path] = min(first.get(line.path, line.origin_line), line.origin_line)
    parents = sorted(lines.keys() - {modular}, key=lambda path: (-lines[path], path))
    return tuple(Source(path, lines[path], first[path], number) for number, path in enumerate([modular, *parents]))


_Owner = tuple[str | None, str | None]
"""A class and its member; what stands at module level is the member of no class."""


class _Owners:
    """What lines belong to, numbered as they are met: in words, the line of the modular file that stands for it, and
    the renaming in words."""

    def __init__(self, heads: Mapping[_Owner, int]) -> None:
        self.found: list[tuple[str, int, str]] = []
        self._numbers: dict[tuple[str, int, str], int] = {}
        self._lines = heads

    def number(self, line: BlamedLine) -> int:
        """Return the number of what a line belongs to."""
        words = ".".join(filter(None, (line.class_, line.member)))
        near = self._lines.get((line.class_, line.member)) or self._lines.get((line.class_, None)) if words else None
        renamed = f"{line.renamed.old} → {line.renamed.new}" if line.renamed is not None else ""
        owner = (words, near or 0, renamed)
        if owner not in self._numbers:
            self._numbers[owner] = len(self.found)
            self.found.append(owner)
        return self._numbers[owner]


def _heads(module: Module) -> Iterator[tuple[_Owner, int]]:
    """Yield each class and member of a file, and each function, with the line that its head begins on."""
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS:
            parts = statement.parts
            yield (statement.name, None), parts.header.line
            yield from (((statement.name, each.name), _head(each)) for each in parts.body.statements if each.name)
        elif statement.name:
            yield (None, statement.name), _head(statement)


def _head(statement: Statement) -> int:
    if statement.kind is Kind.FUNCTION:
        return statement.parts.header.line
    return statement.own.line


def _runs(blame: Blame, numbers: Mapping[str, int], owners: _Owners) -> Iterator[list[Any]]:
    """Yield the lines of a file in runs: the first, how many, how they came in, source, its first line, the owner."""
    ways = {way: number for number, way in enumerate(Way)}

    def key(line: BlamedLine) -> tuple[int, int | None, int, int]:
        source = None if line.path is None else numbers[line.path]
        return ways[line.kind], source, (line.origin_line or line.line) - line.line, owners.number(line)

    for (way, source, shift, owner), run in groupby(blame.lines, key):
        lines = list(run)
        yield [lines[0].line, len(lines), way, source, lines[0].line + shift, owner]
