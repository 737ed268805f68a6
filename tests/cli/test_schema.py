"""What commands print as JSON is what `schema.json` says."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from tests.flock import make_flock, run_modular
from tests.repository import commit


SCHEMA = json.loads((files("modular") / "schema.json").read_text(encoding="utf-8"))


def validated(printed: str, name: str) -> None:
    jsonschema.validate(json.loads(printed), {**SCHEMA, "$ref": f"#/$defs/{name}"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", ["check"]),
        ("report", ["convert", "--diff"]),
        ("stats", ["stats"]),
        ("history", ["stats", "--history"]),
        ("parents", ["stats", "--parents"]),
        ("graph", ["graph", "owl"]),
        ("blame", ["blame", "models/owl/modeling_owl.py"]),
        ("where", ["where", "models/eagle/modeling_eagle.py:1"]),
        ("nearest", ["nearest", "models/eagle/modeling_eagle.py"]),
        ("infer", ["infer", "eagle"]),
        ("impact", ["impact"]),
    ],
)
def test_each_command_prints_what_the_schema_says(tmp_path: Path, name: str, arguments: list[str]) -> None:
    run_modular("convert", cwd=make_flock(tmp_path))
    commit(tmp_path)
    parent = tmp_path / "models/eagle/modeling_eagle.py"
    parent.write_text(parent.read_text().replace("class Eagle", "# soars\nclass Eagle", 1))
    done = run_modular(*arguments, "--output-format", "json", cwd=tmp_path)
    validated(done.stdout, name)


def test_errors_are_what_the_schema_says(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owl/modular_owl.py").write_text("from ..eagle.modeling_eagle import Nothing\n")
    done = run_modular("check", "--output-format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["errors"]
    validated(done.stdout, "report")


def test_another_version_is_not_what_the_schema_says() -> None:
    with pytest.raises(jsonschema.ValidationError):
        validated('{"schema": 2, "models": [], "edges": []}', "graph")
