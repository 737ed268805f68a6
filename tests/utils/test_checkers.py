"""Our scripts in the place of upstream's: a runner that finds checkers by a literal, as upstream's does, runs and fixes."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.utils.test_command_lines import BIRCH, FILES, GENERATED, SCRIPTS, write


RUNNER = """\
import ast, pathlib, subprocess, sys

checkers = {}
for path in sorted(pathlib.Path(__file__).parent.glob("check_*.py")):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CHECKER_CONFIG":
            config = ast.literal_eval(node.value)
            checkers[config["name"]] = (path, config)
name, *rest = sys.argv[1:]
if name not in checkers:
    sys.exit(f"Unknown checkers: {name}")
path, config = checkers[name]
arguments = config["fix_args"] if rest == ["--fix"] else config["check_args"]
sys.exit(subprocess.run([sys.executable, str(path), *arguments]).returncode)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with our scripts and a runner."""
    root = tmp_path / "transformers"
    write(root, {**FILES, "utils/checkers.py": RUNNER})
    for script in SCRIPTS.glob("*.py"):
        shutil.copy(script, root / "utils")
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "utils/checkers.py", *arguments]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False
    )


def test_the_runner_finds_checks_and_fixes(checkout: Path) -> None:
    assert run(checkout, "modular_conversion").returncode == 1
    assert run(checkout, "modular_conversion", "--fix").returncode == 0
    assert (checkout / BIRCH).read_text() == GENERATED[BIRCH]
    assert run(checkout, "modular_conversion").returncode == 0


def test_the_configuration_is_a_literal_with_the_keys_that_the_runner_asks_for() -> (
    None
):
    tree = ast.parse(
        (SCRIPTS / "check_modular_conversion.py").read_text(encoding="utf-8")
    )
    assignments = [node for node in tree.body if isinstance(node, ast.Assign)]
    (config,) = [ast.literal_eval(node.value) for node in assignments]
    assert {key: type(value) for key, value in config.items()} == {
        "name": str,
        "label": str,
        "cache_globs": list,
        "check_args": list,
        "fix_args": list,
    }
    assert (config["name"], config["fix_args"]) == (
        "modular_conversion",
        ["--fix_and_overwrite"],
    )
