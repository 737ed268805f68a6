"""What the page of a model shows of its files: how many lines are of which kind, and where they come from."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from modular.provenance.blame import Blame, BlamedLine
from modular.provenance.outline import Owner, line_owners
from modular.review.rendering import MEANINGS, line_prefix
from modular.review.rows import File
from modular.rules.drafts import Provenance
from modular.source import module as modules


_ShownOwner = tuple[str, int, str]
"""What lines belong to: in words, the line of the modular file that has it, and the renaming in words."""


def shares(blames: Iterable[Blame]) -> dict[Provenance, int]:
    """Return how many lines are of which kind, the kinds in their own order."""
    counts = Counter(line.kind for blame in blames for line in blame.lines)
    return {kind: counts[kind] for kind in Provenance if counts[kind]}


def parent_files(modular: str, blames: Iterable[Blame]) -> dict[str, int]:
    """Return the parent files that lines come from, and how many do; those that most come from are first."""
    counts = Counter(line.path for blame in blames for line in blame.lines if line.path not in (None, modular))
    return {str(path): lines for path, lines in sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))}


def digest(files: Iterable[File]) -> str:
    """Return something that differs when anything that a page shows of files does."""
    shown = [(file.path, file.text, file.changes.hunks) for file in files]
    return sha256(repr(shown).encode()).hexdigest()[:12]


def line_origins(
    modular: File, parents: Iterable[str], blames: Sequence[tuple[Blame, Blame]], link: Callable[[str], str]
) -> tuple[list[str], str]:
    """Return the files that a model's lines come from, and where each line comes from, as JSON that can be in a page.

    First is the modular file, then the ``parents``, then those that lines of generated parents come from; ``link`` gives
    the link to the lines of one. Each blame has one beside it that follows lines to the first hand-written one. Lines that
    are together there as well are a run: its first line, how many there are, how they came in, the source and its first
    line, the owner, and the same of the first hand-written source.
    """
    heads: dict[Owner, int] = {}
    for line, of_line in line_owners(modules.read(modular.path, modular.text)).items():
        heads.setdefault(of_line, line)
    written = sorted({line.path for _, deep in blames for line in deep.lines if line.path is not None})
    sources = list(dict.fromkeys([modular.path, *parents, *written]))
    numbers = {path: number for number, path in enumerate(sources)}
    owners: dict[_ShownOwner, int] = {}

    def owner(line: BlamedLine) -> int:
        return owners.setdefault(_owner(line, heads), len(owners))

    files = [
        {"prefix": line_prefix(blame.path, modular.path), "runs": list(_runs(blame, deep, numbers, owner))}
        for blame, deep in blames
    ]
    values = {
        "kinds": [{"name": kind.value, "letter": MEANINGS[kind][0]} for kind in Provenance],
        "sources": [{"path": path, "href": link(path)} for path in sources],
        "owners": list(owners),
        "files": files,
    }
    return sources, json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")


def _owner(line: BlamedLine, heads: Mapping[Owner, int]) -> _ShownOwner:
    words = ".".join(filter(None, (line.class_, line.member)))
    near = heads.get(Owner(line.class_, line.member)) or heads.get(Owner(line.class_), 0)
    renamed = f"{line.renamed.old} → {line.renamed.new}" if line.renamed is not None else ""
    return words, near, renamed


def _runs(
    blame: Blame, deep: Blame, numbers: Mapping[str, int], owner: Callable[[BlamedLine], int]
) -> Iterator[list[Any]]:
    kinds = {kind: number for number, kind in enumerate(Provenance)}

    def origin(line: BlamedLine) -> tuple[int | None, int]:
        source = None if line.path is None else numbers[line.path]
        return source, (line.origin_line or line.line) - line.line

    def key(lines: tuple[BlamedLine, BlamedLine]) -> tuple[Any, ...]:
        line, written = lines
        return kinds[line.kind], *origin(line), owner(line), *origin(written)

    for (kind, source, shift, owned, *written), run in groupby(zip(blame.lines, deep.lines, strict=True), key):
        lines = [line.line for line, _ in run]
        known = [lines[0], len(lines), kind, source, lines[0] + shift, owned]
        yield known if written == [source, shift] else [*known, written[0], lines[0] + written[1]]
