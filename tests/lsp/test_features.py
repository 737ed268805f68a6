"""Hints, hierarchies, searches and the preview: what a modular file inherits, shown while it is written."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, AYA_MADE, FILES, LLAMA, OLMO, OLMO_MADE
from tests.support import source


pytestmark = pytest.mark.asyncio(loop_scope="module")

PHI = "models/phi/modular_phi.py"
PHI_TEXT = source("""
    from ..llama.modeling_llama import LlamaMLP


    class PhiMLP(LlamaMLP):
        def __init__(self, config):
            super().__init__(config)
            self.act_fn = None
    """)


async def hints(editor: Editor, path: str) -> list[tuple[int, str]]:
    """The line (from 1) and the label of each inlay hint of a file."""
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(10**6, 0))
    params = lsp.InlayHintParams(lsp.TextDocumentIdentifier(editor.uri(path)), whole)
    inlay_hint = await editor.client.text_document_inlay_hint_async(params)
    return [(hint.position.line + 1, str(hint.label)) for hint in inlay_hint or []]


async def test_a_hint_counts_the_methods_that_are_inherited(editor: Editor) -> None:
    editor.open(AYA)
    assert await hints(editor, AYA) == [(4, "+2 methods from OlmoMLP")]


async def test_a_hint_lists_the_attributes_that_come_by_super(editor: Editor) -> None:
    """Neither those that are deleted nor those that are assigned again."""
    editor.open(PHI, PHI_TEXT)
    assert await hints(editor, PHI) == [
        (4, "+1 method from LlamaMLP"),
        (6, "self: up_proj"),
    ]
    editor.open(OLMO)
    assert await hints(editor, OLMO) == [(8, "self: up_proj")]


async def hierarchy(
    editor: Editor, before: str, path: str
) -> tuple[list[Any], list[Any], list[Any]]:
    """The class at a place, its parents and its children, each with its file."""
    params = lsp.TypeHierarchyPrepareParams(**editor.at(before, path))
    items = await editor.client.text_document_prepare_type_hierarchy_async(params)
    assert items is not None
    (item,) = items
    above = await editor.client.type_hierarchy_supertypes_async(
        lsp.TypeHierarchySupertypesParams(item)
    )
    below = await editor.client.type_hierarchy_subtypes_async(
        lsp.TypeHierarchySubtypesParams(item)
    )
    return tuple(
        [(item.name, item.detail) for item in found or []]
        for found in (items, above, below)
    )  # type: ignore


async def test_the_hierarchy_of_a_class_that_is_generated_goes_by_modular_files(
    editor: Editor,
) -> None:
    expected = [("LlamaMLP", "modeling_llama.py")], [("AyaMLP", "modular_aya.py")]
    editor.open(OLMO)
    assert await hierarchy(editor, "class Olmo", OLMO) == (
        [("OlmoMLP", "modular_olmo.py")],
        *expected,
    )
    editor.open(OLMO_MADE)
    assert await hierarchy(editor, "class Olmo", OLMO_MADE) == (
        [("OlmoMLP", "modeling_olmo.py")],
        *expected,
    )


async def test_the_hierarchy_of_a_hand_written_class(editor: Editor) -> None:
    editor.open(LLAMA)
    items = await hierarchy(editor, "class LlamaM", LLAMA)
    assert items == (
        [("LlamaMLP", "modeling_llama.py")],
        [],
        [("OlmoMLP", "modular_olmo.py")],
    )


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


async def test_the_definition_of_a_generated_parent_offers_the_modular_file(
    editor: Editor,
) -> None:
    editor.open(AYA)
    places = [
        (OLMO_MADE, "class OlmoMLP(nn.Module):"),
        (OLMO, "class OlmoMLP(LlamaMLP):"),
    ]
    assert await editor.definition("AyaMLP(Olmo", AYA) == places


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        pytest.param("OlmoMLP(Llama", FILES[LLAMA].split("\n\n\n")[1], id="a base"),
        pytest.param(
            "import Llama", FILES[LLAMA].split("\n\n\n")[1], id="an imported name"
        ),
        pytest.param(
            "return super",
            "def forward(self, x):\n    return self.up_proj(x)",
            id="super",
        ),
        pytest.param(
            "super().forw",
            "def forward(self, x):\n    return self.up_proj(x)",
            id="a method of super",
        ),
    ],
)
async def test_hover_shows_the_code_of_the_parent(
    editor: Editor, before: str, shown: str
) -> None:
    editor.open()
    name = "LlamaMLP.forward" if "super" in before else "LlamaMLP"
    assert (
        await editor.hover(before)
        == f"`{name}` in `modeling_llama.py`\n\n```python\n{shown}\n```"
    )


async def test_completion_of_bases(editor: Editor) -> None:
    editor.open()
    editor.write("class OlmoMLP(LlamaMLP):", "class OlmoMLP(")
    assert await editor.completions("class OlmoMLP(") == ["LlamaMLP"]


async def test_completion_of_methods_to_override(editor: Editor) -> None:
    editor.open(PHI, PHI_TEXT)
    await editor.said(path=PHI)
    editor.write("self.act_fn = None\n", "self.act_fn = None\n\n    def ", PHI)
    params = lsp.CompletionParams(**editor.at("None\n\n    def ", PHI))
    completion = await editor.client.text_document_completion_async(params)
    assert isinstance(completion, tuple | list)
    assert [(item.label, item.insert_text) for item in completion] == [
        ("forward", "forward(self, x):")
    ]


async def test_a_setting_that_is_wrong_is_marked_while_it_is_typed(
    editor: Editor,
) -> None:
    file = "pyproject.toml"
    editor.open(file)
    editor.write('package = "models"', 'pakage = "models"', file)
    (messages,) = await editor.said((None, 3), path=file)
    assert "tool.modular.pakage" in messages.message
    editor.write(
        'pakage = "models"',
        'package = "models"\n[tool.modular.lint]\nignore = ["MOD9"]',
        file,
    )
    await editor.said((None, 5), path=file)
    editor.write('["MOD9"]', '["MOD9"', file)
    await editor.said((None, 7), path=file)
    editor.write('ignore = ["MOD9"', "ignore = []", file)
    await editor.said(path=file)


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


async def test_hints_and_lenses_are_asked_for_anew_after_a_save_of_a_parent(
    editor: Editor,
) -> None:
    editor.open(OLMO)
    editor.open(LLAMA)
    editor.write(
        "        return self.up_proj(x)", "        return self.act_fn(x)", LLAMA
    )
    assert editor.refreshed == []
    editor.save(LLAMA)
    await editor.until(lambda: len(editor.refreshed) == 2)
    assert editor.refreshed == [
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
    ]
