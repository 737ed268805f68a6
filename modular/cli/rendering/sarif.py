"""Renders diagnostics as a SARIF 2.1.0 log, which code scanning services read."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from modular import __version__
from modular.cli.rendering.json import shown_line
from modular.lint.rule_book import page
from modular.source.diagnostics import Diagnostic, Place, Problem, Severity, by_place


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "ROOT"
"""The name of the base that relative paths refer to: the root of the project."""

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}

_Json = dict[str, Any]


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return diagnostics in the format SARIF, which code scanners exchange.

    Args:
        diagnostics: The results, in any order; the log has them sorted by place.
        root: The root of the project, which paths are relative to.
    """
    sorted_diagnostics = by_place(diagnostics)
    unique_codes = {diagnostic.code for diagnostic in sorted_diagnostics}
    codes = sorted(unique_codes, key=lambda code: code.id)
    driver = {
        "name": "modular",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    results = []
    for diagnostic in sorted_diagnostics:
        results.append(_result(diagnostic, codes.index(diagnostic.code)))
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.resolve().as_uri()}/"}},
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _rule(code: Problem) -> _Json:
    """Return the SARIF object that describes a kind of problem."""
    text = page(code)
    return {
        "id": code.id,
        "name": "".join(word.capitalize() for word in code.title.split("-")),
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.meaning},
        "help": {"text": text.text, "markdown": text.as_markdown()},
        "helpUri": code.url,
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }


def _result(diagnostic: Diagnostic, rule_index: int) -> _Json:
    """Return the SARIF object of a diagnostic.

    Args:
        diagnostic: The diagnostic.
        rule_index: The index of its code among the rules of the log.
    """
    message = diagnostic.message
    if diagnostic.hint:
        message += f"\nhint: {diagnostic.hint}"
    result: _Json = {
        "ruleId": diagnostic.code.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": message},
        "locations": [{"physicalLocation": _location(diagnostic.place)}],
    }
    if diagnostic.related is not None:
        related = {
            "id": 0,
            "physicalLocation": _location(diagnostic.related),
            "message": {"text": diagnostic.code.relation},
        }
        result["relatedLocations"] = [related]
    return result


def _location(place: Place) -> _Json:
    """Return the SARIF object of a place in a file, with the text of its line."""
    region: _Json = {
        "startLine": place.line,
        "startColumn": place.column,
        "endColumn": place.column + place.width,
    }
    text = shown_line(place)
    if text:
        region["snippet"] = {"text": text}
    path = Path(place.path)
    if path.is_absolute():
        artifact = {"uri": path.as_uri()}
    else:
        artifact = {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}
    return {"artifactLocation": artifact, "region": region}
