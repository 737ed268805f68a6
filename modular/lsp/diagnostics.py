"""Diagnostics for the editor: those of a modular file, and the word at the top of a generated one."""

from pathlib import PurePosixPath

from modular.lsp.documents import Coordinates
from modular.lsp.protocol import (
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
    Position,
    Range,
)
from modular.lsp.workspace import Workspace
from modular.source import diagnostics
from modular.source.diagnostics import Place, relation


SOURCE = "modular"
"""Whose diagnostics they are, as editors show it."""

GENERATED = "generated-file"
"""The code of the word at the top of a generated file."""


def of_file(workspace: Workspace, path: str, at: Coordinates) -> list[Diagnostic]:
    """Return what there is to say about a file as it is now."""
    if workspace.is_modular(path):
        return [of(workspace, path, each, at) for each in workspace.found(path)]
    if path in workspace.texts and (modular := workspace.generator(path)) is not None:
        return [generated(workspace, path, modular, at)]
    return []


def of(workspace: Workspace, path: str, found: diagnostics.Diagnostic, at: Coordinates) -> Diagnostic:
    """Return a diagnostic of a modular file; what is wrong in another file is shown where it is imported."""
    place, other, word = found.place, found.related, relation(found)
    if place.path != path:
        here = other if other is not None and other.path == path else Place(path)
        place, other, word = here, place, "found at"
    hint = f"\nhint: {found.hint}" if found.hint else ""
    related = None
    if other is not None:
        related = [DiagnosticRelatedInformation(at.location(workspace.project, other), word)]
    return Diagnostic(
        at.range(place),
        f"{found.message}{hint}",
        DiagnosticSeverity.Error if found.is_error else DiagnosticSeverity.Warning,
        found.code.id,
        source=SOURCE,
        related_information=related,
    )


def generated(workspace: Workspace, path: str, modular: str, at: Coordinates) -> Diagnostic:
    """Return the word at the top of a generated file."""
    start = Position(0, 0)
    place = Location(at.uri(workspace.project, modular), Range(start, start))
    return Diagnostic(
        Range(start, at.position(1, len(workspace.lines(path)[0]) + 1, workspace.lines(path)[0])),
        f"generated from {PurePosixPath(modular).name}: edits are lost when it is converted",
        DiagnosticSeverity.Information,
        GENERATED,
        source=SOURCE,
        related_information=[DiagnosticRelatedInformation(place, "edit this file instead")],
    )
