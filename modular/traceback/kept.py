"""Blames in the cache: what is known of the lines of a model's files, as JSON values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from modular.rules.drafts import Way
from modular.run.result_cache import CachedResult, digest
from modular.source.code import Renaming
from modular.traceback.lines import BlamedLine


def key(result_key: str, reads: Mapping[str, str | None]) -> str:
    """The key of a model's blame: that of its result, and the digests of what was read for it."""
    return digest("\n".join(["blame", result_key, *(f"{path} {reads[path]}" for path in sorted(reads))]).encode())


def entry(files: Mapping[str, Sequence[BlamedLine]]) -> CachedResult:
    """Return the lines of files, by path, as they are kept."""
    return CachedResult({}, {}, {path: list(_packed(lines)) for path, lines in files.items()})


def lines(kept: CachedResult) -> dict[str, tuple[BlamedLine, ...]]:
    """Return the lines of files again."""
    return {path: tuple(_unpacked(runs)) for path, runs in kept.extra.items()}


_Run = list[Any]
"""How many lines there are, the first line's origin, and what all of them share; the origins count up from the first."""


def _packed(lines: Sequence[BlamedLine]) -> Iterator[_Run]:
    run: _Run = []
    for line in lines:
        renamed = [line.renamed.old, line.renamed.new] if line.renamed else None
        shared = [line.kind.value, line.path, line.class_, line.member, renamed]
        if run and run[2:] == shared and line.origin_line in (None, run[1] + run[0] if run[1] else None):
            run[0] += 1
        else:
            if run:
                yield run
            run = [1, line.origin_line, *shared]
    if run:
        yield run


def _unpacked(runs: Sequence[_Run]) -> Iterator[BlamedLine]:
    number = 0
    for count, first, kind, path, class_, member, renamed in runs:
        way, renaming = Way(kind), Renaming(*renamed) if renamed else None
        for index in range(count):
            number += 1
            origin = None if first is None else first + index
            yield BlamedLine(number, way, path, origin, class_, member, renaming)
