"""Diagnostics for the editor: of a modular file, of a generated file, and of settings."""

import re
from pathlib import PurePosixPath

from lsprotocol import types as lsp

from modular.lsp.project_file import TOP, ProjectFile
from modular.settings import settings
from modular.settings.settings import SettingsError
from modular.source import diagnostics
from modular.source.diagnostics import Place
from modular.system.reading import parse_toml


SOURCE = "modular"
"""The name under which editors show our diagnostics."""

GENERATED = "generated-file"
"""The code of the note at the top of a generated file."""

_POSITION = re.compile(r"at line (?P<line>\d+), column")
"""Where Python's TOML parser says that it stopped."""


def of_file(file: ProjectFile) -> list[lsp.Diagnostic]:
    """Return the diagnostics of a file as far as they are known."""
    if file.is_modular:
        return [
            of_diagnostic(file, diagnostic)
            for diagnostic in file.workspace.diagnostics(file.path)
        ]
    if (
        file.path in file.workspace.texts
        and (modular := file.workspace.generator(file.path)) is not None
    ):
        return [generated(file, modular)]
    return []


def of_diagnostic(
    file: ProjectFile, diagnostic: diagnostics.Diagnostic
) -> lsp.Diagnostic:
    """Translate a diagnostic of a modular file; a problem in another file is shown where that is imported."""
    place, other, role = diagnostic.place, diagnostic.related, diagnostic.code.relation
    if place.path != file.path:
        here = (
            other if other is not None and other.path == file.path else Place(file.path)
        )
        place, other, role = here, place, "found at"
    hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
    severity = (
        lsp.DiagnosticSeverity.Error
        if diagnostic.is_error
        else lsp.DiagnosticSeverity.Warning
    )
    related = (
        []
        if other is None
        else [lsp.DiagnosticRelatedInformation(file.location(other), role)]
    )
    return lsp.Diagnostic(
        file.range(place),
        f"{diagnostic.message}{hint}",
        severity,
        diagnostic.code.id,
        lsp.CodeDescription(diagnostic.code.url),
        SOURCE,
        related_information=related or None,
    )


def generated(file: ProjectFile, modular: str) -> lsp.Diagnostic:
    """Return the note at the top of a generated file."""
    first = file.workspace.lines(file.path)[0]
    origin = lsp.Location(file.uri_of(modular), TOP)
    return lsp.Diagnostic(
        lsp.Range(TOP.start, file.position(1, len(first) + 1, first)),
        f"generated from {PurePosixPath(modular).name}: edits are lost when it is converted",
        lsp.DiagnosticSeverity.Information,
        GENERATED,
        source=SOURCE,
        related_information=[
            lsp.DiagnosticRelatedInformation(origin, "edit this file instead")
        ],
    )


def settings_error(text: str) -> SettingsError | None:
    """Check the text of a `pyproject.toml` as it is being typed."""
    try:
        tool = parse_toml(text.encode(errors="replace")).get("tool", {})
        settings.from_table(tool.get("modular", {}) if isinstance(tool, dict) else {})
    except SettingsError as error:
        return error
    except ValueError as error:
        return SettingsError(str(error))
    return None


def of_settings(text: str, error: SettingsError | None) -> list[lsp.Diagnostic]:
    """Return what is wrong with settings, at the key or line of their file's text that the error names."""
    if error is None:
        return []
    message = str(error)
    at = _POSITION.search(message)
    key = next(
        (part for part in message.split(": ") if part.startswith("tool.modular")), ""
    )
    line = int(at["line"]) - 1 if at else max(settings.line_of_key(text, key) - 1, 0)
    width = len(text.split("\n")[line])
    span = lsp.Range(lsp.Position(line, 0), lsp.Position(line, width))
    return [lsp.Diagnostic(span, message, lsp.DiagnosticSeverity.Error, source=SOURCE)]
