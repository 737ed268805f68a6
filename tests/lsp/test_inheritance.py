"""Type hierarchies and implementations across models."""

from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, LLAMA, OLMO, OLMO_MADE


pytestmark = pytest.mark.asyncio(loop_scope="module")


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
