"""Adds to a traceback, below each frame in a generated file, the line to edit.

The converter is not loaded before a frame is in a file that may be generated.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from modular.system.printable import one_line


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PYTHON_FRAME = re.compile(
    r'(?P<prefix>.*?)File "(?P<path>[^"]+\.py)", line (?P<line>\d{1,9})(?:, in .*)?\s*'
)
_PYTEST_FRAME = re.compile(
    r"(?P<prefix>)(?P<path>\S[^\n]*?\.py):(?P<line>\d{1,9}):(?: in .+| [\w.]*)?\s*"
)
_CODE_INDENTS = {_PYTHON_FRAME: "  ", _PYTEST_FRAME: "    "}
"""The indent of the code that is shown below a frame, after the frame's prefix."""

_MAX_FRAME_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class LineToEdit:
    """The source line to edit for a frame in a generated file.

    Attributes:
        path: The source file, absolute or relative to the current folder as the path
            in the frame is.
        line: The line, from 1.
        kind: The value of the line's `modular.rules.files.drafts.Provenance`.
        text: The text of the line.
    """

    path: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"edit {self.path}:{self.line} ({self.kind})"


class Frames:
    """Finds the lines to edit. Each project and each file is read once."""

    def __init__(self) -> None:
        self._blamer = cache(_open_blamer)

    def edit(self, path: str, line: int) -> LineToEdit | None:
        """Return the line to edit for a line of a generated file.

        Args:
            path: The generated file, absolute or relative to the current folder.
            line: The line, from 1.

        Returns:
            None if the file is stale, or not generated.
        """
        try:
            return self._edit(path, line)
        except Exception:
            # The output of a program may name any path. It is passed on in any case.
            return None

    def _edit(self, path: str, line: int) -> LineToEdit | None:
        blamer = self._blamer(os.path.dirname(os.path.abspath(path)))
        if blamer is None:
            return None
        from modular.run.selection import relative_to_root

        relative_path = relative_to_root(blamer.project, path)
        if relative_path is None or blamer.project.generator(relative_path) is None:
            return None
        blame = blamer.blame_file_on_disk(relative_path).only(line, line)
        place = blamer.trace_blame(blame).lines[0].place
        if place is None:
            return None

        source_path = str(blamer.project.locate(place.path))
        if not os.path.isabs(path):
            source_path = os.path.relpath(source_path)
        text = blamer.lines(place.path)[place.line - 1].strip()
        return LineToEdit(
            path=one_line(source_path),
            line=place.line,
            kind=blame.lines[0].kind.value,
            text=one_line(text),
        )


def _open_blamer(folder: str) -> "Blamer | None":
    """Return the blamer of the project around a folder; None if there is no project."""
    if not os.path.isdir(folder):
        return None
    from modular.project.opening import find_root, open_project

    project = open_project(find_root(Path(folder)))
    if not project.modular_files:
        return None
    from modular.provenance.blame import Blamer
    from modular.run.engine import Engine

    return Blamer(Engine(project))


class _Addition(NamedTuple):
    """A line to add below a frame, after the code lines, which begin with a prefix."""

    line: str
    code_prefix: str


def annotate(
    lines: Iterable[str], frames: Frames, paint: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield lines of a program's output, and the line to edit below each frame.

    Args:
        lines: The lines with their line ends, as they come.
        frames: Finds the lines to edit.
        paint: Colours an added line.
    """
    addition: _Addition | None = None
    for line in lines:
        plain_line = _COLOUR.sub("", line)
        if addition is not None and not plain_line.startswith(addition.code_prefix):
            yield paint(addition.line)
            addition = None
        yield line
        if len(line) <= _MAX_FRAME_CHARS and ".py" in plain_line:
            addition = _addition_below(plain_line, frames) or addition
    if addition is not None:
        yield paint(addition.line)


def _addition_below(line: str, frames: Frames) -> _Addition | None:
    """Return what to add below a line that is a frame in a generated file."""
    for pattern, indent in _CODE_INDENTS.items():
        match = pattern.fullmatch(line)
        if match is None:
            continue
        edit = frames.edit(match["path"], int(match["line"]))
        if edit is not None:
            code_prefix = match["prefix"] + indent
            return _Addition(f"{code_prefix}{edit}: {edit.text}\n", code_prefix)
    return None
