"""Renders diagnostics as workflow commands, which GitHub shows beside the code."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from modular.cli.rendering.json import shown_line
from modular.source.diagnostics import Diagnostic, Severity, by_place
from modular.system.printable import one_line


MAX_ANNOTATIONS = 10
"""Annotations of one severity that GitHub shows per step; it drops the others."""

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return diagnostics as GitHub's workflow commands, the gravest ones first.

    GitHub shows only `MAX_ANNOTATIONS` of them. The other diagnostics therefore become
    plain lines of the log.

    Args:
        diagnostics: The diagnostics, in any order.
        root: The root of the project. Annotations need paths from the top of the
            checkout (`GITHUB_WORKSPACE`); if that is unknown or does not contain the
            root, paths are relative to the root.
    """
    folder = _folder_in_checkout(root)
    ordered = _gravest_first(diagnostics)
    lines = []
    for diagnostic in ordered[:MAX_ANNOTATIONS]:
        lines.append(f"{_command(diagnostic, folder)}\n")
    for diagnostic in ordered[MAX_ANNOTATIONS:]:
        lines.append(_log_line(diagnostic))
    return "".join(lines)


def _gravest_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort diagnostics by severity, and diagnostics of the same severity by place."""
    severities = list(Severity)
    return sorted(
        by_place(diagnostics),
        key=lambda diagnostic: severities.index(diagnostic.severity),
    )


def _log_line(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as one line of a log, with its place at the end."""
    severity = diagnostic.severity.value
    message = one_line(f"{severity}[{diagnostic.code.id}]: {diagnostic.message}")
    position = diagnostic.place.position
    return f"{message} --> {one_line(position)}\n" if position else f"{message}\n"


def _folder_in_checkout(root: Path) -> PurePosixPath:
    """Return the path of the project's root from the top of the checkout."""
    checkout = Path(os.environ.get("GITHUB_WORKSPACE") or root).resolve()
    if not root.is_relative_to(checkout):
        return PurePosixPath(".")
    return PurePosixPath(root.relative_to(checkout).as_posix())


def _command(diagnostic: Diagnostic, folder: PurePosixPath) -> str:
    """Return the workflow command with which GitHub shows a diagnostic at its line.

    For example `::error file=models/olmo/modular_olmo.py,line=4,title=...::message`.
    """
    place = diagnostic.place
    properties = {
        "file": folder / place.path,
        "line": place.line,
        "endLine": place.line,
        "col": place.column,
        "endColumn": place.column + place.width,
        "title": f"{diagnostic.code.id} {diagnostic.code.title}",
    }
    assignments = []
    for name, value in properties.items():
        escaped = _escape(str(value)).replace(":", "%3A").replace(",", "%2C")
        assignments.append(f"{name}={escaped}")
    message = _escape(_message(diagnostic))
    command = _COMMANDS[diagnostic.severity]
    return f"::{command} {','.join(assignments)}::{message}"


def _message(diagnostic: Diagnostic) -> str:
    """Return the message of a diagnostic, its related place and its hint, as lines."""
    lines = [diagnostic.message]
    related = diagnostic.related
    if related is not None:
        line = f"{diagnostic.code.relation} {related.path}:{related.line}"
        text = shown_line(related).strip()
        if text:
            line += f": {text}"
        lines.append(line)
    if diagnostic.hint:
        lines.append(f"hint: {diagnostic.hint}")
    return "\n".join(lines)


def _escape(text: str) -> str:
    """Escape the characters that have a meaning in a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
