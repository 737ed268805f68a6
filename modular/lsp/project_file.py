"""A file of a project, as the features of the editor see it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types as lsp

from modular.lsp.coordinates import Coordinates, Spot
from modular.lsp.workspace import Workspace
from modular.project.project import Project
from modular.source.diagnostics import Place


TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
"""The very beginning of a file."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file that the editor asks about: its project, its path in it, and how the editor counts."""

    workspace: Workspace
    path: str
    coordinates: Coordinates

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
        """The project with the texts of its open files as they are now, for another thread."""
        return replace(self.workspace.project, unsaved=dict(self.workspace.texts))

    def uri_of(self, path: str) -> str:
        """Return the editor's address of a file of the same project."""
        return self.coordinates.uri(self.workspace.project, path)

    def spot(self, position: lsp.Position) -> Spot:
        """Translate a position in this file."""
        return self.coordinates.spot(self.workspace.lines(self.path), position)

    def range(self, place: Place) -> lsp.Range:
        """Translate the span that a place marks."""
        return self.coordinates.range(place)

    def location(self, place: Place) -> lsp.Location:
        """Translate a place in any file of the project."""
        return lsp.Location(self.uri_of(place.path), self.coordinates.range(place))


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that takes long: ``compute`` is called in a thread of its own, and ``finish`` with what it returned."""

    compute: Callable[[], Any]
    finish: Callable[[ProjectFile, Any], Any]
