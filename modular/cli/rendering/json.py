"""Results as JSON, for other programs; `modular/schema.json` says what each command prints."""

import json
from collections.abc import Iterable

from modular.cli.printing import echo_json
from modular.cli.rendering import shown_line
from modular.provenance.origins import BlamedLine
from modular.run.api import Report
from modular.source.diagnostics import Diagnostic, Edit, Place, by_place


_SCHEMA = 1
"""The version of what is printed: a higher one is not compatible."""


def print_object(values: dict[str, object]) -> None:
    """Print what came of a command."""
    echo_json(json.dumps({"schema": _SCHEMA, **values}, indent=2) + "\n")


def attributes(value: object, *names: str) -> dict[str, object]:
    """Return some attributes of a value by their names."""
    return {name: getattr(value, name) for name in names}


def report_values(report: Report) -> dict[str, object]:
    """Return what `check` and `convert` print."""
    files = []
    for file in report.files:
        lines = report.lines.get(file.modular)
        generated = None if lines is None else lines.generated.get(file.path)
        counts = {
            "lines": generated,
            "modular_lines": None if lines is None else lines.modular,
        }
        changes = attributes(file.difference, "added", "removed") | attributes(
            file, "diff", "differs_only_in_line_ends"
        )
        files.append(
            {**attributes(file, "path", "modular", "status"), **counts, **changes}
        )
    return {"files": files, **error_values(report.diagnostics)}


def line_values(line: BlamedLine) -> dict[str, object]:
    """Return what `blame` and `where` print of a line of a generated file."""
    renamed = (
        None
        if line.renamed is None
        else {"from": line.renamed.old, "to": line.renamed.new}
    )
    owner = {"class": line.class_, "member": line.member}
    return {
        **attributes(line, "line", "kind", "path", "origin_line"),
        **owner,
        "renamed": renamed,
    }


def error_values(diagnostics: Iterable[Diagnostic]) -> dict[str, object]:
    """Return diagnostics as `errors`, sorted by place. Lines and columns count from 1, columns in characters."""
    return {"errors": [_diagnostic(diagnostic) for diagnostic in by_place(diagnostics)]}


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    related = diagnostic.related
    return {
        "code": diagnostic.code.id,
        "name": diagnostic.code.title,
        "severity": diagnostic.severity.value,
        **_place(diagnostic.place),
        **attributes(diagnostic, "message", "hint"),
        "related": None
        if related is None
        else {"relation": diagnostic.code.relation, **_place(related)},
        "fixes": [
            {"title": fix.title, "edits": [_edit(edit) for edit in fix.edits]}
            for fix in diagnostic.fixes
        ],
    }


def _edit(edit: Edit) -> dict[str, object]:
    return attributes(edit, "path", "line", "column", "end_line", "end_column", "text")


def _place(place: Place) -> dict[str, object]:
    return {
        **attributes(place, "path", "line", "column"),
        "end_column": place.column + place.width,
        "text": shown_line(place),
    }
