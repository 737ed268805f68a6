"""Diagnostics as a SARIF 2.1.0 log, which code scanning services read."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from modular import __version__
from modular.cli.rendering import shown_line
from modular.lint.rule_book import page
from modular.source.diagnostics import Diagnostic, Place, Problem, by_place


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "ROOT"
_Json = dict[str, Any]


def render(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """Return a log with one run: the rules that were broken, and the results sorted by place."""
    ordered = by_place(diagnostics)
    codes = sorted(
        {diagnostic.code for diagnostic in ordered}, key=lambda code: code.id
    )
    run = {
        "tool": {
            "driver": {
                "name": "modular",
                "version": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.resolve().as_uri()}/"}},
        "results": [
            _result(diagnostic, codes.index(diagnostic.code)) for diagnostic in ordered
        ],
    }
    return (
        json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)
        + "\n"
    )


def _rule(code: Problem) -> _Json:
    text = page(code)
    return {
        "id": code.id,
        "name": "".join(word.capitalize() for word in code.title.split("-")),
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.meaning},
        "help": {"text": text.text, "markdown": text.as_markdown()},
        "helpUri": code.url,
        "defaultConfiguration": {"level": code.severity.value},
    }


def _result(diagnostic: Diagnostic, index: int) -> _Json:
    hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
    result: _Json = {
        "ruleId": diagnostic.code.id,
        "ruleIndex": index,
        "level": diagnostic.severity.value,
        "message": {"text": f"{diagnostic.message}{hint}"},
        "locations": [{"physicalLocation": _location(diagnostic.place)}],
    }
    if diagnostic.related is not None:
        message = {"text": diagnostic.code.relation}
        result["relatedLocations"] = [
            {
                "id": 0,
                "physicalLocation": _location(diagnostic.related),
                "message": message,
            }
        ]
    return result


def _location(place: Place) -> _Json:
    region: _Json = {
        "startLine": place.line,
        "startColumn": place.column,
        "endColumn": place.column + place.width,
    }
    if text := shown_line(place):
        region["snippet"] = {"text": text}
    return {"artifactLocation": _artifact(place.path), "region": region}


def _artifact(path: str) -> _Json:
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(Path(path).as_posix()), "uriBaseId": _ROOT}
