"""Diagnostics as JSON."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from modular.cli.rendering.json import error_values
from tests.flock import make_flock, run_modular
from tests.samples import BARE, ERROR, WARNING
from tests.schema import SCHEMA, changed_flock, validate


BARE_OBJECT = {
    "code": "MOD104",
    "name": "empty-file",
    "severity": "error",
    "path": "models/aya/modular_aya.py",
    "line": 1,
    "column": 1,
    "end_column": 2,
    "text": "",
    "message": "the file is empty",
    "hint": "",
    "related": None,
    "fixes": [],
}

WARNING_OBJECT = {
    "code": "MOD402",
    "name": "removed-member-still-used",
    "severity": "warning",
    "path": "models/olmo/modular_olmo.py",
    "line": 7,
    "column": 9,
    "end_column": 19,
    "text": "        del self.x",
    "message": "`del self.x` removes only the assignment",
    "hint": "override `forward` as well",
    "related": {
        "relation": "read at",
        "path": "models/llama/modeling_llama.py",
        "line": 105,
        "column": 16,
        "end_column": 22,
        "text": "        return self.x",
    },
    "fixes": [],
}


def test_objects_are_sorted_by_place() -> None:
    assert error_values([WARNING, BARE]) == {"errors": [BARE_OBJECT, WARNING_OBJECT]}


def test_fixes_have_a_title_and_edits() -> None:
    values: dict[str, Any] = error_values([ERROR])
    (errors,) = values["errors"]
    edit = {
        "path": "models/olmo/modular_olmo.py",
        "line": 12,
        "column": 36,
        "end_line": 12,
        "end_column": 44,
    }
    assert errors["fixes"] == [
        {"title": "Write `LlamaMLP`", "edits": [{**edit, "text": "LlamaMLP"}]}
    ]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", ["check"]),
        ("report", ["convert", "--diff"]),
        ("stats", ["stats"]),
        ("parents", ["stats", "--parents"]),
        ("graph", ["graph", "owl"]),
        ("blame", ["blame", "models/owl/modeling_owl.py"]),
        ("where", ["where", "models/eagle/modeling_eagle.py:1"]),
    ],
)
def test_each_command_prints_what_the_schema_says(
    tmp_path: Path, name: str, arguments: list[str]
) -> None:
    printed = changed_flock(tmp_path, *arguments)
    validate(printed, name)
    jsonschema.validate(json.loads(printed), SCHEMA)


def test_errors_are_what_the_schema_says(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owl/modular_owl.py").write_text(
        "from ..eagle.modeling_eagle import Nothing\n"
    )
    done = run_modular("check", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["errors"]
    validate(done.stdout, "report")


@pytest.mark.parametrize(
    "value", [None, [], {}, {"schema": 1}, {"schema": 1, "lines": []}]
)
def test_the_root_of_the_schema_refuses_what_no_command_prints(value: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, SCHEMA)


def test_another_version_is_not_what_the_schema_says() -> None:
    with pytest.raises(jsonschema.ValidationError):
        validate('{"schema": 2, "models": [], "edges": []}', "graph")


def undescribed(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the fields in a part of the schema that have no description."""
    for name, field in schema.get("properties", {}).items():
        if not field.get("description"):
            yield f"{path}.{name}"
        yield from undescribed(field, f"{path}.{name}")
    if "items" in schema:
        yield from undescribed(schema["items"], path)
    for part in schema.get("oneOf", ()):
        yield from undescribed(part, path)


@pytest.mark.parametrize("name", SCHEMA["$defs"])
def test_each_field_of_the_schema_has_a_description(name: str) -> None:
    definition = SCHEMA["$defs"][name]
    assert definition["description"]
    assert definition["properties"]
    assert list(undescribed(definition, name)) == []
