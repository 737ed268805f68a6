"""Tracebacks: below each frame in a generated file, the line to edit.

Nothing of the converter is loaded before a frame is in a file that could be generated.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from modular.source.system.printable import one_line


if TYPE_CHECKING:
    from modular.project.project import Project
    from modular.provenance.blame import Blamer

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PYTHON = re.compile(r'(?P<before>.*?)File "(?P<path>[^"]+\.py)", line (?P<line>\d{1,9})(?:, in .*)?\s*')
_PYTEST = re.compile(r"(?P<before>)(?P<path>\S[^\n]*?\.py):(?P<line>\d{1,9}):(?: in .+| [\w.]*)?\s*")
_LONGEST = 10_000
"""Characters of a line that may be a frame."""

_INDENT = "    "
_CODE = {_PYTHON: "  ", _PYTEST: _INDENT}
"""What a frame's own lines begin with, after what comes before the frame."""


@dataclass(frozen=True, slots=True)
class LineToEdit:
    """The line to edit: the file as the frame has it, absolute or from the current folder, the line, how it came in."""

    path: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"edit {self.path}:{self.line} ({self.kind})"


class Frames:
    """Finds the lines to edit. What is stale, or not known, has none. Each project and each file is read once."""

    def __init__(self) -> None:
        self._folders: dict[str, _Place | None] = {}

    def edit(self, path: str, line: int) -> LineToEdit | None:
        """Return the line to edit for a line (from 1) of a file, which is seen from the current folder."""
        try:
            return self._edit(path, line)
        except Exception:  # what a program prints may name any path, and its output is worth more than what is added
            return None

    def _edit(self, path: str, line: int) -> LineToEdit | None:
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._folders:
            self._folders[folder] = _place(folder)
        place = self._folders[folder]
        source = place.origin(path, line) if place is not None else None
        if source is None or place is None:
            return None
        origin, number, kind, text = source
        shown = str(place.project.locate(origin))
        if not os.path.isabs(path):
            shown = os.path.relpath(shown)
        return LineToEdit(one_line(shown), number, kind, one_line(text))


def _place(folder: str) -> "_Place | None":
    """The project around a folder, if it has one that can be read."""
    if not os.path.isdir(folder):
        return None
    from modular.project.opening import find_root, open_project
    from modular.rules.settings import SettingsError

    try:
        return _Place(open_project(find_root(Path(folder))))
    except (SettingsError, OSError):
        return None


@dataclass
class _Place:
    """A project in which frames appear."""

    project: "Project"

    @cached_property
    def _blamer(self) -> "Blamer":
        from modular.provenance.blame import Blamer
        from modular.run.engine import Engine

        return Blamer(Engine(self.project))

    def origin(self, path: str, line: int) -> tuple[str, int, str, str] | None:
        """The file and line that a line comes from, how it came in, and its text."""
        from modular.run.selection import relative_to_root

        relative = relative_to_root(self.project, path)
        if relative is None or self.project.generator(relative) is None:
            return None
        from modular.provenance.blame import BlameError
        from modular.rules.settings import SettingsError
        from modular.source.system.ruff import FormatterError

        try:
            blamed = self._blamer.deep(self._blamer.file(relative).only(line, line)).lines[0]
        except (BlameError, SettingsError, FormatterError):
            return None
        if blamed.path is None or blamed.origin_line is None:
            return None
        text = self._blamer.lines(blamed.path)[blamed.origin_line - 1].strip()
        return blamed.path, blamed.origin_line, blamed.kind.value, text


def annotate(lines: Iterable[str], frames: Frames, paint: Callable[[str], str] = str) -> Iterator[str]:
    """Yield lines as they come, and below each frame in a generated file one more: the line to edit.

    Lines keep their ends. What a frame shows of its code stays with it. ``paint`` colours what is added.
    """
    waiting: _Waiting | None = None
    for line in lines:
        plain = _COLOUR.sub("", line) if "\x1b" in line else line
        if waiting is not None and not waiting.goes_on(plain):
            yield paint(waiting.text)
            waiting = None
        yield line
        if len(line) <= _LONGEST and ".py" in plain and (shown := _frame(plain, frames)) is not None:
            waiting = shown
    if waiting is not None:
        yield paint(waiting.text)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is to be said below a frame, when its own lines, which begin alike, have passed."""

    text: str
    code: str

    def goes_on(self, line: str) -> bool:
        """Whether a line is one of the frame's."""
        return line.startswith(self.code)


def _frame(line: str, frames: Frames) -> _Waiting | None:
    for pattern, code in _CODE.items():
        match = pattern.fullmatch(line)
        if match is not None and (edit := frames.edit(match["path"], int(match["line"]))) is not None:
            return _Waiting(f"{match['before']}{code}{edit}: {edit.text}\n", match["before"] + code)
    return None
