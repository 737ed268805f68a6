"""The packages at the top can be deleted with their commands and tests, and the rest works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


ROOT = Path(__file__).resolve().parents[1]

COMMANDS = {
    "review": ("review", "impact"),
    "infer": ("infer", "lift", "nearest", "rename"),
    "lsp": ("lsp",),
}
"""The commands that come with a package."""


PACKAGES_BELOW = ("tests/cli", "tests/commands", "tests/provenance", "tests/refactor")
"""Folders of tests that must at least be imported without the package."""

REMAINING_TESTS = (
    "tests/cli/test_main.py",
    "tests/commands/test_rule.py",
    "tests/run/test_api.py",
)
"""Tests of what knows all commands: the help, pages and the API."""


def copy_without(folder: Path, *packages: str) -> Path:
    """Copy what git tracks, and delete packages with their commands."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for path in filter(None, listed.split("\0")):
        if (ROOT / path).is_file() and not path.startswith(
            ("docs/", "generated/", "editors/")
        ):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, folder / path)
    for package in packages:
        shutil.rmtree(folder / "modular" / package)
        for command in COMMANDS[package]:
            (folder / "modular/cli/commands" / f"{command}.py").unlink()
            drop_lines(folder / "modular/cli/main.py", rf' +"{command}": ')
            (folder / "tests/commands" / f"test_{command}.py").unlink()
        drop_lines(folder / "modular/__init__.pyi", rf"from modular\.{package}\.")
        for name in names_of(package):
            drop_lines(folder / "modular/__init__.pyi", rf' +"{name}",$')
        shutil.rmtree(folder / "tests" / package)
    return folder


def names_of(package: str) -> list[str]:
    """The names of `modular` that come from a package."""
    stub = (ROOT / "modular/__init__.pyi").read_text(encoding="utf-8")
    imports = re.findall(
        rf"^from modular\.{package}\..* import (.+)$", stub, re.MULTILINE
    )
    return [name for listed in imports for name in listed.split(", ")]


def drop_lines(path: Path, pattern: str) -> None:
    """Delete the lines that match a pattern from their beginning."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not re.match(pattern, line)]
    path.write_text("".join(kept), encoding="utf-8")


def run(folder: Path, *command: str) -> str:
    """Run a module of Python with the copy in front, and return what it printed. It must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_the_packages_at_the_top_can_be_deleted(tmp_path: Path) -> None:
    """`lsp` needs `infer` for its renames; the test of layers forbids all other imports."""
    folder = copy_without(tmp_path, *COMMANDS)
    deleted = [f"from modular.{package}" for package in COMMANDS]
    for path in folder.glob("modular/**/*.py*"):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in deleted if name in text], path
    commands = re.findall(r"^  (\w+) ", run(folder, "modular", "--help"), re.MULTILINE)
    assert "convert" in commands
    assert not {name for names in COMMANDS.values() for name in names} & {*commands}
    pytest_command = ("pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow")
    run(folder, *pytest_command, "--collect-only", *PACKAGES_BELOW)
    assert " passed" in run(folder, *pytest_command, *REMAINING_TESTS)
