"""Where the lines of a model come from, as the script of its page reads it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from modular.provenance.blame import Blame, BlamedLine
from modular.rules.drafts import Way
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.module import Module


_COLOURS = 8
"""Colours of parent files; where there are more parents they begin again."""


@dataclass(frozen=True, slots=True)
class OriginFile:
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


def sources_of(modular: str, blames: Sequence[Blame]) -> tuple[OriginFile, ...]:
    """Return where the lines of a model's files come from: its modular file first, then what most of them come from."""
    first: dict[str, int] = {modular: 1}
    lines: Counter[str] = Counter()
    for line in (line for blame in blames for line in blame.lines):
        if line.path is not None and line.origin_line is not None:
            lines[line.path] += 1
            first[line.path] = min(first.get(line.path, line.origin_line), line.origin_line)
    parents = sorted(lines.keys() - {modular}, key=lambda path: (-lines[path], path))
    return tuple(OriginFile(path, lines[path], first[path], number) for number, path in enumerate([modular, *parents]))


def origins(
    modular: str, text: str, blames: Sequence[Blame], sources: Sequence[OriginFile], links: Mapping[str, str]
) -> str:
    """Return what the script of a page reads, as JSON that can stand in a page.

    ``modular`` is the path of the modular file and ``text`` what is in it; ``links`` are the pages of sources.
    """
    owners = _Owners(dict(_heads(modules.read(modular, text)) if blames else ()))
    numbers = {source.path: source.number for source in sources}
    files = [{"name": PurePosixPath(blame.path).name, "runs": list(_runs(blame, numbers, owners))} for blame in blames]
    found = {
        "modular": PurePosixPath(modular).name,
        "kinds": [way.value for way in Way],
        "sources": [
            {"path": each.path, "href": links.get(each.path, ""), "first": each.first, "colour": each.colour}
            for each in sources
        ],
        "owners": owners.found,
        "files": files,
    }
    return json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")


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
