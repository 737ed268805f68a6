"""Output files before formatting: statements whose every line knows where it came from."""

from collections.abc import Iterator
from typing import NamedTuple

from modular.rules.drafts import Piece
from modular.source.code import Code


class OutputStatement(NamedTuple):
    """A statement of an output file: its name (empty for imports and comments) and its runs of lines."""

    name: str
    parts: tuple[Piece, ...]


class OutputFile(NamedTuple):
    """An output file before formatting. ``path`` is relative to the root."""

    path: str
    file_type: str
    statements: tuple[OutputStatement, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(part.code.text for statement in self.statements for part in statement.parts)

    def find(self, name: str, member: str = "") -> tuple[Code, ...]:
        """Return the runs of lines of a top-level name, or of one member of a class."""
        parts = (part for statement in self.statements if statement.name == name for part in statement.parts)
        return tuple(part.code for part in parts if not member or part.member == member)

    def at_line(self, number: int) -> tuple[OutputStatement, Code] | None:
        """Return the statement that a line (from 1) belongs to, and the line itself; None if there is no such line."""
        return next(((each, part.code.line_at(index)) for each, part, index in self._at(number)), None)

    def piece_at(self, number: int) -> tuple[OutputStatement, Piece] | None:
        """Return the statement that a line (from 1) belongs to, and the run of lines; None if there is no such line."""
        return next(((each, part) for each, part, _ in self._at(number)), None)

    def _at(self, number: int) -> Iterator[tuple[OutputStatement, Piece, int]]:
        """The statement and the run of lines in which a line stands, and how many of these stand above it."""
        begin = 1
        for statement in self.statements:
            for part in statement.parts:
                lines = part.code.text.count("\n")
                if begin <= number < begin + lines:
                    yield statement, part, number - begin
                begin += lines
