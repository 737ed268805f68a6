"""The preview of generated files."""

from typing import Any

import pytest

from tests.lsp.client import Editor
from tests.lsp.texts import AYA_MADE, FILES, OLMO, OLMO_MADE


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def preview(editor: Editor, path: str) -> Any:
    params = {"textDocument": {"uri": editor.uri(path)}}
    return await editor.client.protocol.send_request_async("modular/preview", params)


async def test_the_preview_is_the_generated_file_of_the_unsaved_text(
    editor: Editor,
) -> None:
    editor.open()
    editor.write("x = x + 1", "x = x   +   2")
    (file,) = await preview(editor, OLMO)
    assert (file["uri"], file["text"]) == (
        editor.uri(OLMO_MADE),
        FILES[OLMO_MADE].replace("x + 1", "x + 2"),
    )
    pairs = {
        FILES[OLMO].split("\n")[own]: file["text"].split("\n")[made]
        for own, made in file["lines"]
    }
    assert pairs["class OlmoMLP(LlamaMLP):"] == "class OlmoMLP(nn.Module):"
    assert pairs["    def forward(self, x):"] == "    def forward(self, x):"
    assert pairs["        x = x + 1"] == "        x = x + 2"


async def test_the_preview_of_half_typed_code_is_the_last_one(editor: Editor) -> None:
    editor.open()
    await editor.said()
    editor.write("x = x + 1", "x = (x +")
    (file,) = await preview(editor, OLMO)
    assert file["text"] == FILES[OLMO_MADE]


@pytest.mark.parametrize(
    "params",
    [None, {}, {"textDocument": 1}, {"textDocument": {"uri": "file:///etc/passwd"}}],
)
async def test_a_preview_of_nothing(editor: Editor, params: Any) -> None:
    editor.open(AYA_MADE)
    assert (
        await editor.client.protocol.send_request_async("modular/preview", params)
        is None
    )
    assert await preview(editor, AYA_MADE) == []
