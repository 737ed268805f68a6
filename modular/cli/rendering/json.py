"""Diagnostics for other programs: one JSON object for each."""

import json
from collections.abc import Iterable
from pathlib import Path

from modular.cli.rendering import shown_line
from modular.source.diagnostics import Diagnostic, Place, by_place, relation


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return ``{"errors": [...]}``, sorted by place."""
    return json.dumps({"errors": as_objects(diagnostics)}, indent=2) + "\n"


def as_objects(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return diagnostics, sorted by place, as JSON values. Lines and columns count from 1, columns in characters."""
    return [_object(diagnostic) for diagnostic in by_place(diagnostics)]


def _object(diagnostic: Diagnostic) -> dict[str, object]:
    related = diagnostic.related
    return {
        "code": diagnostic.code.id,
        "name": diagnostic.code.title,
        "severity": diagnostic.severity.value,
        **_place(diagnostic.place),
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "related": None if related is None else {"relation": relation(diagnostic), **_place(related)},
        "fixes": [{"title": fix.title, "edits": [edit._asdict() for edit in fix.edits]} for fix in diagnostic.fixes],
    }


def _place(place: Place) -> dict[str, object]:
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_column": place.column + place.width,
        "text": shown_line(place),
    }
