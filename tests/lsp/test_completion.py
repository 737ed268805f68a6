"""Completion of base classes that are not imported yet."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import OLMO


pytestmark = pytest.mark.asyncio(loop_scope="module")


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
    assert edits == {"LlamaNorm": ["from ..llama.modeling_llama import LlamaNorm\n"]}


async def test_what_language_servers_for_python_complete_is_left_to_them(
    editor: Editor,
) -> None:
    editor.open(OLMO, "from torch import nn\nx = ")
    assert await editor.completions() == []
    editor.open("models/phi/modular_phi.py", "class PhiMLP(")
    assert await editor.completions(path="models/phi/modular_phi.py") == []


ZZZ = "models/zzz/modular_zzz.py"


@pytest.mark.parametrize("is_slow", [True, False], ids=["letters", "lines"])
async def test_completion_in_a_new_file_that_is_typed_from_the_top(
    editor: Editor, is_slow: bool
) -> None:
    editor.open(ZZZ, "")
    text = "from ..llama.modeling_llama import LlamaMLP\n\n\nclass ZzzNorm(LlamaN"
    for piece in text if is_slow else text.splitlines(keepends=True):
        editor.append(piece, ZZZ)
    assert await editor.completions(path=ZZZ) == ["LlamaNorm"]
