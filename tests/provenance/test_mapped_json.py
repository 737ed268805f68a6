"""JSON of linters and type checkers: the findings move to the lines to edit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result


Run = Callable[..., Result]

OWL, OWLET, HAWK = (
    "models/owl/modeling_owl.py",
    "models/owlet/modeling_owlet.py",
    "models/hawk/modeling_hawk.py",
)


def ruff(path: str, line: int) -> dict[str, Any]:
    return {
        "code": "F821",
        "filename": path,
        "fix": {"edits": []},
        "location": {"row": line, "column": 16},
        "end_location": {"row": line, "column": 21},
        "message": "Undefined name",
        "noqa_row": line,
    }


def pyright(path: str, line: int) -> dict[str, Any]:
    start = {"line": line - 1, "character": 15}
    end = {"line": line - 1, "character": 20}
    return {
        "file": path,
        "severity": "error",
        "message": "Undefined name",
        "range": {"start": start, "end": end},
    }


def mypy(path: str, line: int) -> dict[str, Any]:
    return {
        "file": path,
        "line": line,
        "column": 15,
        "end_line": line,
        "end_column": 20,
        "message": "Undefined name",
    }


def sarif(path: str, line: int) -> dict[str, Any]:
    region = {"startLine": line, "startColumn": 16, "endLine": line, "endColumn": 21}
    return {
        "ruleId": "F821",
        "message": {"text": "Undefined name"},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}
        ],
    }


def documents(form: Callable[[str, int], Any], *places: tuple[str, int]) -> Any:
    findings = [form(*place) for place in places]
    if form is pyright:
        return {"version": "1", "generalDiagnostics": findings, "summary": {}}
    if form is sarif:
        return {"version": "2.1.0", "runs": [{"results": findings}]}
    return findings


def findings_of(document: Any) -> Any:
    if isinstance(document, list):
        return document
    return document.get("generalDiagnostics") or document["runs"][0]["results"]


@pytest.mark.parametrize("form", [ruff, pyright, sarif])
def test_findings_move_and_keep_their_generated_places(
    birds: Path, modular: Run, form: Callable[[str, int], Any]
) -> None:
    text = json.dumps(documents(form, (OWL, 22), (HAWK, 1)), indent=2)
    mapped = modular("map", input=text + "\n").stdout
    first, second = findings_of(json.loads(mapped))
    expected = form(HAWK, 22)
    if form is ruff:
        expected["fix"] = None
    if form is sarif:
        place = {
            "artifactLocation": {"uri": OWL},
            "region": {"startLine": 22, "startColumn": 16},
        }
        expected["relatedLocations"] = [
            {"message": {"text": "The generated line"}, "physicalLocation": place}
        ]
    else:
        expected["generated"] = [{"path": OWL, "line": 22, "column": 16}]
    assert (first, second) == (expected, form(HAWK, 1))
    assert mapped.startswith(text[:3])
    assert mapped.endswith("\n")


@pytest.mark.parametrize("form", [ruff, pyright, sarif])
def test_copies_of_one_line_are_one_finding(
    birds: Path, modular: Run, form: Callable[[str, int], Any]
) -> None:
    document = documents(form, (OWL, 22), (OWLET, 19), (HAWK, 22))
    mapped = modular("map", input=json.dumps(document)).stdout
    (finding,) = findings_of(json.loads(mapped))
    assert "Undefined name (and in 1 more file)" in json.dumps(finding)
    assert OWL in json.dumps(finding)
    assert OWLET in json.dumps(finding)


def test_two_findings_on_one_line_of_a_file_stay_two(birds: Path, modular: Run) -> None:
    document = documents(ruff, (OWL, 22), (OWL, 22))
    document[1]["location"]["column"] = 18
    mapped = modular("map", input=json.dumps(document)).stdout
    first, second = json.loads(mapped)
    assert (first["location"]["column"], second["location"]["column"]) == (16, 18)


def test_a_finding_that_ends_in_another_source_ends_where_it_begins(
    birds: Path, modular: Run
) -> None:
    """The end of the finding comes from line 9 of the modular file."""
    finding = {**mypy(OWL, 17), "end_line": 18}
    mapped = modular("map", input=json.dumps(finding) + "\n").stdout
    moved = json.loads(mapped)
    assert (moved["file"], moved["line"], moved["end_line"]) == (HAWK, 18, 18)
    assert moved["end_column"] == moved["column"]


def test_a_finding_in_the_parent_keeps_its_place_and_counts_the_copies(
    birds: Path, modular: Run
) -> None:
    document = documents(ruff, (HAWK, 22), (OWL, 22), (OWLET, 19))
    mapped = modular("map", input=json.dumps(document)).stdout
    (finding,) = json.loads(mapped)
    assert finding["message"] == "Undefined name (and in 2 more files)"
    assert finding["fix"] == {"edits": []}


def test_json_lines_of_mypy_move_and_other_lines_pass(
    birds: Path, modular: Run
) -> None:
    lines = [json.dumps(mypy(OWL, 22)), json.dumps(mypy(OWLET, 19)), '{"loss": 1}']
    mapped = modular("map", input="\n".join(lines) + "\n").stdout.splitlines()
    assert mapped[0] == '{"loss": 1}'
    finding = json.loads(mapped[1])
    assert (finding["file"], finding["line"], finding["column"]) == (HAWK, 22, 15)
    assert finding["message"] == "Undefined name (and in 1 more file)"
    assert len(mapped) == 2


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}\n",
        '[{"filename": 1, "location": 2}]',
        '[ {"filename":"models/hawk/modeling_hawk.py"} ]\n',
        '{"generalDiagnostics": 3, "runs": [4]}',
        "[rank0]: no JSON\n",
        "{'loss': 1}\n",
        "[\n1,\n",
        "[" * 100_000,
        json.dumps([ruff(HAWK, 22)], indent=7),
        json.dumps([ruff(OWL, -1), ruff(OWL, 10**9)]),
        json.dumps([{**ruff(OWL, 22), "location": {"row": "22", "column": 1}}]),
        json.dumps([{**ruff(OWL, 22), "location": {"row": True, "column": 1}}]),
    ],
)
def test_other_json_passes_byte_for_byte(birds: Path, modular: Run, text: str) -> None:
    assert modular("map", input=text).stdout == text
