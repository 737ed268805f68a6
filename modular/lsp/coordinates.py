"""Translates the editor's addresses and positions to paths, lines and columns, and back."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from modular.project.project import Project
from modular.source.diagnostics import Edit, Place


@dataclass(frozen=True, slots=True)
class Spot:
    """A cursor position: line and column, from 1, columns in characters."""

    line: int
    column: int


def local_file(uri: str) -> Path | None:
    """Return the absolute path that an address names, links of its folder followed; None unless it is a file on this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = _windows_path(parts.path) if os.name == "nt" else unquote(parts.path)
    if not os.path.isabs(path) or "\0" in path:
        return None
    folder, name = os.path.split(os.path.normpath(path))
    return Path(os.path.realpath(folder)) / name


def _windows_path(path: str) -> str:
    from urllib.request import url2pathname  # it loads all of HTTP

    return url2pathname(unquote(path))


def path_in(project: Project, uri: str) -> str | None:
    """Return a file's path relative to the project's root; None if it is outside, or a link leads out."""
    file = local_file(uri)
    if file is None or not file.is_relative_to(project.root):
        return None
    path = file.relative_to(project.root).as_posix()
    return None if project.leads_out(path) else path


class Coordinates:
    """Translates between places and the editor's positions, which count from 0, columns in units of an encoding.

    ``documents`` are the open files by path: the editor may write their addresses differently.
    """

    def __init__(self, codec: PositionCodec, documents: Mapping[Path, lsp.TextDocumentItem]) -> None:
        self._codec = codec
        self._documents = documents

    def uri(self, project: Project, path: str) -> str:
        """Return the address of a file of a project, or of its source library."""
        file = project.locate(path)
        return self._documents[file].uri if file in self._documents else file.as_uri()

    def spot(self, lines: list[str], position: lsp.Position) -> Spot:
        """Translate an editor's position in a file with these lines; one after the end of a line is its end."""
        line = lines[position.line] if position.line < len(lines) else ""
        units = min(position.character, self._codec.client_num_units(line))
        column = self._codec.position_from_client_units([line], lsp.Position(0, units)).character
        return Spot(position.line + 1, column + 1)

    def position(self, line: int, column: int, text: str) -> lsp.Position:
        """Translate a line and column, given the line's text."""
        units = self._codec.client_num_units(text[: column - 1])
        return lsp.Position(line - 1, units + max(0, column - 1 - len(text)))

    def range(self, place: Place) -> lsp.Range:
        """Translate the span that a place marks."""
        start = self.position(place.line, place.column, place.text)
        if not place.text:
            return lsp.Range(start, start)
        return lsp.Range(start, self.position(place.line, place.column + place.width, place.text))

    def edited_range(self, edit: Edit, lines: list[str]) -> lsp.Range:
        """Translate the span of an edit in a file with these lines."""

        def text(line: int) -> str:
            return lines[line - 1] if line <= len(lines) else ""

        start = self.position(edit.line, edit.column, text(edit.line))
        return lsp.Range(start, self.position(edit.end_line, edit.end_column, text(edit.end_line)))
