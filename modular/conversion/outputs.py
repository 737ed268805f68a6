"""Output files before formatting: statements whose every line knows where it came from."""

from dataclasses import dataclass

from modular.rules.drafts import Piece
from modular.source.code import Code


@dataclass(frozen=True)
class OutputStatement:
    """A statement of an output file: its name (empty for imports and comments) and its runs of lines."""

    name: str
    parts: tuple[Piece, ...]


@dataclass(frozen=True)
class OutputFile:
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
        begin = 1
        for statement in self.statements:
            for part in statement.parts:
                lines = part.code.text.count("\n")
                if number < begin + lines:
                    return statement, part.code.line_at(number - begin)
                begin += lines
        return None
