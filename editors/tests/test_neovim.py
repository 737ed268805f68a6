"""Neovim's built-in client and the server understand each other: with the configurations of docs/editors.md, as they stand there."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from editors.tests.session import MODULAR, NEOVIM, make_project, record, shown
from tests.docs.walk import environment


SCRIPT = Path(__file__).with_name("ask.lua")
VERSIONS = {"0.11": (NEOVIM, "init.lua"), "0.7": ("/usr/bin/nvim", "old.lua")}


@pytest.fixture(scope="module", params=VERSIONS)
def answers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """What a headless Neovim was told about the modular file of the page."""
    neovim, configuration = VERSIONS[request.param]
    version = subprocess.run(
        [neovim, "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert version.startswith(f"NVIM v{request.param}."), version
    folder = tmp_path_factory.mktemp("headless") / "session"
    folder.mkdir()
    make_project(folder)
    (folder / "pyproject.toml").write_text("[tool.modular]\n", encoding="utf-8")
    command = [
        neovim,
        "--headless",
        "-u",
        configuration,
        MODULAR,
        "-c",
        f"luafile {SCRIPT}",
    ]
    subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        timeout=180,
        check=True,
        capture_output=True,
    )
    return json.loads((folder / "answers.json").read_text(encoding="utf-8"))


def test_diagnostics(answers: Any) -> None:
    message = "`models/llama/modeling_llama.py` has no `LlamaMlp`\nhint: did you mean `LlamaMLP`?"
    assert answers["diagnostics"] == [{"code": "MOD202", "line": 3, "message": message}]
    assert answers["cleared"]


def test_the_root_is_the_folder_of_the_settings(answers: Any) -> None:
    assert answers["root"].endswith("/session")


def test_hover(answers: Any) -> None:
    assert answers["hover"]["contents"]["value"].splitlines()[:4] == [
        "`MyModelMLP` as generated in `modeling_my_model.py`",
        "",
        "```python",
        "class MyModelMLP(nn.Module):",
    ]


def test_definition(answers: Any) -> None:
    (place,) = answers["definition"]
    assert place["uri"].endswith("/session/models/llama/modeling_llama.py")
    assert place["range"]["start"] == {"line": 3, "character": 6}


def test_the_preview_follows_what_is_typed(answers: Any) -> None:
    before, after = answers["previews"]
    assert "        self.act_fn = nn.GELU()" in before["lines"]
    assert before["lines"][before["cursor"] - 1] == "        self.act_fn = nn.GELU()"
    assert "        self.act_fn = nn.Tanh()" in after["lines"]


def test_a_server_that_died_comes_back(answers: Any) -> None:
    assert answers["after_death"]["contents"]["value"].startswith(
        "`MyModelMLP` as generated"
    )


def test_lenses_are_refreshed(answers: Any) -> None:
    assert answers["lenses"] == ["1 model inherits from this"]


def test_the_session_that_the_page_shows(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    assert record(folder) == shown()
