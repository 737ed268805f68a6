"""Nothing that is printed controls what shows it: a terminal, or the service that runs a workflow."""

import ast
import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

import modular
from tests.safety.projects import command, environment, make, models, run


CONTROL = "\x1b[2J\x9b2J\u202e\u2066\u200f\x07\x08\x7f\u2028"

MODULAR = "models/my/modular_my.py"

BROKEN = f"from ..base.modeling_base import Base\r{CONTROL}##[error]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "project", models("my"))


def assert_harmless(done: subprocess.CompletedProcess[str]) -> None:
    text = done.stdout + done.stderr
    assert [
        letter for letter in text if not letter.isprintable() and letter not in "\n\t"
    ] == []
    assert "\n::error::" not in text


def test_a_diff(root: Path) -> None:
    make(root, {MODULAR: f"class MyModel:\n    x = 1  # {CONTROL}\n"})
    done = run(root, "check")
    assert "+    x = 1  # \N{REPLACEMENT CHARACTER}[2J" in done.stdout
    assert_harmless(done)


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_diagnostics(tmp_path: Path, form: str) -> None:
    """Of a source and a target, below a root whose name has whatever a file's name can have."""
    name = f"a{CONTROL}\r\n::error::made up"
    root = make(tmp_path / name, {MODULAR: BROKEN})
    done = run(root, "check", "--output-format", form, f"models/{name}", "models/my")
    assert all(code in done.stdout + done.stderr for code in ("MOD101", "MOD103"))
    assert_harmless(done)
    if form in ("json", "sarif"):
        assert "##[" not in done.stdout
        json.loads(done.stdout)


def test_commands_of_a_workflow_in_what_is_shown(root: Path) -> None:
    text = 'class MyModel:\n    """::\n    ::error::made up\n  ##[error]up ##vso[task.complete]"""\n'
    make(root, {MODULAR: text, "models/my/modeling_my.py": f"{text}    x = 1\n"})
    plain = run(root, "check", GITHUB_ACTIONS="")
    assert "\n     ::error::made up\n" in plain.stdout and "##[error]" in plain.stdout
    done = run(root, "check", GITHUB_ACTIONS="true")
    assert not [
        line
        for line in done.stdout.splitlines()
        if line.strip().startswith("::") or "##[" in line
    ]
    assert "##vso[" not in done.stdout


def test_completion_offers_what_a_shell_takes_as_it_is(tmp_path: Path) -> None:
    names = ("fine", "$(touch ran)", "a b", "-x", "`touch ran`")
    root = make(
        tmp_path / "project", {f"models/my/modular_{name}.py": "" for name in names}
    )
    done = run(
        root,
        _MODULAR_COMPLETE="bash_complete",
        COMP_WORDS="modular check ",
        COMP_CWORD="2",
    )
    assert done.stdout.split() == ["plain,fine"]


def test_nobody_prints_anywhere_else() -> None:
    printing = set()
    for path in Path(modular.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print",
                "click.echo",
                "click.secho",
            ):
                printing.add(f"{path.parent.name}/{path.name}")
    assert printing == {"cli/printing.py"}


@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">&-", 1),
        ("2>&-", 1),
        (">&- 2>&-", 1),
        ("<&-", 1),
        ("<&- >&- 2>&-", 1),
        (">/dev/full", 2),
        ("2>/dev/full", 2),
    ],
)
def test_streams_that_cannot_be_written(
    root: Path, redirection: str, code: int
) -> None:
    """No traceback; and no file that is opened meanwhile stands in for one of them."""
    make(root, {MODULAR: BROKEN})
    line = f"{shlex.join(command('check'))} {redirection}"
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=root,
        env=environment(root.parent / "cache"),
        capture_output=True,
        encoding="utf-8",
    )
    assert "Traceback" not in done.stderr + done.stdout
    if redirection == ">/dev/full":
        reason = "error: the output cannot be written: No space left on device\n"
        assert done.stderr.endswith(reason)
    assert done.returncode == code
    cached = [path for path in (root.parent / "cache").rglob("*") if path.is_file()]
    assert not any(b"error[MOD101]" in path.read_bytes() for path in cached)
    assert os.listdir(root / "models/my") == ["modular_my.py"]
