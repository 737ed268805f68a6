"""Completion of bases, methods and deleted attributes."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import OLMO
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


async def test_completion_of_bases(editor: Editor) -> None:
    editor.open()
    editor.write("class OlmoMLP(LlamaMLP):", "class OlmoMLP(")
    assert await editor.completions("class OlmoMLP(") == ["LlamaMLP"]


async def test_completion_of_a_base_offers_classes_of_all_models_and_imports_them(
    editor: Editor,
) -> None:
    editor.open()
    editor.write("class OlmoMLP(LlamaMLP):", "class OlmoMLP(Llama")
    params = lsp.CompletionParams(**editor.at("class OlmoMLP(Llama"))
    completion = await editor.client.text_document_completion_async(params)
    assert isinstance(completion, tuple | list)
    edits = {}
    for item in completion:
        edits[item.label] = [edit.new_text for edit in item.additional_text_edits or ()]
    assert edits == {
        "LlamaMLP": [],
        "LlamaNorm": ["from ..llama.modeling_llama import LlamaNorm\n"],
    }


async def test_nothing_is_completed_elsewhere(editor: Editor) -> None:
    editor.open(OLMO, "from torch import nn\nx = ")
    assert await editor.completions() == []


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


async def test_completion_of_deleted_attributes(editor: Editor) -> None:
    editor.open()
    editor.write("del self.act_fn", "del self.")
    assert await editor.completions("del self.") == ["up_proj", "act_fn"]


IMPORT = "from ..llama.modeling_llama import LlamaMLP, LlamaNorm\n\n\n"
ZZZ = "models/zzz/modular_zzz.py"


@pytest.mark.parametrize("is_slow", [True, False], ids=["letters", "lines"])
@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        pytest.param(
            "class ZzzMLP(LlamaMLP):\n    def ",
            ["__init__", "forward"],
            id="the first method of a class",
        ),
        pytest.param(
            "class ZzzMLP(LlamaMLP):\n    def __init__(self, config):\n"
            "        super().__init__(config)\n\n    def ",
            ["forward"],
            id="the second method",
        ),
        pytest.param(
            "class ZzzMLP(LlamaMLP):\n    def __init__(self, config):\n        del self.",
            ["up_proj", "act_fn"],
            id="an attribute",
        ),
        pytest.param(
            "class ZzzNorm(LlamaNorm):\n    pass\n\n\n"
            "class ZzzMLP(LlamaMLP):\n    def ",
            ["__init__", "forward"],
            id="a second class",
        ),
    ],
)
async def test_completion_in_a_new_file_that_is_typed_from_the_top(
    editor: Editor, typed: str, proposed: list[str], is_slow: bool
) -> None:
    editor.open(ZZZ, "")
    text = IMPORT + typed
    for piece in text if is_slow else text.splitlines(keepends=True):
        editor.append(piece, ZZZ)
    assert await editor.completions(path=ZZZ) == proposed


async def test_a_corrected_base_counts_before_the_class_is_valid(
    editor: Editor,
) -> None:
    editor.open(ZZZ, IMPORT)
    editor.append("class ZzzMLP(LlamaNorm):\n    def ", ZZZ)
    assert await editor.completions(path=ZZZ) == []
    editor.write("class ZzzMLP(LlamaNorm)", "class ZzzMLP(LlamaMLP)", ZZZ)
    assert await editor.completions(path=ZZZ) == ["__init__", "forward"]
