"""A file of a project, as the features of the editor see it, and places in it as the editor counts them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec, TextDocument

from modular.lsp.positions import character_index
from modular.lsp.workspace import CursorPosition, Workspace
from modular.project.project import Project
from modular.source.diagnostics import Edit, Place


TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
"""The very beginning of a file."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file that the editor asks about: its project, and its path in it.

    The editor counts lines and columns from 0, columns in the units of a ``codec``. ``documents`` are the open files by
    path: the editor may write their addresses differently.
    """

    workspace: Workspace
    path: str
    codec: PositionCodec
    documents: Mapping[Path, TextDocument]

    @property
    def uri(self) -> str:
        """The editor's address of the file."""
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
        """Return the editor's address of a file of the project, or of its source library."""
        file = self.workspace.project.locate(path)
        return self.documents[file].uri if file in self.documents else file.as_uri()

    def version_of(self, path: str) -> int | None:
        """Return the version that the text of a file has in the editor; None if it is not open."""
        document = self.documents.get(self.workspace.project.locate(path))
        return None if document is None else document.version

    def spot(self, position: lsp.Position) -> CursorPosition:
        """Translate the editor's position in this file; one after the end of a line is its end."""
        lines = self.workspace.lines(self.path)
        line = lines[position.line] if position.line < len(lines) else ""
        index = character_index(line, position.character, self.codec)
        return CursorPosition(position.line + 1, index + 1)

    def position(self, line: int, column: int, text: str) -> lsp.Position:
        """Translate a line and column, given the line's text."""
        units = self.codec.client_num_units(text[: column - 1])
        return lsp.Position(line - 1, units + max(0, column - 1 - len(text)))

    def range(self, place: Place) -> lsp.Range:
        """Translate the span that a place marks."""
        width = place.width if place.text else 0
        ends = (
            self.position(place.line, place.column + step, place.text)
            for step in (0, width)
        )
        return lsp.Range(*ends)

    def edited_range(self, edit: Edit) -> lsp.Range:
        """Translate the span of an edit, which may end on the line after the last."""
        lines = [*self.workspace.lines(edit.path), ""]
        ends = ((edit.line, edit.column), (edit.end_line, edit.end_column))
        return lsp.Range(
            *(self.position(line, column, lines[line - 1]) for line, column in ends)
        )

    def location(self, place: Place) -> lsp.Location:
        """Translate a place in any file of the project."""
        return lsp.Location(self.uri_of(place.path), self.range(place))
