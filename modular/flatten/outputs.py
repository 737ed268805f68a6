"""Output files before formatting: statements whose every line knows where it came from."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from modular.rules.files.drafts import OutputRun
from modular.source.code import SourceSlice


class OutputStatement(NamedTuple):
    """A statement of an output file: its name (empty for imports and comments) and its runs of lines."""

    name: str
    parts: tuple[OutputRun, ...]


@dataclass(eq=False)
class OutputFile:
    """An output file before formatting. ``path`` is relative to the root."""

    path: Final[str]
    file_type: Final[str]
    statements: Final[tuple[OutputStatement, ...]]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(part.code.text for _, part in self._runs)

    def find(self, name: str, member: str = "") -> tuple[SourceSlice, ...]:
        """Return the runs of lines of a top-level name, or of one member of a class."""
        runs = (part for statement, part in self._runs if statement.name == name)
        return tuple(part.code for part in runs if not member or part.member == member)

    def at_line(self, number: int) -> tuple[OutputStatement, SourceSlice] | None:
        """Return the statement that a line (from 1) belongs to, and the line itself; None if there is no such line."""
        if (index := self._run_at(number)) is None:
            return None
        statement, part = self._runs[index]
        return statement, part.code.line_at(number - 1 - self._begins[index])

    def piece_at(self, number: int) -> tuple[OutputStatement, OutputRun] | None:
        """Return the statement that a line (from 1) belongs to, and the run of lines; None if there is no such line."""
        index = self._run_at(number)
        return None if index is None else self._runs[index]

    @cached_property
    def _runs(self) -> list[tuple[OutputStatement, OutputRun]]:
        return [
            (statement, part)
            for statement in self.statements
            for part in statement.parts
        ]

    @cached_property
    def _begins(self) -> list[int]:
        """How many lines are above each run, and how many there are."""
        return list(
            accumulate(
                (part.code.text.count("\n") for _, part in self._runs), initial=0
            )
        )

    def _run_at(self, number: int) -> int | None:
        """The index of the run in which a line appears."""
        return (
            bisect_left(self._begins, number) - 1
            if 0 < number <= self._begins[-1]
            else None
        )
