"""Inlay hints: what a class inherits."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, LLAMA, OLMO
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


async def test_hints_stay_and_move_while_a_line_is_incomplete(editor: Editor) -> None:
    editor.open(PHI, PHI_TEXT)
    await hints(editor, PHI)
    editor.write("import LlamaMLP\n", "import LlamaMLP\n\nlimit = (\n", PHI)
    assert await hints(editor, PHI) == [
        (6, "+1 method from LlamaMLP"),
        (8, "self: up_proj"),
    ]


async def test_a_line_that_is_being_typed_has_no_hint(editor: Editor) -> None:
    editor.open(PHI, PHI_TEXT)
    await hints(editor, PHI)
    editor.write("super().__init__(config)", "super().__init__(config", PHI)
    assert await hints(editor, PHI) == [(4, "+1 method from LlamaMLP")]


async def test_a_new_class_has_a_hint_before_it_is_valid(editor: Editor) -> None:
    editor.open(PHI, PHI_TEXT)
    await hints(editor, PHI)
    editor.append("\n\nclass PhiGate(LlamaMLP):\n    def ", PHI)
    assert await hints(editor, PHI) == [
        (4, "+1 method from LlamaMLP"),
        (6, "self: up_proj"),
        (10, "+2 methods from LlamaMLP"),
    ]


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
