"""What holds for every parent and modular file, tried on random ones.

`MODULAR_EXAMPLES=2000 pytest tests/properties` tries that many; without it there are few, so that CI is quick.
"""

import ast
import json
import os
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings

import modular
from modular.system.ruff import ruff_executable
from tests.properties.sources import Sources, sources


EXAMPLES = int(os.environ.get("MODULAR_EXAMPLES", "60"))
SETTINGS = '[tool.modular]\npreset = "transformers"\nformatter = "none"\n'
PARENT, MODULAR, OUTPUT = (
    "models/base/modeling_base.py",
    "models/child/modular_child.py",
    "models/child/modeling_child.py",
)


def undefined_names(root: Path, *paths: str) -> set[str]:
    """The names that ruff's F821 finds undefined, with their files."""
    command = [
        ruff_executable(),
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "F821",
        "--output-format",
        "json",
    ]
    done = subprocess.run(
        [*command, *paths], cwd=root, capture_output=True, text=True, check=False
    )
    return {
        f"{load['filename']}: {load['message']}" for load in json.loads(done.stdout)
    }


def convert(root: Path) -> str:
    report = modular.convert(options=modular.Options(root=root, jobs=1, cache=False))
    assert not report.has_errors, report.diagnostics
    return (root / OUTPUT).read_text(encoding="utf-8")


def class_source(text: str, name: str) -> str:
    """A class of a source, its formatting aside."""
    (found,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    return ast.unparse(found)


def renamed(text: str) -> str:
    """The parent renamed, in the plain way that these sources allow."""
    return text.replace("Base", "Child").replace("base", "child")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(sources())
def test_what_holds_for_all(case: Sources) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in {
            "pyproject.toml": SETTINGS,
            PARENT: case.parent,
            MODULAR: case.modular,
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        output = convert(root)

        ast.parse(output)
        assert undefined_names(root, PARENT, MODULAR, OUTPUT) == set()

        (root / OUTPUT).unlink()
        assert convert(root) == output, "converting twice gives different bytes"
        assert modular.check(
            options=modular.Options(root=root, jobs=1, cache=False)
        ).is_clean

        for part in case.empty:
            event("an empty child")
            expected = renamed(class_source(case.parent, f"Base{part}"))
            assert class_source(output, f"Child{part}") == expected
