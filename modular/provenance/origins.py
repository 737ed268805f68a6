"""Where each line of a formatted file comes from: through the formatter to the pieces that the converter put together."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from modular.flatten.outputs import OutputFile, OutputStatement
from modular.provenance.alignment import align, tokens
from modular.provenance.outline import UNOWNED, line_owners
from modular.rules.files.drafts import ALL, GETATTR, OutputRun, Provenance
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.diagnostics import Place
from modular.source.module import Module
from modular.source.source_slice import Renaming


Lines = Callable[[str], Sequence[str]]
"""Gives the lines of a source file by its path."""

_LONGEST = 200
"""Lines over which a statement may reach that is put together anew."""

_REWRITTEN = (ALL, GETATTR)
"""Statements that are put together anew."""

_OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line (from 1) of a generated file: how it came in, and the file and line (from 1) that it comes from.

    ``path`` and ``origin_line`` are None for what the formatter or the converter made. ``class_`` and ``member`` are what
    the line belongs to in the generated file; a definition at module level is the member of no class. ``renamed`` are the
    old and the new model name, in lower case, where the line went through a renaming.
    """

    line: int
    kind: Provenance
    path: str | None
    origin_line: int | None
    class_: str | None
    member: str | None
    renamed: Renaming | None

    @property
    def place(self) -> Place | None:
        """The line that it comes from."""
        return (
            None
            if self.path is None or self.origin_line is None
            else Place(self.path, self.origin_line)
        )


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a piece before formatting, or of its source: its text, and its number (from 1) in the source.

    ``is_rewritten``: its statement is not spread over lines as in the source.
    """

    text: str
    piece: OutputRun
    number: int
    is_rewritten: bool = False


def blamed_lines(
    file: OutputFile, formatted: Module, sources: Lines
) -> Iterator[BlamedLine]:
    """Yield each line of a formatted file with where it comes from."""
    named = next(
        (index for index, statement in enumerate(file.statements) if statement.name),
        len(file.statements),
    )
    first, last = _import_region(formatted)
    texts = formatted.code.text.split("\n")[:-1]
    lines = (
        *_aligned(file.statements[:2], texts[:first]),
        *_imported(file.statements[2:named], texts[first:last]),
        *_aligned(file.statements[named:], texts[last:]),
    )
    owners = line_owners(formatted)
    for number, (text, line) in enumerate(zip(texts, lines, strict=True), 1):
        owner = owners.get(number, UNOWNED)
        if line is None or line.piece.provenance is Provenance.MADE:
            yield BlamedLine(number, Provenance.MADE, None, None, *owner, None)
        else:
            origin = _in_source(text, line, sources)
            code = origin.piece.code
            yield BlamedLine(
                number,
                origin.piece.provenance,
                code.path,
                origin.number,
                *owner,
                code.renaming,
            )


def _import_region(formatted: Module) -> tuple[int, int]:
    """The lines (from 0) from the first import on to the first other statement."""
    head = formatted.header.text.count("\n")
    for statement in formatted.block.statements:
        if statement.kind not in (Kind.IMPORT, Kind.GUARD):
            return head, statement.code.line - 1
    return head, formatted.code.text.count("\n")


def _unformatted(statements: Iterable[OutputStatement]) -> Iterator[_Line]:
    for statement in statements:
        for piece in statement.parts:
            is_rewritten = (
                piece.provenance is Provenance.IMPORT or statement.name in _REWRITTEN
            )
            for number, text in enumerate(
                piece.code.text.split("\n")[:-1], piece.code.line
            ):
                yield _Line(text, piece, number, is_rewritten)


def _aligned(
    statements: Iterable[OutputStatement], new: Sequence[str]
) -> list[_Line | None]:
    """Return for each formatted line of some statements the one that most of it comes from."""
    old = list(_unformatted(statements))
    numbers = align([line.text for line in old], new)
    return [None if number is None else old[number] for number in numbers]


def _imported(
    statements: Iterable[OutputStatement], new: Sequence[str]
) -> Iterator[_Line | None]:
    """Imports are sorted and joined, so each line takes its best counterpart, wherever that appears."""
    old = [
        (line, set(tokens(line.text)))
        for line in _unformatted(statements)
        if line.text.strip()
    ]
    opening: set[str] = set()
    for text in new:
        words = set(tokens(text))
        if text.endswith("("):
            opening = words
        elif not words or not text[0].isspace() and text[0] != ")":
            opening = set()
        yield _counterpart(words | opening, old) if words else None


def _counterpart(
    words: set[str], old: Sequence[tuple[_Line, set[str]]]
) -> _Line | None:
    """The line that has most of some words, and few others; rather one of a source than one that was made."""

    def rank(line: tuple[_Line, set[str]]) -> tuple[int, bool, int]:
        return (
            len(words & line[1]),
            line[0].piece.provenance is not Provenance.MADE,
            -len(line[1]),
        )

    best = max(old, key=rank, default=None)
    return best[0] if best is not None and words & best[1] else None


def _in_source(text: str, line: _Line, sources: Lines) -> _Line:
    """The line of a source that a formatted line comes from; of a header that is two files', that with most of its words."""
    piece, candidates = line.piece, [line]
    if piece.merged_with is not None and not _OPENING.match(text):
        parents = OutputRun(piece.member, piece.merged_with, Provenance.INHERITED)
        candidates += [
            *_statement(parents, parents.code.line, sources),
            *_statement(piece, piece.code.line, sources),
        ]
    elif line.is_rewritten:
        candidates += _statement(piece, line.number, sources)
    if len(candidates) < 3:
        return candidates[-1]
    words = _words(text, None)

    def rank(candidate: _Line) -> tuple[int, bool, int]:
        others = _words(candidate.text, candidate.piece.code.renaming)
        return (
            len(words & others),
            candidate.piece.provenance is Provenance.OWN,
            -len(others),
        )

    return max(candidates[1:], key=rank)


def _statement(piece: OutputRun, first: int, sources: Lines) -> Iterator[_Line]:
    """The lines of the statement of a piece's source that begins on a line, as far as its brackets are open."""
    depth = 0
    for number, text in enumerate(
        islice(sources(piece.code.path), first - 1, first - 1 + _LONGEST), first
    ):
        yield _Line(text, piece, number)
        depth += scan.brackets_open(scan.mask(text), 0, len(text))
        if depth <= 0:
            return


def _words(text: str, renaming: Renaming | None) -> set[str]:
    """The words and punctuation of a line in one spelling; those of a source under the new names."""
    words = {word.lower().replace("_", "") for word in tokens(text)}
    if renaming is None:
        return words
    old, new = (name.replace("_", "") for name in (renaming.old, renaming.new))
    return {word.replace(old, new) for word in words}
