"""Symbols of a file and of the workspace."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import LLAMA, OLMO


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_symbols_of_all_models(editor: Editor) -> None:
    editor.open(LLAMA)
    symbols = await editor.client.workspace_symbol_async(
        lsp.WorkspaceSymbolParams("omlp")
    )
    here = [
        symbol
        for symbol in symbols or []
        if symbol.location.uri.startswith(editor.root.as_uri())
    ]
    assert [(symbol.name, symbol.container_name) for symbol in here] == [
        ("OlmoMLP", "modular_olmo.py")
    ]


async def test_symbols(editor: Editor) -> None:
    editor.open()
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri(OLMO)))
    (symbol,) = await editor.client.text_document_document_symbol_async(params) or ()
    assert isinstance(symbol, lsp.DocumentSymbol)
    assert (
        symbol.name,
        symbol.kind,
        symbol.range.start.line,
        symbol.range.end.line,
    ) == (
        "OlmoMLP",
        lsp.SymbolKind.Class,
        5,
        13,
    )
    assert [child.name for child in symbol.children or ()] == ["__init__", "forward"]
