"""Output files before formatting, in runs of lines: what is needed to say where a line comes from, and no more.

Runs are small enough to be sent by other processes and kept in the cache. Nothing here loads LibCST.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from modular.rules.drafts import Way
from modular.source.code import Renaming


Packed = Sequence[Any]
"""The runs of a file as JSON values: those of the banner and the header, those of the imports, and all others."""


class Header(NamedTuple):
    """A parent's header, of which some is in a method's: its renamed text, where it begins, and its renaming."""

    text: str
    line: int
    path: str
    renaming: Renaming | None


class Run(NamedTuple):
    """Lines that follow each other, in the output file and in the one they come from: how many, and how they came in.

    ``line`` (from 1) is the first of them in ``path``. ``is_rewritten``: their statement is not spread over lines as in the
    source. ``beside`` is the parent's header of which some is in it too.
    """

    lines: int
    line: int
    way: Way
    path: str
    renaming: Renaming | None
    is_rewritten: bool
    beside: Header | None


class Unformatted(NamedTuple):
    """An output file before formatting: its text, and the runs of the banner and the header, the imports, and the rest."""

    text: str
    head: tuple[Run, ...]
    imports: tuple[Run, ...]
    body: tuple[Run, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs, from the first line on."""
        return self.head + self.imports + self.body

    @property
    def renamings(self) -> frozenset[Renaming]:
        """The renamings that lines went through."""
        runs = (run for run in self.runs if run.way is not Way.MADE)
        found = [origin.renaming for run in runs for origin in (run, run.beside) if origin is not None]
        return frozenset(each for each in found if each is not None)


def unpack(text: str, packed: Packed) -> Unformatted:
    """Return a file whose runs `packing.pack` has packed; ``text`` is its text."""
    return Unformatted(text, *(tuple(map(_run, runs)) for runs in packed))


def _run(packed: Sequence[Any]) -> Run:
    lines, line, way, path, renamed, is_rewritten, beside = packed
    header = None if beside is None else _header(*beside)
    return Run(lines, line, Way(way), path, _renaming(renamed), is_rewritten, header)


def _header(text: str, line: int, path: str, renamed: Sequence[str] | None) -> Header:
    return Header(text, line, path, _renaming(renamed))


def _renaming(pair: Sequence[str] | None) -> Renaming | None:
    return None if pair is None else Renaming(*pair)
