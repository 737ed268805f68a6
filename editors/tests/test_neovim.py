"""Neovim's built-in client and the server understand each other: with the configuration of docs/editors.md, as it stands there."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from editors.tests.session import MODULAR, make_project, record, shown
from tests.docs.walk import environment


ASKING = """
local function ask(method, line, column)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }
  local found = vim.lsp.buf_request_sync(0, method, params, 20000)
  for _, each in pairs(found or {}) do
    return each.result
  end
end

local function diagnostics()
  vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20)
  return vim.diagnostic.get(0)
end

local said = {}
for _, each in ipairs(diagnostics()) do
  table.insert(said, { code = each.code, line = each.lnum + 1, message = each.message })
end
vim.api.nvim_buf_set_lines(0, 2, 6, false, {
  "from ..llama.modeling_llama import LlamaMLP", "", "", "class MyModelMLP(LlamaMLP):",
})
local cleared = vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 20)
local answers = {
  said = said,
  cleared = cleared,
  hover = ask("textDocument/hover", 5, 8),
  definition = ask("textDocument/definition", 5, 8),
  symbols = ask("textDocument/documentSymbol", 0, 0),
}
local file = io.open("answers.json", "w")
file:write(vim.json.encode(answers))
file:close()
vim.cmd("qall!")
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a headless Neovim was told about the modular file of the page."""
    folder = tmp_path_factory.mktemp("headless") / "session"
    folder.mkdir()
    make_project(folder)
    (folder / "ask.lua").write_text(ASKING, encoding="utf-8")
    command = ["nvim", "--headless", "-u", "init.lua", MODULAR, "-c", "luafile ask.lua"]
    subprocess.run(command, cwd=folder, env=environment(folder), timeout=120, check=True, capture_output=True)
    return json.loads((folder / "answers.json").read_text(encoding="utf-8"))


def test_diagnostics(answers: Any) -> None:
    message = "`models/llama/modeling_llama.py` has no `LlamaMlp`\nhint: did you mean `LlamaMLP`?"
    assert answers["said"] == [{"code": "MOD202", "line": 3, "message": message}]
    assert answers["cleared"]


def test_hover(answers: Any) -> None:
    assert answers["hover"]["contents"]["value"].splitlines()[:4] == [
        "comes out in `modeling_my_model.py`",
        "",
        "```python",
        "class MyModelMLP(nn.Module):",
    ]


def test_definition(answers: Any) -> None:
    assert answers["definition"]["uri"].endswith("/session/models/llama/modeling_llama.py")
    assert answers["definition"]["range"]["start"] == {"line": 3, "character": 6}


def test_symbols(answers: Any) -> None:
    assert [each["name"] for each in answers["symbols"]] == ["MyModelMLP"]


def test_the_session_that_the_page_shows(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    assert record(folder) == shown()
