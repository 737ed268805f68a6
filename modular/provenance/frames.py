"""Tracebacks: below each frame in a generated file, the line to edit.

Nothing of the converter is loaded before a frame is in a file that could be generated.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from modular.system.printable import one_line


if TYPE_CHECKING:
    from modular.provenance.blame import Blamer

_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PYTHON = re.compile(
    r'(?P<before>.*?)File "(?P<path>[^"]+\.py)", line (?P<line>\d{1,9})(?:, in .*)?\s*'
)
_PYTEST = re.compile(
    r"(?P<before>)(?P<path>\S[^\n]*?\.py):(?P<line>\d{1,9}):(?: in .+| [\w.]*)?\s*"
)
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
        self._blamer = cache(_blamer)

    def edit(self, path: str, line: int) -> LineToEdit | None:
        """Return the line to edit for a line (from 1) of a file, which is seen from the current folder."""
        try:
            return self._edit(path, line)
        except Exception:  # what a program prints may name any path, and its output is worth more than what is added
            return None

    def _edit(self, path: str, line: int) -> LineToEdit | None:
        blamer = self._blamer(os.path.dirname(os.path.abspath(path)))
        if blamer is None:
            return None
        from modular.run.selection import relative_to_root

        relative = relative_to_root(blamer.project, path)
        if relative is None or blamer.project.generator(relative) is None:
            return None
        blamed = blamer.deep(blamer.file(relative).only(line, line)).lines[0]
        if blamed.place is None:
            return None
        shown = str(blamer.project.locate(blamed.place.path))
        if not os.path.isabs(path):
            shown = os.path.relpath(shown)
        text = blamer.lines(blamed.place.path)[blamed.place.line - 1].strip()
        return LineToEdit(
            one_line(shown), blamed.place.line, blamed.kind.value, one_line(text)
        )


def _blamer(folder: str) -> "Blamer | None":
    """Return what blames the files of the project around a folder, if it has one."""
    if not os.path.isdir(folder):
        return None
    from modular.project.opening import find_root, open_project

    project = open_project(find_root(Path(folder)))
    if not project.modular_files:
        return None
    from modular.provenance.blame import Blamer
    from modular.run.engine import Engine

    return Blamer(Engine(project))


def annotate(
    lines: Iterable[str], frames: Frames, paint: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield lines as they come, and below each frame in a generated file one more: the line to edit.

    Lines keep their ends. What a frame shows of its code stays with it. ``paint`` colours what is added.
    """
    edit = code = ""
    for line in lines:
        plain = _COLOUR.sub("", line) if "\x1b" in line else line
        if edit and not plain.startswith(code):
            yield paint(edit)
            edit = ""
        yield line
        if (
            len(line) <= _LONGEST
            and ".py" in plain
            and (shown := _frame(plain, frames)) is not None
        ):
            edit, code = shown
    if edit:
        yield paint(edit)


def _frame(line: str, frames: Frames) -> tuple[str, str] | None:
    """What is to be said below a frame, and what the frame's own lines, which are above that, begin with."""
    for pattern, code in _CODE.items():
        match = pattern.fullmatch(line)
        if (
            match is not None
            and (edit := frames.edit(match["path"], int(match["line"]))) is not None
        ):
            return f"{match['before']}{code}{edit}: {edit.text}\n", match[
                "before"
            ] + code
    return None
