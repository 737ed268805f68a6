"""Definitions, references, hovers and lenses."""

import pytest

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, FILES, LLAMA, OLMO, OLMO_MADE
from tests.support import source


pytestmark = pytest.mark.asyncio(loop_scope="module")


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


@pytest.mark.parametrize(
    ("before", "path", "line"),
    [
        pytest.param(
            "class OlmoM",
            LLAMA,
            "class LlamaMLP(nn.Module):",
            id="from a class to its parent",
        ),
        pytest.param(
            "OlmoMLP(Llama",
            LLAMA,
            "class LlamaMLP(nn.Module):",
            id="from a base to its class",
        ),
        pytest.param(
            "import LlamaML",
            LLAMA,
            "class LlamaMLP(nn.Module):",
            id="from an imported name to its class",
        ),
        pytest.param(
            "from ..llama.modeling",
            LLAMA,
            "from torch import nn",
            id="from a module to its file",
        ),
        pytest.param(
            "def forw",
            LLAMA,
            "def forward(self, x):",
            id="from a method to what it overrides",
        ),
        pytest.param(
            "super().forw",
            LLAMA,
            "def forward(self, x):",
            id="from a call of super() to the inlined method",
        ),
    ],
)
async def test_definition(editor: Editor, before: str, path: str, line: str) -> None:
    editor.open()
    assert await editor.definition(before) == [(path, line)]


@pytest.mark.parametrize(
    ("before", "path", "line"),
    [
        pytest.param(
            "class Olmo", LLAMA, "class LlamaMLP(nn.Module):", id="a class's head"
        ),
        pytest.param(
            "self.up_proj = nn",
            LLAMA,
            "self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)",
        ),
        pytest.param("x = x +", OLMO, "x = x + 1", id="a line of the modular file"),
    ],
)
async def test_definition_of_a_generated_line_is_its_origin(
    editor: Editor, before: str, path: str, line: str
) -> None:
    editor.open(OLMO_MADE)
    assert await editor.definition(before, OLMO_MADE) == [(path, line)]


async def test_hover_over_a_class_shows_it_flattened(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", "x = x   +   2")
    assert await editor.hover("class Olmo") == source("""
        `OlmoMLP` as generated in `modeling_olmo.py`

        ```python
        class OlmoMLP(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.up_proj = nn.Linear(config.hidden_size, config.hidden_size)

            def forward(self, x):
                x = x + 2
                return self.up_proj(x)
        ```""")


async def test_hover_over_a_method_shows_it_flattened(editor: Editor) -> None:
    editor.open()
    assert await editor.hover("def forw") == source("""
        `forward` as generated in `modeling_olmo.py`

        ```python
        def forward(self, x):
            x = x + 1
            return self.up_proj(x)
        ```""")


async def test_half_typed_code_keeps_the_last_answers(editor: Editor) -> None:
    editor.open()
    await editor.said()
    editor.write("x = x + 1", "x = (x +")
    assert await editor.definition("class Olmo") == [
        (LLAMA, "class LlamaMLP(nn.Module):")
    ]
    shown = await editor.hover("class Olmo")
    assert shown is not None
    assert "        x = x + 1\n" in shown


async def test_references_of_a_parents_class(editor: Editor) -> None:
    editor.open(LLAMA)
    assert await editor.references("class LlamaM", LLAMA) == [
        (OLMO, "class OlmoMLP(LlamaMLP):")
    ]


@pytest.mark.parametrize(
    ("path", "before", "found"),
    [
        pytest.param(
            LLAMA,
            "class LlamaM",
            [
                (LLAMA, "class LlamaMLP(nn.Module):"),
                (OLMO, "class OlmoMLP(LlamaMLP):"),
            ],
            id="a class of a model file",
        ),
        pytest.param(
            AYA,
            "AyaMLP(Olmo",
            [
                (OLMO, "class OlmoMLP(LlamaMLP):"),
                (AYA, "class AyaMLP(OlmoMLP):"),
            ],
            id="a generated base: its modular file",
        ),
    ],
)
async def test_references_include_the_declaration_when_asked(
    editor: Editor, path: str, before: str, found: list[tuple[str, str]]
) -> None:
    editor.open(path)
    assert await editor.references(before, path, include_declaration=True) == found


async def test_references_of_what_a_modular_file_generates(editor: Editor) -> None:
    editor.open()
    assert await editor.references("class Olmo") == [(AYA, "class AyaMLP(OlmoMLP):")]


async def test_lenses_count_the_models(editor: Editor) -> None:
    other = editor.root / "models/phi/modular_phi.py"
    other.parent.mkdir()
    other.write_text(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass PhiMLP(LlamaMLP):\n    pass\n",
        encoding="utf-8",
    )
    editor.open(LLAMA)
    assert await editor.lenses(LLAMA) == [(4, "2 models inherit from this")]


async def test_lenses_stay_and_move_while_a_line_is_incomplete(editor: Editor) -> None:
    """An open bracket above the class hides all that comes after it."""
    editor.open(LLAMA)
    await editor.lenses(LLAMA)
    editor.write("import nn\n", "import nn\n\nlimit = (\n", LLAMA)
    assert await editor.lenses(LLAMA) == [(6, "1 model inherits from this")]


async def test_lenses_of_a_generated_file(editor: Editor) -> None:
    editor.open(OLMO_MADE)
    assert await editor.lenses(OLMO_MADE) == [
        (1, "generated from modular_olmo.py: go there"),
        (4, "1 model inherits from this"),
    ]
