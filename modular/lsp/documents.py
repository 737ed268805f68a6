"""Which file of a project an address names, and where a place is for the editor."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from modular.lsp.protocol import Location, Position, Range
from modular.source.diagnostics import Edit, Place


if TYPE_CHECKING:
    from modular.project.project import Project


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the cursor is: line and column, from 1, columns in characters."""

    line: int
    column: int


def file_of(uri: str) -> Path | None:
    """Return the absolute path of a file that is on this machine, its folder's links followed; None for any other address."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = _on_windows(parts.path) if os.name == "nt" else unquote(parts.path)
    if not os.path.isabs(path) or "\0" in path:
        return None
    folder, name = os.path.split(os.path.normpath(path))
    return Path(os.path.realpath(folder)) / name


def _on_windows(path: str) -> str:
    from urllib.request import url2pathname  # it loads all of HTTP

    return url2pathname(unquote(path))


def path_in(project: "Project", uri: str) -> str | None:
    """Return the path, relative to the root, of a file of the project; None if it is outside, or a link leads out."""
    file = file_of(uri)
    if file is None or not file.is_relative_to(project.root):
        return None
    path = file.relative_to(project.root).as_posix()
    return None if project.leads_out(path) else path


def _utf_8(text: str) -> int:
    return len(text.encode("utf-8", errors="surrogatepass"))


def _utf_16(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)


_UNITS = {"utf-8": _utf_8, "utf-16": _utf_16, "utf-32": len}
"""How many units a text has, by encoding."""


class Coordinates:
    """Translates places for an editor, which counts lines and columns from 0, and columns in units of its own.

    ``encoding`` is that in whose units it counts: `utf-8`, `utf-16` or `utf-32`. ``uris`` are the addresses by which the
    editor knows the files that are open.
    """

    def __init__(self, encoding: str, uris: Mapping[str, str]) -> None:
        self._units = _UNITS.get(encoding, _utf_16)
        self._uris = uris

    def uri(self, project: "Project", path: str) -> str:
        """Return the address of a file of a project, or of its source library."""
        file = project.locate(path)
        return self._uris.get(str(file)) or file.as_uri()

    def spot(self, lines: list[str], position: Position) -> Spot:
        """Return what a position of the editor's is, in a file with these lines."""
        line = lines[position.line] if position.line < len(lines) else ""
        units = 0
        for column, letter in enumerate(line, start=1):
            if units >= position.character:
                return Spot(position.line + 1, column)
            units += self._units(letter)
        return Spot(position.line + 1, len(line) + 1)

    def position(self, line: int, column: int, text: str) -> Position:
        """Return the position of a column of a line, whose text is given."""
        return Position(line - 1, self._units(text[: column - 1]) + max(0, column - 1 - len(text)))

    def range(self, place: Place) -> Range:
        """Return the span that a place marks."""
        start, end = place.column, place.column + place.width
        if not place.text:
            end = start
        return Range(self.position(place.line, start, place.text), self.position(place.line, end, place.text))

    def location(self, project: "Project", place: Place) -> Location:
        """Return a place with its file."""
        return Location(self.uri(project, place.path), self.range(place))

    def span(self, edit: Edit, lines: list[str]) -> Range:
        """Return the span of an edit in a file with these lines."""

        def text(line: int) -> str:
            return lines[line - 1] if line <= len(lines) else ""

        start = self.position(edit.line, edit.column, text(edit.line))
        return Range(start, self.position(edit.end_line, edit.end_column, text(edit.end_line)))
