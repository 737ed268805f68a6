"""Where each line of a formatted file comes from: through the formatter to the pieces that the converter put together."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from modular.flatten.outputs import OutputFile, OutputStatement
from modular.provenance.alignment import align, tokens
from modular.rules.drafts import ALL, GETATTR, Piece, Provenance
from modular.source import scan
from modular.source.blocks import Kind
from modular.source.code import Code, Renaming
from modular.source.module import Module
from modular.source.scan import logical_line_end


Lines = Callable[[str], Sequence[str]]
"""Gives the lines of a source file by its path."""

_LONGEST = 200
"""Lines over which a statement may reach that is put together anew."""

_REWRITTEN = (ALL, GETATTR)
"""Statements that are put together anew."""

_BRACKET = re.compile(r"[(\[{]")
_OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """How a line came in, and the place that it comes from: a file, a line (from 1), the renaming."""

    way: Provenance
    path: str
    line: int
    renaming: Renaming | None


@dataclass(frozen=True, slots=True)
class _Unformatted:
    """A line before formatting: its text, its piece, and the line (from 1) that it is in its source.

    ``is_rewritten``: its statement is not spread over lines as in the source.
    """

    text: str
    piece: Piece
    line: int
    is_rewritten: bool


def line_origins(file: OutputFile, formatted: Module, sources: Lines) -> list[LineOrigin | None]:
    """Return the origin of each line of a formatted file; None for what the formatter or the converter made."""
    named = next((index for index, statement in enumerate(file.statements) if statement.name), len(file.statements))
    first, last = _import_region(formatted)
    texts = formatted.code.text.split("\n")[:-1]
    lines = (
        *_aligned(file.statements[:2], texts[:first]),
        *_imported(file.statements[2:named], texts[first:last]),
        *_aligned(file.statements[named:], texts[last:]),
    )
    return [None if line is None else _origin(text, line, sources) for text, line in zip(texts, lines, strict=True)]


def _import_region(formatted: Module) -> tuple[int, int]:
    """The lines (from 0) from the first import on to the first other statement."""
    head = formatted.header.text.count("\n")
    for statement in formatted.block.statements:
        if statement.kind not in (Kind.IMPORT, Kind.GUARD):
            return head, statement.code.line - 1
    return head, formatted.code.text.count("\n")


def _unformatted(statements: Iterable[OutputStatement]) -> Iterator[_Unformatted]:
    for statement in statements:
        for piece in statement.parts:
            is_rewritten = piece.way is Provenance.IMPORT or statement.name in _REWRITTEN
            for line, text in enumerate(piece.code.text.split("\n")[:-1], piece.code.line):
                yield _Unformatted(text, piece, line, is_rewritten)


def _aligned(statements: Iterable[OutputStatement], new: Sequence[str]) -> list[_Unformatted | None]:
    """Return for each formatted line of some statements the one that most of it comes from."""
    old = list(_unformatted(statements))
    numbers = align([line.text for line in old], new)
    return [None if number is None else old[number] for number in numbers]


def _imported(statements: Iterable[OutputStatement], new: Sequence[str]) -> Iterator[_Unformatted | None]:
    """Imports are sorted and joined, so each line takes its best counterpart, wherever that appears."""
    old = [(line, set(tokens(line.text))) for line in _unformatted(statements) if line.text.strip()]
    opening: set[str] = set()
    for text in new:
        words = set(tokens(text))
        if text.endswith("("):
            opening = words
        elif not words or not text[0].isspace() and text[0] != ")":
            opening = set()
        yield _counterpart(words | opening, old) if words else None


def _counterpart(words: set[str], old: Sequence[tuple[_Unformatted, set[str]]]) -> _Unformatted | None:
    """The line that has most of some words, and few others; rather one of a source than one that was made."""

    def rank(line: tuple[_Unformatted, set[str]]) -> tuple[int, bool, int]:
        return len(words & line[1]), line[0].piece.way is not Provenance.MADE, -len(line[1])

    best = max(old, key=rank, default=None)
    return best[0] if best is not None and words & best[1] else None


def _origin(text: str, line: _Unformatted, sources: Lines) -> LineOrigin | None:
    code, way, number = line.piece.code, line.piece.way, line.line
    if way is Provenance.MADE:
        return None
    if line.piece.merged_with is not None and not _OPENING.match(text):
        return _origin_in_header(text, code, line.piece.merged_with, sources)
    if line.is_rewritten:
        number = _line_of_statement(text, code, number, sources)
    return LineOrigin(way, code.path, number, code.renaming)


def _origin_in_header(text: str, own: Code, parents: Code, sources: Lines) -> LineOrigin:
    """A line of a method's header of which some is the parent's: from where most of its words appear."""
    words = set(tokens(text))
    candidates = [
        (LineOrigin(Provenance.OWN, own.path, number, None), line)
        for number, line in _statement(own, own.line, sources)
    ]
    for number, line in zip(count(parents.line), parents.text.split("\n")):
        candidates.append((LineOrigin(Provenance.INHERITED, parents.path, number, parents.renaming), line))

    def rank(candidate: tuple[LineOrigin, str]) -> tuple[int, bool, float]:
        others = set(tokens(candidate[1]))
        return len(words & others), candidate[0].way is Provenance.OWN, _likeness(words, others)

    return max(candidates, key=rank)[0]


def _likeness(words: set[str], others: set[str]) -> float:
    return len(words & others) / (len(words | others) or 1)


def _statement(code: Code, line: int, sources: Lines) -> list[tuple[int, str]]:
    """The lines (from 1) over which a statement of a source file reaches that begins on a line and may have brackets."""
    lines = sources(code.path)[line - 1 : line - 1 + _LONGEST]
    if not lines or not _BRACKET.search(lines[0]):
        return [(line, "".join(lines[:1]))]
    mask = scan.mask("\n".join(lines))
    return list(zip(count(line), lines[: mask.count("\n", 0, logical_line_end(mask, 0) - 1) + 1]))


def _line_of_statement(text: str, code: Code, first: int, sources: Lines) -> int:
    """The line of a source statement that has the words of a line of what was made of it; the last one if it has no words."""
    lines = _statement(code, first, sources)
    words = _words(text, None)
    if not words:
        return lines[-1][0]
    return max(lines, key=lambda line: _likeness(words, _words(line[1], code.renaming)))[0]


def _words(text: str, renaming: Renaming | None) -> set[str]:
    """The words of a line in one spelling; those of a source under the new names."""
    words = {word.lower().replace("_", "") for word in tokens(text) if word[0].isalnum() or word[0] == "_"}
    if renaming is None:
        return words
    old, new = (name.replace("_", "") for name in (renaming.old, renaming.new))
    return {word.replace(old, new) for word in words}
