"""Renders results as JSON; `modular/schema.json` describes each command's output."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from modular.cli.printing import echo_json
from modular.cli.rendering.terminal import MAX_EXCERPT_CHARS
from modular.provenance.origins import BlamedLine
from modular.run.api import FileReport, Report
from modular.source.diagnostics import Diagnostic, Edit, Place, Problem, by_place


if TYPE_CHECKING:
    from modular.effects.overrides import DriftedOverride

_SCHEMA = 1
"""The version of the output; it increases with each incompatible change."""

_WITHOUT_EDIT = (
    Problem.CANNOT_WRITE,
    Problem.INTERNAL_ERROR,
    Problem.STALE_FILE,
    Problem.MISSING_FILE,
    Problem.ORPHAN,
    Problem.HAND_EDITED,
    Problem.NOT_ADDED,
)
"""Problems that a command solves, or a report of a bug, but no edit of a source."""


def print_object(values: dict[str, object]) -> None:
    """Print the result of a command as a JSON object with the schema's version."""
    echo_json(json.dumps({"schema": _SCHEMA, **values}, indent=2) + "\n")


def attributes(value: object, *names: str) -> dict[str, object]:
    """Return a mapping with some attributes of a value, keyed by their names."""
    return {name: getattr(value, name) for name in names}


def shown_line(place: Place) -> str:
    """Return the source line of a place, or "" if it is too long to show."""
    return place.text if len(place.text) <= MAX_EXCERPT_CHARS else ""


def report_values(report: Report) -> dict[str, object]:
    """Return the values that `check` and `convert` print."""
    files = [_file_values(report, file) for file in report.files]
    return {
        "files": files,
        "formatter_note": report.formatter_note,
        **error_values(report.diagnostics),
    }


def _file_values(report: Report, file: FileReport) -> dict[str, object]:
    """Return the values that are printed for a generated file.

    The numbers of lines are None if the model has an error.
    """
    generated_lines = None
    modular_lines = None
    counts = report.lines.get(file.modular)
    if counts is not None:
        generated_lines = counts.generated.get(file.path)
        modular_lines = counts.modular
    return {
        **attributes(file, "path", "modular", "status"),
        "lines": generated_lines,
        "modular_lines": modular_lines,
        **attributes(file.difference, "added", "removed"),
        **attributes(file, "diff", "differs_only_in_line_ends"),
        "differs_only_in_formatting": file.differs_only_in_formatting,
    }


def line_values(line: BlamedLine) -> dict[str, object]:
    """Return the values that `blame` and `where` print for a generated line."""
    renamed = None
    if line.renamed is not None:
        renamed = {"from": line.renamed.old, "to": line.renamed.new}
    return {
        **attributes(line, "line", "kind", "path", "origin_line"),
        "class": line.class_,
        "member": line.member,
        "renamed": renamed,
    }


def error_values(diagnostics: Iterable[Diagnostic]) -> dict[str, object]:
    """Return diagnostics, sorted by place, as the value `errors`.

    Lines and columns count from 1, columns in characters.
    """
    return {"errors": [_diagnostic(diagnostic) for diagnostic in by_place(diagnostics)]}


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    """Return the values that are printed for a diagnostic, with its autofixes.

    The value `edit` names the line to edit, such as `models/olmo/modular_olmo.py:12`.
    """
    related = None
    if diagnostic.related is not None:
        related = {
            "relation": diagnostic.code.relation,
            **_place(diagnostic.related),
        }
    fixes = []
    for fix in diagnostic.fixes:
        edits = [_edit(edit) for edit in fix.edits]
        applicability = "safe" if fix.is_safe else "unsafe"
        fixes.append(
            {"title": fix.title, "applicability": applicability, "edits": edits}
        )
    return {
        "code": diagnostic.code.id,
        "name": diagnostic.code.title,
        "severity": diagnostic.severity.value,
        **_place(diagnostic.place),
        **attributes(diagnostic, "message", "hint"),
        "edit": _position_to_edit(diagnostic),
        "related": related,
        "fixes": fixes,
    }


def _position_to_edit(diagnostic: Diagnostic) -> str | None:
    """Return the file and line to edit because of a diagnostic, such as `a.py:12`.

    This is where the best autofix begins, else the place of the diagnostic, else its
    second place. The result is None if no edit helps, or if a place is a whole file,
    folder or target.
    """
    if diagnostic.code in _WITHOUT_EDIT:
        return None
    if diagnostic.fixes:
        first_edit = diagnostic.fixes[0].edits[0]
        return f"{first_edit.path}:{first_edit.line}"
    for place in (diagnostic.place, diagnostic.related):
        if place is not None and not place.is_whole_file:
            return f"{place.path}:{place.line}"
    return None


def _edit(edit: Edit) -> dict[str, object]:
    """Return the values that are printed for an edit of a fix."""
    return attributes(edit, "path", "line", "column", "end_line", "end_column", "text")


def _place(place: Place) -> dict[str, object]:
    """Return the values that are printed for a place."""
    return {
        **attributes(place, "path", "line", "column"),
        "end_line": place.end_line or place.line,
        "end_column": place.column + place.width,
        "text": shown_line(place),
    }


def override_values(drifted: "DriftedOverride") -> dict[str, object]:
    """Return the values of an override that lacks changes of its parent's method."""
    override = drifted.override
    hunks = [attributes(hunk, "line", "old", "new") for hunk in drifted.hunks]
    return {
        "path": override.modular,
        "line": override.line,
        "class": override.class_,
        "share": round(drifted.share, 2),
        "hunks": hunks,
    }
