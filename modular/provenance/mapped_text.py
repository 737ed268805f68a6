"""Adds the line to edit to text output of programs: tracebacks, findings, other places.

Everything else passes unchanged. A finding that copies of one line repeat in further
generated files is shown once.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from modular.provenance.line_map import LineMap, LineToEdit
from modular.system.printable import counted, one_line


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PYTHON_FRAME = re.compile(
    r'(?P<prefix>.*?)File "(?P<path>[^"]+\.py)", line (?P<line>\d{1,9})(?:, in .*)?\s*'
)
_FINDING = re.compile(
    r"(?P<indent>\s*)(?P<path>\S.*?\.py):(?P<line>\d{1,9})"
    r"(?::\d{1,9})?(?P<message>.*)",
    re.DOTALL,
)
"""A place at the beginning of a line, with a message behind it."""

_NUMBER = re.compile(r":(\d{1,9})")
_PATH_SEPARATORS = " \t\"'`()[]<>{}=,;|"
_PY_COLON = ".py:"
"""The end of a path, and the colon before a line number."""

_MAX_LINE_CHARS = 10_000
_MAX_LOCATIONS_PER_LINE = 10


class _Block(Protocol):
    """Tells which lines still belong to the file and line that was named above them."""

    def contains(self, line: str) -> bool:
        """Return whether the block goes on with a line."""


@dataclass(frozen=True)
class _PrefixedLines:
    """The code below a frame of a traceback, whose lines all have the same prefix."""

    prefix: str

    def contains(self, line: str) -> bool:
        """Return whether a line begins with the prefix."""
        return line.startswith(self.prefix)


@dataclass(frozen=True)
class _IndentedLines:
    """The other lines of a finding, which are indented more than its first line."""

    indent: str

    def contains(self, line: str) -> bool:
        """Return whether a line is indented more than the first one."""
        # pyright indents by spaces that do not break, which `lstrip` removes, too.
        text = line.lstrip()
        return bool(text) and len(line) - len(text) > len(self.indent)


class _WaitingEdit(NamedTuple):
    """A line to edit that is printed later, below a block of other lines.

    Attributes:
        text: The line to edit, as it is printed.
        block: The lines that are printed first.
    """

    text: str
    block: _Block


@dataclass
class _Finding:
    """The first finding about a source line.

    Attributes:
        path: The file in which it was found.
        text: What to print at the end if there are copies of it.
        more_files: The other generated files that have it.
    """

    path: str
    text: str
    more_files: set[str] = field(default_factory=set)


class _FindingRegistry:
    """Recognizes findings that several files repeat, as they copy one source line."""

    def __init__(self, line_map: LineMap) -> None:
        """Create a registry without findings."""
        self._line_map = line_map
        self._first_findings: dict[tuple[str, int, str], _Finding] = {}

    def record_and_compare(
        self,
        path: str,
        line: int,
        message: str,
        line_to_edit: LineToEdit | None,
    ) -> bool:
        """Record a finding, and return whether another file had the same one before.

        `modeling_olmo.py:12: OlmoMLP has no w` is the same as `GemmaMLP has no w` of
        another file if both lines come from one source line.

        Args:
            path: The file of the finding.
            line: Its line.
            message: Its message.
            line_to_edit: The source of this line; None if the file is not generated.
        """
        first = self._first_finding(path, line, message, line_to_edit)
        # If a line has the finding twice, the first one is in the same file.
        is_known_from_other_file = first.path != path
        is_generated = line_to_edit is not None
        if is_known_from_other_file and is_generated:
            first.more_files.add(path)
        return is_known_from_other_file

    def _first_finding(
        self, path: str, line: int, message: str, line_to_edit: LineToEdit | None
    ) -> _Finding:
        """Return the first finding with the same message about the same source line.

        If there is no earlier finding, the given one is recorded as the first.
        """
        source_path, source_line = path, line
        if line_to_edit is not None:
            source_path, source_line = line_to_edit.path, line_to_edit.line
        general_message = self._line_map.without_model(message, path)
        key = (os.path.abspath(source_path), source_line, general_message)
        if key not in self._first_findings:
            short_message = message.lstrip(": -")
            text = one_line(f"{source_path}:{source_line}: {short_message}")
            self._first_findings[key] = _Finding(path, text)
        return self._first_findings[key]

    def summarize_copies(self) -> Iterator[str]:
        """Yield a line for each finding that has copies.

        For example: `a.py:3: message: and in 2 more files`.
        """
        for finding in self._first_findings.values():
            count = len(finding.more_files)
            if count:
                yield f"{finding.text}: and in {counted(count, 'more file')}\n"


class TextMapper:
    """Adds the lines to edit to a program's output, line by line.

    Below the line with the place, there can be a block of further lines::

        File "modeling_olmo.py", line 12       place
          x = self.w                           block
          edit modular_olmo.py:3 (own): x = w  line to edit, which the mapper adds

    So the mapper remembers two things from one line to the next:

    - A line to edit waits until the block has been printed.
    - While a block is dropped, because another file has the same finding, its lines are
      not printed.
    """

    def __init__(self, line_map: LineMap, paint: Callable[[str], str]) -> None:
        """Create a mapper for the output of one program, before its first line.

        Args:
            line_map: Finds the lines to edit.
            paint: Colours an added line.
        """
        self._line_map = line_map
        self._paint = paint
        self._findings = _FindingRegistry(line_map)
        self._waiting_edit: _WaitingEdit | None = None
        self._dropped_block: _Block | None = None

    def map_line(self, line: str) -> Iterator[str]:
        """Yield what to print for the next line of a program's output.

        The output has places, such as `modeling_olmo.py:12: error`, and blocks of
        further lines below them. A line of a dropped block is not printed. A line to
        edit waits for the end of such a block, and is printed directly below it.

        Args:
            line: The line, with its line end and its colours.
        """
        plain_line = _COLOUR.sub("", line)
        if self._is_dropped(plain_line):
            return
        waiting_edit = self._waiting_edit
        if waiting_edit is not None and not waiting_edit.block.contains(plain_line):
            yield from self._release_edit()
        # It would take too much time to search long lines.
        if ".py" in plain_line and len(line) <= _MAX_LINE_CHARS:
            yield from self._map_place(line, plain_line)
        else:
            yield line

    def _is_dropped(self, plain_line: str) -> bool:
        """Return whether the next line is not printed, as a part of a dropped block.

        Such a block is a repeated finding. The blank line between it and the next finding
        is dropped, too. The first other line ends the block.
        """
        if self._dropped_block is None:
            return False
        if self._dropped_block.contains(plain_line):
            return True
        self._dropped_block = None
        is_blank = not plain_line.strip()
        return is_blank

    def finish(self) -> Iterator[str]:
        """Yield the lines that still wait, and a summary of findings with copies."""
        yield from self._release_edit()
        for summary in self._findings.summarize_copies():
            yield self._paint(summary)

    def _release_edit(self) -> Iterator[str]:
        """Yield the waiting line to edit, if there is one."""
        if self._waiting_edit is not None:
            yield self._paint(self._waiting_edit.text)
            self._waiting_edit = None

    def _map_place(self, line: str, plain_line: str) -> Iterator[str]:
        """Yield what to print for a line with the path and line number of a Python file.

        The place can be in a frame of a traceback, in a finding, or in other text.

        Args:
            line: The line.
            plain_line: The same line without colours.
        """
        # For example `File "models/a.py", line 3`, above the code of the frame.
        frame_edit = self._find_frame_edit(plain_line)
        if frame_edit is not None:
            yield line
            self._waiting_edit = frame_edit
            return

        # For example `models/a.py:3: message`.
        finding = _FINDING.fullmatch(plain_line)
        if finding is not None and os.path.isfile(finding["path"]):
            yield from self._map_finding(line, finding)
            return

        # For example `see models/a.py:3`, or ` --> models/a.py:3`.
        yield line
        added_line = self._find_added_line(plain_line)
        if added_line:
            yield self._paint(added_line)

    def _find_frame_edit(self, plain_line: str) -> _WaitingEdit | None:
        """Return the line to edit for a frame of a traceback in a generated file.

        The line to edit waits until the code of the frame has been printed. It is
        indented like the code::

            File "models/olmo/modeling_olmo.py", line 12, in forward
              x = self.w
              edit models/olmo/modular_olmo.py:3 (own): x = self.w

        Returns:
            The line to edit, with the block of the frame's code. None if the line is no
            frame, or its file is not generated.
        """
        frame = _PYTHON_FRAME.fullmatch(plain_line)
        if frame is None:
            return None
        line_to_edit = self._line_map.find_line_to_edit(
            frame["path"], int(frame["line"])
        )
        if line_to_edit is None:
            return None
        # Lines that begin with this are the code of the frame.
        code_start = f"{frame['prefix']}  "
        text = f"{code_start}{line_to_edit}\n"
        return _WaitingEdit(text, _PrefixedLines(code_start))

    def _map_finding(self, line: str, match: re.Match[str]) -> Iterator[str]:
        """Yield the first line of a finding, such as `models/a.py:3: message`.

        The line to edit is added below the further lines of the finding, which are
        indented. A finding of a generated file is dropped as a whole if another file
        has it, too.

        Args:
            line: The first line.
            match: The match of `_FINDING` in the line.
        """
        path = match["path"]
        number = int(match["line"])
        message = match["message"].strip()
        further_lines = _IndentedLines(match["indent"])
        line_to_edit = self._line_map.find_line_to_edit(path, number)
        is_repeated = self._findings.record_and_compare(
            path, number, message, line_to_edit
        )
        # A finding of a source file is not dropped: the first one was at another place.
        if is_repeated and line_to_edit is not None:
            # `map_line` drops the further lines when they come.
            self._dropped_block = further_lines
            return

        yield line
        if line_to_edit is not None:
            # `map_line` prints it below the further lines.
            added_line = f"{match['indent']}  {line_to_edit}\n"
            self._waiting_edit = _WaitingEdit(added_line, further_lines)

    def _find_added_line(self, plain_line: str) -> str:
        """Return the line to add below a line of text; empty if it has no place.

        Below `see models/a.py:12`, this is `  edit models/modular_a.py:3 (own): x = 1`.
        """
        indent = plain_line[: len(plain_line) - len(plain_line.lstrip())] + "  "
        for path, number in _locations(plain_line):
            line_to_edit = self._line_map.find_line_to_edit(path, number)
            if line_to_edit is not None:
                return f"{indent}{line_to_edit}\n"
        return ""


def _locations(line: str) -> Iterator[tuple[str, int]]:
    """Yield the paths of Python files with line numbers in a text, as `models/a.py:12`."""
    search_start = 0
    for _ in range(_MAX_LOCATIONS_PER_LINE):
        suffix_start = line.find(_PY_COLON, search_start)
        if suffix_start < 0:
            return
        path_end = suffix_start + len(".py")
        search_start = path_end
        path_start = path_end
        # The path begins after the last blank, quote or bracket.
        while path_start > 0 and line[path_start - 1] not in _PATH_SEPARATORS:
            path_start -= 1
        number = _NUMBER.match(line, path_end)
        if number is not None:
            yield line[path_start:path_end], int(number[1])
