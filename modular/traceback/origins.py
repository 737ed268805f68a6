"""Where each line of a formatted file comes from: through the formatter to the runs of lines that the converter put together."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from modular.conversion.outputs import OutputFile, OutputStatement
from modular.rules.drafts import Piece, Way
from modular.rules.files.deprecated_names import GETATTR
from modular.rules.files.exports import ALL
from modular.source import scan
from modular.source.blocks import Kind, logical_line_end
from modular.source.code import Code, Renaming
from modular.source.module import Module
from modular.traceback.alignment import align, tokens


Lines = Callable[[str], Sequence[str]]
"""Gives the lines of a source file by its path."""

_REWRITTEN = (ALL, GETATTR)
"""Statements that are put together anew."""

_LONGEST = 200
"""Lines over which such a statement may reach."""

_BRACKET = re.compile(r"[(\[{]")
_OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?def\b")


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The run of lines that a line comes from, how it came in, and the place: a file, a line (from 1), the renaming."""

    way: Way
    path: str
    line: int
    renaming: Renaming | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the unformatted file. ``is_rewritten``: its statement is not spread over lines as in the source."""

    text: str
    piece: Piece
    line: int
    is_rewritten: bool

    @property
    def origin(self) -> LineOrigin:
        code = self.piece.code
        return LineOrigin(self.piece.way, code.path, self.line, code.renaming)


def origins(file: OutputFile, formatted: Module, sources: Lines) -> list[LineOrigin | None]:
    """Return the origin of each line of a formatted file; None for what the formatter or the converter made."""
    head, imports, body = _regions(file)
    first, last = _import_region(formatted)
    lines = formatted.code.text.split("\n")[:-1]
    found = [*_aligned(head, lines[:first]), *_imported(imports, lines[first:last]), *_aligned(body, lines[last:])]
    return [_origin(line, unformatted, sources) for line, unformatted in zip(lines, found, strict=True)]


def _origin(text: str, line: _Line | None, sources: Lines) -> LineOrigin | None:
    if line is None or line.piece.way is Way.MADE:
        return None
    if line.piece.beside is not None and not _OPENING.match(text):
        return _of_header(text, line, line.piece.beside, sources)
    if line.is_rewritten:
        return replace(line.origin, line=_line_of_statement(text, line, sources))
    return line.origin


def _regions(file: OutputFile) -> tuple[list[_Line], list[_Line], list[_Line]]:
    """The lines of the banner and the header, those of the imports, and all others."""
    named = next((index for index, each in enumerate(file.statements) if each.name), len(file.statements))
    parts = (file.statements[:2], file.statements[2:named], file.statements[named:])
    head, imports, body = ([line for each in part for line in _lines(each)] for part in parts)
    return head, imports, body


def _lines(statement: OutputStatement) -> Iterator[_Line]:
    for piece in statement.parts:
        is_rewritten = piece.way is Way.IMPORT or statement.name in _REWRITTEN
        for index, text in enumerate(piece.code.text.split("\n")[:-1]):
            yield _Line(text, piece, piece.code.line + index, is_rewritten)


def _import_region(formatted: Module) -> tuple[int, int]:
    """The lines (from 0) from the first import on to the first other statement."""
    head = formatted.header.text.count("\n")
    for statement in formatted.block.statements:
        if statement.kind not in (Kind.IMPORT, Kind.GUARD):
            return head, statement.code.line - 1
    return head, formatted.code.text.count("\n")


def _aligned(old: Sequence[_Line], new: Sequence[str]) -> list[_Line | None]:
    found = align([line.text for line in old], new)
    return [None if index is None else old[index] for index in found]


def _imported(old: Sequence[_Line], new: Sequence[str]) -> list[_Line | None]:
    """Imports are sorted and joined, so each line takes its best counterpart, wherever that stands."""
    known = [(line, set(tokens(line.text))) for line in old if line.text.strip()]
    found: list[_Line | None] = []
    opening: set[str] = set()
    for text in new:
        words = set(tokens(text))
        if text.endswith("("):
            opening = words
        elif not words or not text[0].isspace() and text[0] != ")":
            opening = set()
        found.append(_counterpart(words | opening, known) if words else None)
    return found


def _counterpart(words: set[str], known: Sequence[tuple[_Line, set[str]]]) -> _Line | None:
    """The line that has most of some words, and few others; rather one of a source than one that was made."""

    def rank(each: tuple[_Line, set[str]]) -> tuple[int, bool, int]:
        return len(words & each[1]), each[0].piece.way is not Way.MADE, -len(each[1])

    best = max(known, key=rank, default=None)
    return best[0] if best is not None and words & best[1] else None


def _of_header(text: str, line: _Line, beside: Code, sources: Lines) -> LineOrigin:
    """A line of a method's header of which some is the parent's: from where most of its words stand."""
    own = line.piece.code
    words = set(tokens(text))
    found = [
        (LineOrigin(Way.OWN, own.path, number, None), each) for number, each in _statement(own, own.line, sources)
    ]
    for number, each in zip(count(beside.line), beside.text.split("\n")):
        found.append((LineOrigin(Way.INHERITED, beside.path, number, beside.renaming), each))

    def rank(each: tuple[LineOrigin, str]) -> tuple[int, bool, float]:
        others = set(tokens(each[1]))
        return len(words & others), each[0].way is Way.OWN, _likeness(words, others)

    return max(found, key=rank)[0]


def _likeness(words: set[str], others: set[str]) -> float:
    return len(words & others) / (len(words | others) or 1)


def _statement(code: Code, line: int, sources: Lines) -> list[tuple[int, str]]:
    """The lines (from 1) over which a statement of a source file reaches that begins on a line and may have brackets."""
    lines = sources(code.path)[line - 1 : line - 1 + _LONGEST]
    if not lines or not _BRACKET.search(lines[0]):
        return [(line, "".join(lines[:1]))]
    mask = scan.mask("\n".join(lines))
    return list(zip(count(line), lines[: mask.count("\n", 0, logical_line_end(mask, 0) - 1) + 1]))


def _line_of_statement(text: str, line: _Line, sources: Lines) -> int:
    """The line of a source statement that has the words of a line of what was made of it; the last one if it has no words."""
    found = _statement(line.piece.code, line.line, sources)
    words = _words(text, None)
    if not words:
        return found[-1][0]
    renaming = line.piece.code.renaming
    return max(found, key=lambda each: _likeness(words, _words(each[1], renaming)))[0]


def _words(text: str, renaming: Renaming | None) -> set[str]:
    """The words of a line in one spelling; those of a source under the new names."""
    found = {word.lower().replace("_", "") for word in tokens(text) if word[0].isalnum() or word[0] == "_"}
    if renaming is None:
        return found
    old, new = (name.replace("_", "") for name in (renaming.old, renaming.new))
    return {word.replace(old, new) for word in found}
