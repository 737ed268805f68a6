"""`pyproject.toml` in the editor: completion and hover in `[tool.modular]`."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor


pytestmark = pytest.mark.asyncio(loop_scope="module")

FILE = "pyproject.toml"


async def test_keys_are_completed_with_their_meaning(editor: Editor) -> None:
    editor.open(FILE, '[tool.modular]\nmodels = ["models"]\nout')
    params = lsp.CompletionParams(**editor.at("\nout", FILE))
    items = await editor.client.text_document_completion_async(params)
    assert isinstance(items, list)
    documentation = {item.label: str(item.documentation) for item in items}
    assert documentation["output"].startswith("The folder for generated files")
    assert "per-file-ignores" not in documentation


@pytest.mark.parametrize(
    ("text", "label", "other"),
    [
        pytest.param("[tool.modular.lint]\n", "per-file-ignores", "models", id="table"),
        pytest.param("[tool.modular]\nlint.err", "error", "models", id="dotted key"),
        pytest.param('[tool."modular"]\n', "models", "error", id="quoted table"),
        pytest.param("[tool.mod", "tool.modular.lint", "models", id="header"),
        pytest.param("[tool.modular]\nformatter = ", '"black"', "true", id="choice"),
        pytest.param(
            "[tool.modular]\nmerge-docstrings = ", "true", '"black"', id="boolean"
        ),
    ],
)
async def test_completion_depends_on_the_table_and_the_key(
    editor: Editor, text: str, label: str, other: str
) -> None:
    editor.open(FILE, text)
    labels = await editor.completions(path=FILE)
    assert label in labels
    assert other not in labels


@pytest.mark.parametrize(
    "text",
    [
        "[tool.ruff]\n",
        "[tool.modular.nothing]\n",
        "[tool.modularity]\n",
        "[tool.modular]\noutput = ",
        "",
    ],
)
async def test_nothing_is_offered_elsewhere(editor: Editor, text: str) -> None:
    editor.open(FILE, text)
    assert await editor.completions(path=FILE) == []


async def test_a_hover_explains_a_key(editor: Editor) -> None:
    editor.open(FILE, '[tool.modular]\nmodels = ["models"]\nformatter = "black"\n')
    shown = await editor.hover("format", FILE)
    assert shown is not None
    assert shown.startswith("`formatter`: ")
    assert 'Default: `"ruff"`' in shown
    assert "/settings/#formatter)" in shown


async def test_a_hover_on_another_key_says_nothing(editor: Editor) -> None:
    editor.open(FILE, '[tool.ruff]\noutput = "x"\n[tool.modular]\n')
    assert await editor.hover("outp", FILE) is None
    assert await editor.hover("[tool.mod", FILE) is None
