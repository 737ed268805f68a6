"""Output files before formatting, in runs of lines: what is needed to say where a line comes from, and no more."""

from collections.abc import Iterable
from typing import NamedTuple

from modular.flatten.outputs import OutputFile, OutputStatement
from modular.rules.drafts import ALL, GETATTR, Way
from modular.source.code import Code, Renaming


_REWRITTEN = (ALL, GETATTR)
"""Statements that are put together anew."""


class Header(NamedTuple):
    """A parent's header, of which some is in a method's: its renamed text, where it begins, and its renaming."""

    text: str
    line: int
    path: str
    renaming: Renaming | None


class Run(NamedTuple):
    """Lines that follow each other, in the output file and in the one they come from: how many, and how they came in.

    ``line`` (from 1) is the first of them in ``path``. ``is_rewritten``: their statement is not spread over lines as in the
    source. ``merged_with`` is the parent's header of which some is in it too.
    """

    lines: int
    line: int
    way: Way
    path: str
    renaming: Renaming | None
    is_rewritten: bool
    merged_with: Header | None


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
        found = [origin.renaming for run in runs for origin in (run, run.merged_with) if origin is not None]
        return frozenset(each for each in found if each is not None)


def runs_of(file: OutputFile) -> Unformatted:
    """Return the runs of an output file's lines."""
    named = next((index for index, each in enumerate(file.statements) if each.name), len(file.statements))
    parts = (file.statements[:2], file.statements[2:named], file.statements[named:])
    return Unformatted(file.text, *(tuple(_runs(part)) for part in parts))


def _runs(statements: Iterable[OutputStatement]) -> list[Run]:
    """The runs of statements. What follows in the output and in its source, and came in the same way, is one run."""
    found: list[Run] = []
    ahead: tuple[object, int] = (None, 0)
    for statement in statements:
        is_anew = statement.name in _REWRITTEN
        for piece in statement.parts:
            code, lines = piece.code, piece.code.text.count("\n")
            origin = None if piece.merged_with is not None else (piece.way, code.path, code.renaming, is_anew)
            if origin is not None and ahead == (origin, code.line):
                found[-1] = found[-1]._replace(lines=found[-1].lines + lines)
            elif lines:
                is_rewritten = is_anew or piece.way is Way.IMPORT
                header = None if piece.merged_with is None else _header(piece.merged_with)
                found.append(Run(lines, code.line, piece.way, code.path, code.renaming, is_rewritten, header))
            else:
                continue
            ahead = (origin, code.line + lines)
    return found


def _header(code: Code) -> Header:
    return Header(code.text, code.line, code.path, code.renaming)
