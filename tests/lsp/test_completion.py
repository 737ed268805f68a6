"""Completion of bases, methods, imports and deleted attributes."""

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


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        pytest.param("from ..", ["aya", "llama"], id="models, but not the own one"),
        pytest.param("from ..ll", ["aya", "llama"], id="models, half typed"),
        pytest.param(
            "from ...models.", ["aya", "llama"], id="models, from the folder of all"
        ),
        pytest.param("from ..llama.", ["modeling_llama"], id="the files of a model"),
        pytest.param(
            "from ..llama.modeling_llama import ",
            ["LlamaMLP", "LlamaNorm"],
            id="classes",
        ),
        pytest.param(
            "from ..llama.modeling_llama import LlamaMLP, L",
            ["LlamaMLP", "LlamaNorm"],
            id="one more class",
        ),
        pytest.param(
            "from ..llama.modeling_llama import (\n    LlamaMLP,\n    ",
            ["LlamaMLP", "LlamaNorm"],
        ),
        pytest.param("x = ", [], id="nothing elsewhere"),
    ],
)
async def test_completion_in_imports(
    editor: Editor, typed: str, proposed: list[str]
) -> None:
    editor.open(OLMO, "from torch import nn\n" + typed)
    assert await editor.completions() == proposed


async def test_completion_of_deleted_attributes(editor: Editor) -> None:
    editor.open()
    editor.write("del self.act_fn", "del self.")
    assert await editor.completions("del self.") == ["up_proj", "act_fn"]
