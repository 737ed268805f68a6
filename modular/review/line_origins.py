"""Where the lines of a model come from, as the script of its page reads it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from modular.provenance.blame import Blame, BlamedLine
from modular.review.model_page import MEANINGS, File
from modular.review.rendering import line_prefix
from modular.rules.drafts import Provenance
from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.module import Module
from modular.source.parts import parts_of


@dataclass(frozen=True)
class LineOrigins:
    """The origins of a model's lines, in runs of lines that are together there as well.

    ``sources`` are the paths of the files that lines come from: first the modular file, then the parents, then those that
    lines of generated parents come from. ``owners`` are what lines belong to. A run has its first line, how many there are,
    how they came in, the source and its first line, the owner, and the same of the first hand-written source.
    """

    sources: Sequence[str]
    owners: Sequence[tuple[str, int, str]]
    files: Mapping[str, Sequence[Sequence[int | None]]]

    def as_json(self, links: Mapping[str, str]) -> str:
        """Return all of it as JSON that can be in a page. ``links`` are the links to lines of sources, by path."""
        values = {
            "kinds": [{"name": way.value, "letter": MEANINGS[way][0]} for way in Provenance],
            "sources": [{"path": path, "href": links[path]} for path in self.sources],
            "owners": self.owners,
            "files": [{"prefix": prefix, "runs": runs} for prefix, runs in self.files.items()],
        }
        return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")


def line_origins(modular: File, parents: Iterable[str], blames: Sequence[tuple[Blame, Blame]]) -> LineOrigins:
    """Return the origins of a model's lines.

    ``parents`` are the files that lines come from. Each blame has one beside it that follows lines to the first
    hand-written one.
    """
    owners = _Owners(dict(_heads(modules.read(modular.path, modular.text)) if blames else ()))
    written = sorted({line.path for _, deep in blames for line in deep.lines if line.path is not None})
    sources = list(dict.fromkeys([modular.path, *parents, *written]))
    numbers = {path: number for number, path in enumerate(sources)}
    files = {
        line_prefix(blame.path, modular.path): list(_runs(blame, deep, numbers, owners)) for blame, deep in blames
    }
    return LineOrigins(sources, owners.found, files)


_Owner = tuple[str | None, str | None]
"""A class and its member; a definition at module level is the member of no class."""


class _Owners:
    """What lines belong to, numbered as they are met: in words, the line of the modular file that has it, and
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
            parts = parts_of(statement)
            yield (statement.name, None), parts.header.line
            members = [member for member in parts.body.statements if member.name]
            yield from (((statement.name, member.name), _head(member)) for member in members)
        elif statement.name:
            yield (None, statement.name), _head(statement)


def _head(statement: Statement) -> int:
    if statement.kind is Kind.FUNCTION:
        return parts_of(statement).header.line
    return statement.own.line


def _runs(blame: Blame, deep: Blame, numbers: Mapping[str, int], owners: _Owners) -> Iterator[list[Any]]:
    ways = {way: number for number, way in enumerate(Provenance)}

    def origin(line: BlamedLine) -> tuple[int | None, int]:
        source = None if line.path is None else numbers[line.path]
        return source, (line.origin_line or line.line) - line.line

    def key(lines: tuple[BlamedLine, BlamedLine]) -> tuple[Any, ...]:
        line, written = lines
        return ways[line.kind], *origin(line), owners.number(line), *origin(written)

    for (way, source, shift, owner, *written), run in groupby(zip(blame.lines, deep.lines, strict=True), key):
        lines = [line.line for line, _ in run]
        known = [lines[0], len(lines), way, source, lines[0] + shift, owner]
        yield known if written == [source, shift] else [*known, written[0], lines[0] + written[1]]
