"""Diagnostics as JSON."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from modular.cli.rendering.json import error_values
from modular.source.diagnostics import Diagnostic, Place, Problem
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
    "end_line": 1,
    "end_column": 2,
    "text": "",
    "message": "the file is empty",
    "hint": "",
    "edit": None,
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
    "end_line": 7,
    "end_column": 19,
    "text": "        del self.x",
    "message": "`del self.x` removes only the assignment",
    "hint": "override `forward` as well",
    "edit": "models/olmo/modular_olmo.py:7",
    "related": {
        "relation": "read at",
        "path": "models/llama/modeling_llama.py",
        "line": 105,
        "column": 16,
        "end_line": 105,
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
        {
            "title": "Write `LlamaMLP`",
            "applicability": "unsafe",
            "edits": [{**edit, "text": "LlamaMLP"}],
        }
    ]


def position_to_edit(diagnostic: Diagnostic) -> object:
    """Return the value `edit` of a diagnostic."""
    values: dict[str, Any] = error_values([diagnostic])
    return values["errors"][0]["edit"]


def test_the_line_to_edit_is_where_the_best_fix_begins() -> None:
    (fix,) = ERROR.fixes
    moved_edit = fix.edits[0]._replace(line=3, end_line=3)
    fixed_above = ERROR._replace(fixes=(fix._replace(edits=(moved_edit,)), fix))
    assert position_to_edit(fixed_above) == "models/olmo/modular_olmo.py:3"


def test_the_line_to_edit_is_the_place_without_a_fix() -> None:
    assert position_to_edit(WARNING) == "models/olmo/modular_olmo.py:7"


def test_a_problem_of_a_whole_file_is_edited_where_it_is_imported() -> None:
    import_place = Place("models/olmo/modular_olmo.py", 4, 6, text="from .x import y")
    not_found = Diagnostic(Problem.NOT_FOUND, Place("x.py"), "no such file")
    assert position_to_edit(not_found) is None
    imported = not_found._replace(related=import_place)
    assert position_to_edit(imported) == "models/olmo/modular_olmo.py:4"


def test_an_orphan_has_no_line_to_edit() -> None:
    place = Place("models/olmo/modeling_olmo.py", 3)
    related = Place("models/olmo/modular_olmo.py", 1, 1, text="x = 1")
    orphan = Diagnostic(Problem.ORPHAN, place, "left over", related=related)
    assert position_to_edit(orphan) is None


def test_edits_of_json_can_be_applied_as_they_are(tmp_path: Path) -> None:
    """A program that knows nothing of modular replaces the spans, last one first."""
    make_flock(tmp_path)
    modular = tmp_path / "models/owl/modular_owl.py"
    text = "from ..eagle.modeling_eagle import EagleWing\n\n\n"
    text += "import os\n\n\nclass OwlWing(EagleWing):\n    pass\n"
    modular.write_text(text)
    arguments = ("check", "owl", "--verbose", "--output-format", "json")
    printed = json.loads(run_modular(*arguments, cwd=tmp_path).stdout)
    (unused_import,) = [
        error for error in printed["errors"] if error["code"] == "MOD453"
    ]
    assert unused_import["edit"] == "models/owl/modular_owl.py:4"
    fix = unused_import["fixes"][0]
    assert fix["applicability"] == "safe"
    lines = text.splitlines(keepends=True)
    for edit in reversed(fix["edits"]):
        before = "".join(lines[: edit["line"] - 1])
        before += lines[edit["line"] - 1][: edit["column"] - 1]
        after = lines[edit["end_line"] - 1][edit["end_column"] - 1 :]
        after += "".join(lines[edit["end_line"] :])
        lines = (before + edit["text"] + after).splitlines(keepends=True)
    modular.write_text("".join(lines))
    assert "import os" not in modular.read_text()
    printed = json.loads(run_modular(*arguments, cwd=tmp_path).stdout)
    assert "MOD453" not in {error["code"] for error in printed["errors"]}


def test_quiet_leaves_out_warnings_and_files_that_are_up_to_date(
    tmp_path: Path,
) -> None:
    make_flock(tmp_path)
    modular = tmp_path / "models/owlet/modular_owlet.py"
    modular.write_text(
        "import os\n\nfrom ..owl.modeling_owl import OwlWing\n\n\n"
        "class OwletWing(OwlWing):\n    stale = True\n"
    )
    arguments = ("check", "--output-format", "json")
    printed = json.loads(run_modular(*arguments, cwd=tmp_path).stdout)
    quiet = json.loads(run_modular(*arguments, "--quiet", cwd=tmp_path).stdout)
    assert "warning" in {error["severity"] for error in printed["errors"]}
    assert quiet["errors"] == []
    stale_files = [file for file in printed["files"] if file["status"] == "stale"]
    assert 0 < len(stale_files) < len(printed["files"])
    assert quiet["files"] == stale_files
    strict = json.loads(
        run_modular(*arguments, "--quiet", "--strict", cwd=tmp_path).stdout
    )
    assert {error["severity"] for error in strict["errors"]} == {"error"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("report", ["check"]),
        ("report", ["convert", "--diff"]),
        ("verify", ["verify"]),
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
    (tmp_path / "models/owlet/modular_owlet.py").write_text(
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
