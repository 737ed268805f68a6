"""Output files before formatting, in which the source of each line is known."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from modular.rules.files.drafts import OutputRun
from modular.source.source_slice import SourceSlice


class Renaming(NamedTuple):
    """A renaming of a model: its old and its new name in lower case."""

    old: str
    new: str


class OutputStatement(NamedTuple):
    """A statement of an output file.

    Attributes:
        parts: Its lines as runs of the same origin.
        name: The name that it defines; empty for imports and comments.
    """

    parts: tuple[OutputRun, ...]
    name: str = ""


class OutputLine(NamedTuple):
    """A line of an output file.

    Attributes:
        statement: The statement that it belongs to.
        run: The run of lines of the same origin that it belongs to.
        code: The line.
    """

    statement: OutputStatement
    run: OutputRun
    code: SourceSlice


@dataclass(eq=False)
class OutputFile:
    """An output file before formatting.

    Attributes:
        path: The file's path relative to the root.
        file_type: The file type, such as `modeling`.
        statements: The statements in their order.
        renamings: The renaming of the code from each parent file, by its path.
    """

    path: Final[str]
    file_type: Final[str]
    statements: Final[tuple[OutputStatement, ...]]
    renamings: Final[Mapping[str, Renaming]]

    @property
    def text(self) -> str:
        """The text of the file."""
        return "".join(run.code.text for _, run in self._runs)

    def find(self, name: str, member: str = "") -> tuple[SourceSlice, ...]:
        """Return the code of a definition in the file, or of one member of a class.

        Args:
            name: The name that a top-level statement defines.
            member: The name of a method or attribute; empty for the whole definition.

        Returns:
            The code in parts, because its lines can come from several files.
        """
        codes = []
        for statement, run in self._runs:
            if statement.name == name and (not member or run.member == member):
                codes.append(run.code)
        return tuple(codes)

    def at_line(self, number: int) -> OutputLine | None:
        """Return a line of the file (from 1), or None if the file has fewer lines."""
        # For a run of 3 lines and a run of 2 lines, the offsets are `[0, 3, 5]`: the number
        # of lines above each run, and at the end the number of all lines.
        offsets = self._line_offsets
        if not 0 < number <= offsets[-1]:
            return None
        # The line is in the last run with an offset below the number: line 3 is in the
        # run with the offset 0, and line 4 in the run with the offset 3.
        index = bisect_left(offsets, number) - 1
        statement, run = self._runs[index]
        # The lines of a run are counted from 0.
        code = run.code.line_at(number - 1 - offsets[index])
        return OutputLine(statement, run, code)

    @cached_property
    def _runs(self) -> list[tuple[OutputStatement, OutputRun]]:
        """The runs of lines of all statements, each with its statement."""
        runs = []
        for statement in self.statements:
            for run in statement.parts:
                runs.append((statement, run))
        return runs

    @cached_property
    def _line_offsets(self) -> list[int]:
        """The number of lines above each run, and at the end the number of all lines.

        For a run of 3 lines and one of 2 lines, these are `[0, 3, 5]`.
        """
        line_counts = [run.code.text.count("\n") for _, run in self._runs]
        return list(accumulate(line_counts, initial=0))
