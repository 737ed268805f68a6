"""Translates diagnostics of files and settings for the editor."""

import re
from pathlib import PurePosixPath

from lsprotocol import types as lsp

from modular.lsp.project_file import TOP, ProjectFile
from modular.settings import settings
from modular.settings.settings import SettingsError
from modular.source import diagnostics
from modular.source.diagnostics import Place, Severity
from modular.system.reading import parse_toml


SOURCE = "modular"
"""Name of the tool that editors show with a diagnostic."""

GENERATED = "generated-file"
"""Code of the note at the top of a generated file."""

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}

_TOML_POSITION = re.compile(r"at line (?P<line>\d+), column")
"""The position in a message of Python's TOML parser."""


def of_file(file: ProjectFile) -> list[lsp.Diagnostic]:
    """Return the diagnostics that the editor shows for a file.

    For a modular file, these are the diagnostics of its last conversion. A generated file
    that is open has one diagnostic: the note that it is generated.
    """
    workspace = file.workspace
    if file.is_modular:
        return [
            of_diagnostic(file, diagnostic)
            for diagnostic in workspace.diagnostics(file.path)
        ]
    is_open = file.path in workspace.texts
    if not is_open:
        return []
    modular = workspace.generating_modular(file.path)
    return [] if modular is None else [generated_note(file, modular)]


def of_diagnostic(
    file: ProjectFile, diagnostic: diagnostics.Diagnostic
) -> lsp.Diagnostic:
    """Translate a diagnostic of a modular file for the editor.

    The editor shows diagnostics in one file. A problem in another file, such as a
    parent, is shown at the import of that file, with a link to the place of the
    problem.
    """
    place = diagnostic.place
    related_place = diagnostic.related
    relation = diagnostic.code.relation
    if place.path != file.path:
        # The problem is in another file. It becomes the related place, and the import
        # of the other file becomes the place. Without an import, it is the start of the
        # file.
        relation = "found at"
        import_place = Place(file.path)
        if related_place is not None and related_place.path == file.path:
            import_place = related_place
        place, related_place = import_place, place

    message = diagnostic.message
    if diagnostic.hint:
        message += f"\nhint: {diagnostic.hint}"
    related_information = None
    if related_place is not None:
        location = file.location(related_place)
        related_information = [lsp.DiagnosticRelatedInformation(location, relation)]
    return lsp.Diagnostic(
        range=file.range(place),
        message=message,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code.id,
        code_description=lsp.CodeDescription(diagnostic.code.url),
        source=SOURCE,
        related_information=related_information,
    )


def generated_note(file: ProjectFile, modular: str) -> lsp.Diagnostic:
    """Return a note for the first line of a generated file, which names the file to edit.

    Args:
        file: The generated file.
        modular: Path of the modular file that generates it.
    """
    first_line = file.workspace.lines(file.path)[0]
    end = file.position(1, len(first_line) + 1, first_line)
    modular_name = PurePosixPath(modular).name
    origin = lsp.Location(file.uri_of(modular), TOP)
    related = lsp.DiagnosticRelatedInformation(origin, "the file to edit")
    return lsp.Diagnostic(
        range=lsp.Range(TOP.start, end),
        message=f"generated from {modular_name}: edit that file instead",
        severity=lsp.DiagnosticSeverity.Information,
        code=GENERATED,
        source=SOURCE,
        related_information=[related],
    )


def of_settings(text: str, error: SettingsError | None) -> list[lsp.Diagnostic]:
    """Return what is wrong with a `pyproject.toml`, as a diagnostic of a line in it.

    Args:
        text: The text of the file.
        error: Why the project cannot be opened, or None if it is open. An open project
            keeps its old settings if the text is not valid now.

    Returns:
        A diagnostic with this error, or else with an error in the text, if there is any.
    """
    problem: Exception | None = error
    if problem is None:
        try:
            settings.from_document(parse_toml(text.encode(errors="replace")))
        except (SettingsError, ValueError) as text_error:
            problem = text_error
    if problem is None:
        return []
    message = str(problem)
    return [_error_on_line(text, _line_of_error(text, message), message)]


def _line_of_error(text: str, message: str) -> int:
    """Return the line of a settings file that an error message is about.

    Args:
        text: The text of the file.
        message: A message with a position, `... (at line 3, column 5)`, or with a key,
            `tool.modular.output: expected a string`.

    Returns:
        The line, counted from 1, or 0 if the message tells none.
    """
    position = _TOML_POSITION.search(message)
    if position is not None:
        return int(position["line"])
    for possible_key in message.split(": "):
        # A text that is not a key of the file has no line.
        line = settings.line_of_key(text, possible_key)
        if line:
            return line
    return 0


def _error_on_line(text: str, line: int, message: str) -> lsp.Diagnostic:
    """Return an error that marks a whole line of `pyproject.toml`.

    The lines count from 1. If the line is unknown (0), the first line is marked.
    """
    # The editor counts lines from 0.
    index = max(line - 1, 0)
    width = len(text.split("\n")[index])
    span = lsp.Range(lsp.Position(index, 0), lsp.Position(index, width))
    severity = lsp.DiagnosticSeverity.Error
    return lsp.Diagnostic(span, message, severity, source=SOURCE)
