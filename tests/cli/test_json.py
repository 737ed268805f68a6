"""Diagnostics as JSON."""

from typing import Any

from modular.cli.rendering.json import error_values
from tests.samples import BARE, ERROR, WARNING


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
