"""JSON of commands against `schema.json`."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema

from tests.flock import make_flock, run_modular
from tests.repository import commit


SCHEMA = json.loads((files("modular") / "schema.json").read_text(encoding="utf-8"))


def validate(printed: str, name: str) -> None:
    """Hold what a command has printed against the part of the schema with a name."""
    jsonschema.validate(json.loads(printed), {**SCHEMA, "$ref": f"#/$defs/{name}"})


def changed_flock(root: Path, *arguments: str) -> str:
    """Return what a command prints as JSON about a flock that is committed, in which a parent has changed since."""
    commit(make_flock(root))
    parent = root / "models/eagle/modeling_eagle.py"
    parent.write_text(
        parent.read_text().replace("class Eagle", "# soars\nclass Eagle", 1)
    )
    return run_modular(*arguments, "--output-format", "json", cwd=root).stdout
