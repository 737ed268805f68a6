"""A file that the editor asks about, with translation of places and positions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec, TextDocument

from modular.lsp.positions import character_index, line_at
from modular.lsp.workspace import CursorPosition, Workspace
from modular.project.project import Project
from modular.source.diagnostics import Edit, Place


TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
"""The beginning of a file."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file that the editor asks about.

    The editor counts lines and columns from 0, places count them from 1.

    Attributes:
        workspace: The project of the file.
        path: Path of the file relative to the root.
        codec: Counts the columns of characters as the editor does.
        documents: The open files; the editor may write their URIs differently.
    """

    workspace: Workspace
    path: str
    codec: PositionCodec
    documents: Mapping[Path, TextDocument]

    @property
    def uri(self) -> str:
        """The editor's URI of the file."""
        return self.uri_of(self.path)

    @property
    def is_modular(self) -> bool:
        """Whether it is a modular file."""
        return self.workspace.is_modular(self.path)

    @property
    def project(self) -> Project:
        """The project with the texts of its open files."""
        return replace(self.workspace.project, unsaved=self.workspace.texts)

    def uri_of(self, path: str) -> str:
        """Return the editor's URI of a file of the project or its source library."""
        document = self._document(path)
        if document is None:
            return self.workspace.project.locate(path).as_uri()
        return document.uri

    def version_of(self, path: str) -> int | None:
        """Return the editor's version of a file; None if it is not open."""
        document = self._document(path)
        return None if document is None else document.version

    def _document(self, path: str) -> TextDocument | None:
        """Return the editor's document of a file; None if it is not open."""
        return self.documents.get(self.workspace.project.locate(path))

    def cursor_position(self, position: lsp.Position) -> CursorPosition:
        """Translate a position of the editor to a line and column, from 1.

        The editor counts from 0, and columns in its own units. A position after the end
        of a line becomes the end of the line.
        """
        lines = self.workspace.lines(self.path)
        line = line_at(lines, position.line + 1)
        index = character_index(line, position.character, self.codec)
        return CursorPosition(line=position.line + 1, column=index + 1)

    def position(self, line: int, column: int, text: str) -> lsp.Position:
        """Translate a line and column to a position of the editor.

        Args:
            line: Number of the line, from 1.
            column: Number of the column, from 1.
            text: Text of the line. A column after its end counts as one unit.
        """
        characters_before = column - 1
        units = self.codec.client_num_units(text[:characters_before])
        units_after_end = max(0, characters_before - len(text))
        return lsp.Position(line - 1, units + units_after_end)

    def range(self, place: Place) -> lsp.Range:
        """Translate the characters that a place marks to a range of the editor.

        If the text of the line is unknown, the range is empty.
        """
        start = self.position(place.line, place.column, place.text)
        if not place.text:
            return lsp.Range(start, start)
        end = self.position(place.line, place.column + place.width, place.text)
        return lsp.Range(start, end)

    def edited_range(self, edit: Edit) -> lsp.Range:
        """Translate the text that an edit replaces to a range of the editor."""
        # An edit may end at the start of the line below the last one.
        lines = self.workspace.lines(edit.path)
        start = self.position(edit.line, edit.column, line_at(lines, edit.line))
        end_text = line_at(lines, edit.end_line)
        end = self.position(edit.end_line, edit.end_column, end_text)
        return lsp.Range(start, end)

    def location(self, place: Place) -> lsp.Location:
        """Translate a place in any file of the project."""
        return lsp.Location(self.uri_of(place.path), self.range(place))
