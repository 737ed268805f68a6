"""Implementations across models."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, LLAMA, OLMO


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def implementations(
    editor: Editor, before: str, path: str
) -> list[tuple[str, str]]:
    params = lsp.ImplementationParams(**editor.at(before, path))
    locations = await editor.client.text_document_implementation_async(params)
    return [
        editor.line(location)
        for location in locations or []
        if isinstance(location, lsp.Location)
    ]


async def test_implementations_are_the_children_of_all_models(editor: Editor) -> None:
    editor.open(LLAMA)
    children = [(OLMO, "class OlmoMLP(LlamaMLP):"), (AYA, "class AyaMLP(OlmoMLP):")]
    assert await implementations(editor, "class LlamaM", LLAMA) == children
    assert await implementations(editor, "def forw", LLAMA) == [
        (OLMO, "def forward(self, x):")
    ]
