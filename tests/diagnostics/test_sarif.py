"""Diagnostics as SARIF.

The schema below holds the parts of SARIF 2.1.0 that are written, and nothing else; `sarif_om`, which was generated from the
official schema, says whether they are called so there, and which are required.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import attr
import jsonschema
import sarif_om

from modular.diagnostics import Code, Diagnostic, Place
from modular.error_book import explain
from modular.rendering.sarif import render
from tests.diagnostics.samples import BARE, ERROR, WARNING


ROOT = Path("/a project")


def _object(required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
FROM_ONE = {"type": "integer", "minimum": 1}
FROM_ZERO = {"type": "integer", "minimum": 0}
URI = {"type": "string", "pattern": r"^[A-Za-z0-9%._~:/-]+$"}
MESSAGE = _object("text", text=TEXT)
LOCATION = _object(
    "physicalLocation",
    id=FROM_ZERO,
    physicalLocation=_object(
        "artifactLocation region",
        artifactLocation=_object("uri", uri=URI, uriBaseId={"const": "ROOT"}),
        region=_object(
            "startLine",
            startLine=FROM_ONE,
            startColumn=FROM_ONE,
            endColumn=FROM_ONE,
            snippet=_object("text", text=TEXT),
        ),
    ),
    message=MESSAGE,
)
RULE = _object(
    "id",
    id={"type": "string", "pattern": "^MOD[0-9]{3}$"},
    name={"type": "string", "pattern": "^([A-Z0-9][a-z0-9]*)+$"},
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=_object("text", text=TEXT, markdown=TEXT),
    defaultConfiguration=_object("level", level=LEVEL),
)
RESULT = _object(
    "message",
    ruleId=TEXT,
    ruleIndex=FROM_ZERO,
    level=LEVEL,
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION, "minItems": 1},
    relatedLocations={"type": "array", "items": LOCATION, "uniqueItems": True},
)
RUN = _object(
    "tool",
    tool=_object(
        "driver",
        driver=_object("name", name=TEXT, version=TEXT, rules={"type": "array", "items": RULE, "uniqueItems": True}),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds=_object("ROOT", ROOT=_object("uri", uri={"type": "string", "pattern": "^file:///.*/$"})),
    results={"type": "array", "items": RESULT},
)
LOG = _object(
    "version runs",
    **{"$schema": URI, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
)
ALL_CODES = [Diagnostic(code, Place("models/olmo/modular_olmo.py"), "message") for code in Code]


def test_log_is_valid_for_every_code() -> None:
    log = json.loads(render([ERROR, WARNING, BARE, *ALL_CODES], ROOT))
    jsonschema.validate(log, LOG)
    jsonschema.validate(json.loads(render([], ROOT)), LOG)


MODELS = {
    "runs": sarif_om.Run,
    "tool": sarif_om.Tool,
    "driver": sarif_om.ToolComponent,
    "rules": sarif_om.ReportingDescriptor,
    "defaultConfiguration": sarif_om.ReportingConfiguration,
    "results": sarif_om.Result,
    "locations": sarif_om.Location,
    "relatedLocations": sarif_om.Location,
    "physicalLocation": sarif_om.PhysicalLocation,
    "artifactLocation": sarif_om.ArtifactLocation,
    "region": sarif_om.Region,
    "snippet": sarif_om.ArtifactContent,
    "message": sarif_om.Message,
    "shortDescription": sarif_om.MultiformatMessageString,
    "fullDescription": sarif_om.MultiformatMessageString,
    "help": sarif_om.MultiformatMessageString,
    "ROOT": sarif_om.ArtifactLocation,
}


def unlike_the_standard(value: Any, model: type) -> list[str]:
    """Return properties that the standard does not know at their place, or that it requires and that are not there."""
    fields = {field.metadata["schema_property_name"]: field for field in attr.fields(model)}
    required = {name for name, field in fields.items() if field.default is attr.NOTHING}
    found = [f"{model.__name__}: {name}" for name in (value.keys() - fields.keys()) | (required - value.keys())]
    for name, inner in value.items():
        objects = inner.values() if name == "originalUriBaseIds" else inner if isinstance(inner, list) else [inner]
        for each in objects:
            if isinstance(each, dict):
                inner_model = sarif_om.ArtifactLocation if name == "originalUriBaseIds" else MODELS[name]
                found += unlike_the_standard(each, inner_model)
    return found


def test_every_property_is_one_of_the_standard() -> None:
    log = json.loads(render([ERROR, WARNING, BARE], ROOT))
    assert unlike_the_standard(log, sarif_om.SarifLog) == []


def test_the_comparison_with_the_standard_finds_what_is_wrong() -> None:
    assert unlike_the_standard({"version": "2.1.0", "run": []}, sarif_om.SarifLog) in (
        ["SarifLog: run", "SarifLog: runs"],
        ["SarifLog: runs", "SarifLog: run"],
    )


def test_results_name_their_rule_and_their_places() -> None:
    [run] = json.loads(render([ERROR, WARNING], ROOT))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["MOD202", "MOD402"]
    assert run["originalUriBaseIds"] == {"ROOT": {"uri": "file:///a%20project/"}}
    assert run["results"][0] == {
        "ruleId": "MOD402",
        "ruleIndex": 1,
        "level": "warning",
        "message": {"text": "`del self.x` removes only the assignment\nhint: override `forward` as well"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "models/olmo/modular_olmo.py", "uriBaseId": "ROOT"},
                    "region": {
                        "startLine": 7,
                        "startColumn": 9,
                        "endColumn": 19,
                        "snippet": {"text": "        del self.x"},
                    },
                }
            }
        ],
        "relatedLocations": [
            {
                "id": 0,
                "physicalLocation": {
                    "artifactLocation": {"uri": "models/llama/modeling_llama.py", "uriBaseId": "ROOT"},
                    "region": {
                        "startLine": 105,
                        "startColumn": 16,
                        "endColumn": 22,
                        "snippet": {"text": "        return self.x"},
                    },
                },
                "message": {"text": "read at"},
            }
        ],
    }


def test_rules_carry_the_explanation() -> None:
    [run] = json.loads(render([ERROR], ROOT))["runs"]
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["name"] == "NameNotInParent"
    assert rule["shortDescription"]["text"] == explain(Code.NAME_NOT_IN_PARENT).summary
    assert "from ..llama.modeling_llama import LlamaMlp" in rule["help"]["text"]
    assert "```python" in rule["help"]["markdown"]


def test_paths_are_uris() -> None:
    odd = replace(BARE, place=Place("models/a b/modular_ü.py"))
    outside = replace(BARE, place=Place("/elsewhere/modular_x.py"))
    [run] = json.loads(render([odd, outside], ROOT))["runs"]
    found = [each["locations"][0]["physicalLocation"]["artifactLocation"] for each in run["results"]]
    assert found == [
        {"uri": "file:///elsewhere/modular_x.py"},
        {"uri": "models/a%20b/modular_%C3%BC.py", "uriBaseId": "ROOT"},
    ]
