"""What commands print as JSON is what `schema.json` says."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.flock import make_flock, run_modular
from tests.schema import SCHEMA, changed_flock, validate


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
