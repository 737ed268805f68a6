"""Adds the line to edit to text output of programs: tracebacks, findings, annotations.

Everything else passes unchanged. A finding that copies of one line repeat in further
generated files is shown once.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from modular.provenance.line_map import LineMap, LineToEdit
from modular.system.printable import one_line


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PYTHON_FRAME = re.compile(
    r'(?P<prefix>.*?)File "(?P<path>[^"]+\.py)", line (?P<line>\d{1,9})(?:, in .*)?\s*'
)
_PYTEST_FRAME = re.compile(
    r"(?P<prefix>)(?P<path>\S[^\n]*?\.py):(?P<line>\d{1,9}):(?: in .+| [\w.]*)?\s*"
)
_CODE_INDENTS = {_PYTHON_FRAME: "  ", _PYTEST_FRAME: "    "}
"""The indent of the code that is shown below a frame, after the frame's prefix."""

_FINDING = re.compile(
    r"(?P<indent>\s*)(?P<arrow>--> )?(?P<path>\S.*?\.py):L?(?P<line>\d{1,9})"
    r"(?::\d{1,9})?(?P<message>.*)",
    re.DOTALL,
)
"""A finding as most tools print it, or the second line of one of ruff and ty.

mlinter writes an `L` before the line's number.
"""

_HEADING = re.compile(
    r"[A-Z]{1,6}\d{2,5} .*|(?:error|warning|info)\[[\w-]+\].*", re.DOTALL
)
"""The first line of a finding of ruff and ty, above the arrow to the place."""

_NUMBER = re.compile(r":L?(\d{1,9})")
_PATH_SEPARATORS = " \t\"'`()[]<>{}=,;|"
_PATH_END = ".py:"

_COVERAGE_ROW = re.compile(
    r"(?P<path>\S+\.py)\s+\d+\s+\d+(?:\s+\d+\s+\d+)?\s+[\d.]+%\s+(?P<missing>\d.*)",
    re.DOTALL,
)
"""A row of `coverage report --show-missing`, with or without branches."""

_LINE_RANGE = re.compile(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*")

_ANNOTATION = re.compile(
    r"::(?P<kind>error|warning|notice) (?P<properties>[^\n]*?)::(?P<message>[^\n]*)(?P<end>\s*)"
)
_PROPERTY_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
"""How GitHub escapes the values of an annotation, the percent sign first."""

_MAX_LINE_CHARS = 10_000
_MAX_LOCATIONS_PER_LINE = 10
_MAX_MISSING_LINES = 10_000


class _Addition(NamedTuple):
    """A line to add behind the lines that belong to a place.

    Attributes:
        line: The line to add.
        belongs: Tells whether a line still belongs to the place.
    """

    line: str
    belongs: Callable[[str], bool]


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


class TextMapper:
    """Adds the lines to edit to a program's output, line by line."""

    def __init__(self, line_map: LineMap, paint: Callable[[str], str]) -> None:
        """Start with no lines.

        Args:
            line_map: Finds the lines to edit.
            paint: Colours an added line.
        """
        self._line_map = line_map
        self._paint = paint
        self._findings: dict[tuple[str, int, str], _Finding] = {}
        self._addition: _Addition | None = None
        self._heading = ""
        self._is_dropping: Callable[[str], bool] | None = None

    def map_line(self, line: str) -> Iterator[str]:
        """Yield a line, and what belongs above or below it."""
        plain_line = _COLOUR.sub("", line)
        if self._is_dropping is not None:
            if self._is_dropping(plain_line):
                return
            self._is_dropping = None
            if not plain_line.strip():
                return
        if self._addition is not None:
            if not self._addition.belongs(plain_line):
                yield self._paint(self._addition.line)
                self._addition = None

        if len(line) > _MAX_LINE_CHARS:
            yield from self._release_heading()
            yield line
        elif _HEADING.fullmatch(plain_line) and _PATH_END not in plain_line:
            yield from self._release_heading()
            self._heading = line
        else:
            yield from self._map_place(line, plain_line)

    def finish(self) -> Iterator[str]:
        """Yield what is left, and the findings that more files have."""
        yield from self._release_heading()
        if self._addition is not None:
            yield self._paint(self._addition.line)
            self._addition = None
        for finding in self._findings.values():
            files = len(finding.more_files)
            if files:
                noun = "file" if files == 1 else "files"
                text = f"{finding.text}: and in {files} more {noun}\n"
                yield self._paint(text)
        self._findings.clear()

    def _release_heading(self) -> Iterator[str]:
        """Yield a heading that was kept back until the line below it was known."""
        if self._heading:
            yield self._heading
            self._heading = ""

    def _map_place(self, line: str, plain_line: str) -> Iterator[str]:
        """Yield a line in which the place of a frame or finding may be written."""
        if ".py" not in plain_line:
            yield from self._release_heading()
            yield line
            return
        annotation = _ANNOTATION.fullmatch(plain_line)
        if annotation is not None:
            yield from self._map_annotation(line, annotation)
            return
        frame = self._map_frame(plain_line)
        if frame is not None:
            yield from self._release_heading()
            yield line
            self._addition = frame
            return
        finding = _FINDING.fullmatch(plain_line)
        if finding is not None and os.path.isfile(finding["path"]):
            yield from self._map_finding(line, finding)
            return
        yield from self._release_heading()
        yield line
        below = self._edit_anywhere(plain_line)
        if below:
            yield self._paint(below)

    def _map_frame(self, plain_line: str) -> _Addition | None:
        """Return what to add below a line that is a frame in a generated file."""
        for pattern, code_indent in _CODE_INDENTS.items():
            match = pattern.fullmatch(plain_line)
            if match is None:
                continue
            edit = self._line_map.edit(match["path"], int(match["line"]))
            if edit is not None:
                prefix = match["prefix"] + code_indent
                return _Addition(f"{prefix}{edit}\n", _begins_with(prefix))
        return None

    def _map_finding(self, line: str, match: re.Match[str]) -> Iterator[str]:
        """Yield a finding and the line to edit, or nothing if it is a copy."""
        path = match["path"]
        message = match["message"].strip()
        if match["arrow"]:
            message = _COLOUR.sub("", self._heading).strip()
        edit = self._line_map.edit(path, int(match["line"]))
        if self._is_copy(path, int(match["line"]), message, edit):
            self._drop_rest(match)
            return
        yield from self._release_heading()
        yield line
        if edit is not None:
            added_line = f"{match['indent']}  {edit}\n"
            if match["arrow"]:
                yield self._paint(added_line)
            else:
                belongs = _is_indented_by_more(match["indent"])
                self._addition = _Addition(added_line, belongs)

    def _is_copy(
        self,
        path: str,
        line: int,
        message: str,
        edit: LineToEdit | None,
        *,
        is_moved: bool = False,
    ) -> bool:
        """Tell whether a finding in another file was about the same source line.

        Args:
            path: The file of the finding.
            line: Its line.
            message: Its message.
            edit: The line to edit, or None if the file is not generated.
            is_moved: Whether the first finding was moved to the line to edit.
        """
        source_path = path if edit is None else edit.path
        source_line = line if edit is None else edit.line
        general_message = self._line_map.without_model(message, path)
        key = (os.path.abspath(source_path), source_line, general_message)
        first = self._findings.get(key)
        if first is None:
            text = message.lstrip(": -")
            text = one_line(f"{source_path}:{source_line}: {text}")
            self._findings[key] = _Finding(path, text)
            return False
        if first.path == path:
            return False
        if edit is None:
            return is_moved
        first.more_files.add(path)
        return True

    def _drop_rest(self, match: re.Match[str]) -> None:
        """Drop the lines that belong to a finding that is a copy."""
        self._heading = ""
        if match["arrow"]:
            self._is_dropping = lambda line: bool(line.strip())
        else:
            self._is_dropping = _is_indented_by_more(match["indent"])

    def _map_annotation(self, line: str, match: re.Match[str]) -> Iterator[str]:
        """Yield an annotation of GitHub Actions that points to the line to edit."""
        yield from self._release_heading()
        properties: dict[str, str] = {}
        for part in match["properties"].split(","):
            name, _, value = part.partition("=")
            properties[name] = _unescape(value)
        path, number = properties.get("file", ""), properties.get("line", "")
        edit = None
        if number.isascii() and number.isdigit() and path.endswith(".py"):
            edit = self._line_map.edit(path, int(number))
            message = _unescape(match["message"])
            _, separator, reason = message.partition(f":{number}:")
            if not separator:
                reason = message
            if self._is_copy(path, int(number), reason, edit, is_moved=True):
                return
        if edit is None:
            yield line
            return

        moved = _move_annotation(properties, edit)
        written = ",".join(f"{name}={_escape(value)}" for name, value in moved.items())
        message = f"{match['message']}%0A(generated: {_escape(path)}:{number})"
        yield f"::{match['kind']} {written}::{message}{match['end']}"

    def _edit_anywhere(self, plain_line: str) -> str:
        """Return the line to add below a line that names a place somewhere."""
        row = _COVERAGE_ROW.fullmatch(plain_line)
        if row is not None:
            return self._edit_missing(row)
        indent = plain_line[: len(plain_line) - len(plain_line.lstrip())] + "  "
        for path, number in _locations(plain_line):
            edit = self._line_map.edit(path, number)
            if edit is not None:
                return f"{indent}{edit}\n"
        return ""

    def _edit_missing(self, row: re.Match[str]) -> str:
        """Return the source lines of the missing lines of a row of coverage."""
        lines_by_path: dict[str, set[int]] = {}
        for number in _missing_lines(row["missing"]):
            edit = self._line_map.edit(row["path"], number)
            if edit is not None:
                lines_by_path.setdefault(edit.path, set()).add(edit.line)
        if not lines_by_path:
            return ""
        places = []
        for path, lines in sorted(lines_by_path.items()):
            places.append(f"{one_line(path)}:{_as_ranges(lines)}")
        return f"  missing: {'; '.join(places)}\n"


def _begins_with(prefix: str) -> Callable[[str], bool]:
    return lambda line: line.startswith(prefix)


def _is_indented_by_more(indent: str) -> Callable[[str], bool]:
    """Return a function that tells whether a line, which is not empty, is indented more.

    pyright indents by spaces that do not break.
    """

    def is_indented(line: str) -> bool:
        text = line.lstrip()
        return bool(text) and len(line) - len(text) > len(indent)

    return is_indented


def _locations(line: str) -> Iterator[tuple[str, int]]:
    """Yield the paths and line numbers in a text, such as `models/a.py:12`."""
    end = 0
    for _ in range(_MAX_LOCATIONS_PER_LINE):
        end = line.find(_PATH_END, end)
        if end < 0:
            return
        end += len(_PATH_END) - 1
        start = end
        while start > 0 and line[start - 1] not in _PATH_SEPARATORS:
            start -= 1
        number = _NUMBER.match(line, end)
        if number is not None:
            yield line[start:end], int(number[1])


def _missing_lines(text: str) -> Iterator[int]:
    """Yield the lines of `12-14, 20`. Branches such as `20->22` are left out."""
    for part in text.split(","):
        match = _LINE_RANGE.fullmatch(part)
        if match is not None:
            first = int(match[1])
            last = int(match[2] or first)
            yield from range(first, min(last, first + _MAX_MISSING_LINES) + 1)


def _as_ranges(lines: Iterable[int]) -> str:
    """Return lines as coverage writes them: `12-14, 20`."""
    ranges: list[list[int]] = []
    for line in sorted(lines):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    texts = []
    for first, last in ranges:
        texts.append(str(first) if first == last else f"{first}-{last}")
    return ", ".join(texts)


def _move_annotation(properties: dict[str, str], edit: LineToEdit) -> dict[str, str]:
    """Return the properties of an annotation that points to the line to edit."""
    moved = {**properties, "file": edit.path, "line": str(edit.line)}
    is_one_line = properties.get("endLine", properties["line"]) == properties["line"]
    if "endLine" in moved:
        moved["endLine"] = str(edit.line)
    for name in ("col", "endColumn"):
        column = properties.get(name, "")
        if column.isascii() and column.isdigit():
            moved[name] = str(edit.column(int(column)))
    if not is_one_line:
        moved.pop("endColumn", None)
    return moved


def _escape(value: str) -> str:
    for character, escape in _PROPERTY_ESCAPES.items():
        value = value.replace(character, escape)
    return value


def _unescape(value: str) -> str:
    for character, escape in reversed(_PROPERTY_ESCAPES.items()):
        value = value.replace(escape, character)
    return value
