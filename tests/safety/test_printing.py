"""Nothing that is printed controls what shows it: a terminal, or the service that runs a workflow."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import modular
from modular.source.system.printable import clean, one_line
from tests.safety.projects import command, environment, make, run


CONTROL = "\x1b[2J\x9b2J\u202e\u2066\u200f\x07\x08\r\x7f\u2028"
NEW_LINE = "\n::error::made up"
IN_A_LINE = CONTROL.replace("\r", "")
ESCAPED = CONTROL.encode("unicode_escape").decode().replace("\\x", "\\u00")

PARENT = "class BaseModel:\n    pass\n"
MODULAR = f"from ..base.modeling_base import BaseModel\n\n\nclass MyModel(BaseModel):\n    x = 1  # {IN_A_LINE}\n"
BROKEN = f"from ..base.modeling_base import Base{CONTROL}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"models/base/modeling_base.py": PARENT, "models/my/modular_my.py": MODULAR}
    return make(tmp_path / "project", files)


def assert_harmless(text: str) -> None:
    assert [letter for letter in text if not letter.isprintable() and letter not in "\n\t"] == []


def test_a_diff(root: Path) -> None:
    done = run(root, "check")
    assert "+    x = 1  # \N{REPLACEMENT CHARACTER}[2J" in done.stdout
    assert_harmless(done.stdout + done.stderr)


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_a_diagnostic(root: Path, form: str) -> None:
    (root / "models/my/modular_my.py").write_text(BROKEN, encoding="utf-8")
    done = run(root, "check", "--output-format", form)
    assert "MOD101" in done.stdout + done.stderr
    assert_harmless(done.stdout + done.stderr)
    if form in ("json", "sarif"):
        json.loads(done.stdout)


@pytest.mark.parametrize(
    "settings",
    [
        f'"{ESCAPED}" = 1',
        f'models = ["{ESCAPED}"]',
        f'output = "{ESCAPED}"',
        f'formatter = "{ESCAPED}"',
        f'preset = "{ESCAPED}"',
        f'"a\\n::error::made up{ESCAPED}" = 1',
        f'package = "{ESCAPED}"',
        f'[tool.ruff]\nextend = "/{ESCAPED}.toml"',
        f'[tool.ruff]\nrequired-version = "{ESCAPED}"',
        f'[tool.ruff]\n"{ESCAPED}" = 1',
    ],
)
def test_settings(root: Path, settings: str) -> None:
    formatter = 'formatter = "ruff"\n' if settings.startswith("[") else ""
    (root / "pyproject.toml").write_text(f"[tool.modular]\n{formatter}{settings}\n", encoding="utf-8")
    done = run(root, "check")
    assert done.returncode == 2 and done.stderr.startswith("error: ")
    assert_harmless(done.stdout + done.stderr)
    assert "\n::" not in done.stderr


@pytest.mark.parametrize("form", ["text", "github", "json"])
def test_paths(tmp_path: Path, form: str) -> None:
    """A path of a command line, and the root itself, may hold anything that a file name can."""
    name = f"a{CONTROL}{NEW_LINE}"
    root = make(tmp_path / name, {"models/my/modular_my.py": "class MyModel:\n    x = (\n"})
    done = run(root, "check", "--output-format", form, f"models/{name}", "models/my", cwd=root)
    assert "MOD101" in done.stdout + done.stderr and "MOD103" in done.stdout + done.stderr
    assert_harmless(done.stdout + done.stderr)
    assert "::error::made up" not in (done.stdout + done.stderr).splitlines()


def test_commands_of_a_workflow_in_what_is_shown(root: Path) -> None:
    docstring = '    """::\n    ::error::made up\n  ##[error]up ##vso[task.complete]"""\n'
    (root / "models/my/modular_my.py").write_text(f"class MyModel:\n{docstring}", encoding="utf-8")
    (root / "models/my/modeling_my.py").write_text(f"class MyModel:\n{docstring}    x = 1\n", encoding="utf-8")
    plain = run(root, "check", GITHUB_ACTIONS="")
    assert "\n     ::error::made up\n" in plain.stdout and "##[error]" in plain.stdout
    done = run(root, "check", GITHUB_ACTIONS="true")
    assert not [line for line in done.stdout.splitlines() if line.strip().startswith("::") or "##[" in line]
    assert "##vso[" not in done.stdout


def test_names_that_look_like_colours(tmp_path: Path) -> None:
    """`modular stats` draws a table with a library that reads colours in square brackets."""
    root = make(tmp_path / "project", {"models/my/modular_[red]my[%blue].py": "class MyModel:\n    pass\n"})
    done = run(root, "stats")
    assert "[red]my[%blue]" in done.stdout, done


def test_completion_offers_what_a_shell_takes_as_it_is(tmp_path: Path) -> None:
    text = "class MyModel:\n    pass\n"
    files = {f"models/my/modular_{name}.py": text for name in ("fine", "$(touch ran)", "a b", "-x", "`touch ran`")}
    root = make(tmp_path / "project", files)
    variables = {"_MODULAR_COMPLETE": "bash_complete", "COMP_WORDS": "modular check ", "COMP_CWORD": "2"}
    code = "from modular.cli.main import main; main(prog_name='modular')"
    environ = environment(tmp_path, **variables)
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=environ, capture_output=True, encoding="utf-8")
    assert done.stdout.split() == ["plain,fine"], done


def test_what_is_kept() -> None:
    text = "é\t模型 \N{FAMILY}\N{ZERO WIDTH JOINER}x\N{NO-BREAK SPACE}\r\n\r\n::\n"
    assert clean(text) == text
    assert clean("a\rb\r\n") == "a\N{REPLACEMENT CHARACTER}b\r\n"
    assert one_line("a\nb\tc") == "a\N{REPLACEMENT CHARACTER}b\tc"


def test_nobody_prints_anywhere_else() -> None:
    """What a formatter, a setting or a source says can reach a terminal through this one module only.

    `python -m modular.provenance` runs a script that its user names, and passes on what that prints.
    """
    found = []
    hall = Path(modular.__file__).parent
    for path in set(hall.rglob("*.py")) - {hall / "provenance" / "__main__.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "click.echo", "click.secho"):
                found.append(path.name)
    assert set(found) == {"printing.py"}


def closed(root: Path, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    line = " ".join([*command(*arguments), redirection])
    return subprocess.run(
        ["sh", "-c", line], cwd=root, env=environment(root.parent / "cache"), capture_output=True, encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("redirection", "code"),
    [(">&-", 1), ("2>&-", 1), (">&- 2>&-", 1), ("<&-", 1), ("<&- >&- 2>&-", 1), (">/dev/full", 2)],
)
def test_streams_that_cannot_be_written(root: Path, redirection: str, code: int) -> None:
    """No traceback; and no file that is opened meanwhile stands in for one of them."""
    (root / "models/my/modular_my.py").write_text(BROKEN, encoding="utf-8")
    for options in ([], ["--no-cache"]):
        done = closed(root, redirection, "check", *options)
        assert "Traceback" not in done.stderr + done.stdout
        assert done.returncode == code, done
    entries = (root.parent / "cache/results-2").glob("*")
    assert not any(b"MOD101" in entry.read_bytes() for entry in entries)
    assert os.listdir(root / "models/my") == ["modular_my.py"]


def test_errors_that_cannot_be_written(root: Path) -> None:
    (root / "models/my/modular_my.py").write_text(BROKEN, encoding="utf-8")
    done = closed(root, "2>/dev/full", "check")
    assert done.returncode != 0 and "Traceback" not in done.stdout
