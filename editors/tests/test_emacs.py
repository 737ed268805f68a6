"""Emacs with Eglot and the server understand each other: with the `.dir-locals.el` of docs/editors/emacs.md, as it stands there."""

import json
import subprocess
from pathlib import Path

import pytest

from editors.tests.session import (
    EMACS_PAGE,
    MODULAR,
    emacs_configurations,
    make_emacs_project,
    record_emacs,
    shown,
)
from tests.docs.walk import environment


SCRIPT = Path(__file__).with_name("ask.el")


def run(folder: Path, mode: str) -> dict[str, object]:
    """Open the modular file of the page in a mode, and return what Emacs was told."""
    variables = {
        **environment(folder),
        "MODE": mode,
        "MODULAR": MODULAR,
        "ANSWERS": str(folder / "answers.json"),
    }
    command = ["emacs", "--batch", "--load", "init.el", "--load", str(SCRIPT)]
    done = subprocess.run(
        command, cwd=folder, env=variables, timeout=120, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, object] = json.loads(
        (folder / "answers.json").read_text(encoding="utf-8")
    )
    return answers


@pytest.mark.parametrize(
    ("file", "mode"),
    [
        (".dir-locals.el", "python-mode"),
        (".dir-locals.el", "python-ts-mode"),
        ("init.el", "python-mode"),
    ],
)
def test_a_session(tmp_path: Path, file: str, mode: str) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    make_emacs_project(folder)
    (folder / "init.el").touch()
    (folder / file).write_text(emacs_configurations()[file], encoding="utf-8")
    answers = run(folder, mode)
    assert answers["command"] == "modular lsp"
    (diagnostic,) = answers["diagnostics"]
    assert "`models/llama/modeling_llama.py` has no `LlamaMlp`" in diagnostic
    assert answers["actions"] == ["Write `LlamaMLP`"]
    assert str(answers["hover"]).startswith(
        "`MyModelMLP` as generated in `modeling_my_model.py`"
    )


def test_the_session_that_the_page_shows(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    assert shown(EMACS_PAGE) == record_emacs(folder)
