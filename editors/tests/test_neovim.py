"""Neovim's built-in client and the server understand each other: with the configurations of docs/editors/neovim.md, as they stand there."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from editors.tests.session import MODULAR, NEOVIM, PAGE, make_project, record, shown
from tests.docs.walk import environment


SCRIPT = Path(__file__).with_name("ask.lua")
SHORT = Path(__file__).with_name("ask_short.lua")
BESIDE = Path(__file__).with_name("ask_beside.lua")
NPM_PROGRAMS = Path(__file__).with_name("node_modules") / ".bin"
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


def test_the_preview_has_a_name(answers: Any) -> None:
    assert answers["preview_name"] == "modular-preview://modeling_my_model.py"


def test_a_server_that_died_comes_back(answers: Any) -> None:
    assert answers["after_death"]["contents"]["value"].startswith(
        "`MyModelMLP` as generated"
    )


def test_lenses_are_refreshed(answers: Any) -> None:
    assert answers["lenses"] == ["1 model inherits from this"]


def test_ten_lines_give_findings_and_the_definition_of_a_base(tmp_path: Path) -> None:
    make_project(tmp_path)
    lines = (tmp_path / "short.lua").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 10
    command = [NEOVIM, "--headless", "-u", "short.lua", MODULAR]
    subprocess.run(
        [*command, "-c", f"luafile {SHORT}"],
        cwd=tmp_path,
        env=environment(tmp_path),
        timeout=60,
        check=True,
        capture_output=True,
    )
    answers = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    assert answers["codes"] == ["MOD202"]
    assert answers["file"].endswith("models/llama/modeling_llama.py")
    assert answers["line"] == "class LlamaMLP(nn.Module):"


RENAMED = """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP




class MyModelFeedForward( LlamaMLP ):
    def __init__(self, config):
        super().__init__(config)
        self.act_fn = nn.GELU()

    def forward(self, x):
        scaled = x * 2
        return super().forward( scaled )
"""
SAVED = """\
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelFeedForward(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        self.act_fn = nn.GELU()

    def forward(self, x):
        doubled = x * 2
        return super().forward(doubled)
"""


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What Neovim 0.11 showed with pyright and ruff beside the server."""
    folder = tmp_path_factory.mktemp("beside") / "session"
    folder.mkdir()
    make_project(folder)
    settings = '[tool.modular]\ninheritance = "transformers"\n'
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    variables = environment(folder)
    variables["PATH"] = os.pathsep.join([str(NPM_PROGRAMS), variables["PATH"]])
    subprocess.run(
        [NEOVIM, "--headless", "-u", "beside.lua", MODULAR, "-c", f"luafile {BESIDE}"],
        cwd=folder,
        env=variables,
        timeout=300,
        check=True,
        capture_output=True,
    )
    return json.loads((folder / "beside.json").read_text(encoding="utf-8"))


def test_only_modular_renames_a_class(beside: Any) -> None:
    assert beside["class"] == {"asked": ["modular"], "lines": RENAMED.splitlines()}


def test_only_pyright_renames_a_local_variable(beside: Any) -> None:
    lines = RENAMED.replace("scaled", "doubled").splitlines()
    assert beside["variable"] == {"asked": ["pyright"], "lines": lines}


def test_hovers_of_both_servers_are_shown(beside: Any) -> None:
    hover = beside["hover"]
    assert hover[0] == "# modular"
    assert hover[1].startswith("`MyModelMLP` as generated in")
    assert "class MyModelMLP(config: Unknown)" in hover[hover.index("# pyright") :]


def test_diagnostics_follow_when_ruff_formats_on_save(beside: Any) -> None:
    assert beside["unformatted"] == [{"code": "MOD422", "line": 15}]
    assert beside["saved"] == SAVED.splitlines()
    assert beside["formatted"] == [{"code": "MOD422", "line": 13}]


def test_pyright_answers_what_modular_leaves_to_it(beside: Any) -> None:
    """It follows `super().__init__(` to the parent in another model."""
    assert beside["pyright"] == {
        "signature": "(config: Unknown) -> None",
        "call": "__init__ in modeling_llama.py",
        "highlights": 1,
    }


def test_the_session_that_the_page_shows(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    assert record(folder) == shown(PAGE)
