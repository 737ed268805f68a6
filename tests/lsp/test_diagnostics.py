"""Diagnostics while typing: of the unsaved text, of the models behind it, and at the top of generated files."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, LLAMA, OLMO, OLMO_MADE


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_diagnostics_are_of_the_unsaved_text(editor: Editor) -> None:
    editor.open()
    await editor.said()
    editor.write("import LlamaMLP", "import LlamaMlp")
    (messages,) = await editor.said(("MOD202", 3))
    assert (
        messages.message
        == "`models/llama/modeling_llama.py` has no `LlamaMlp`\nhint: did you mean `LlamaMLP`?"
    )
    assert (messages.range.start.character, messages.range.end.character) == (35, 43)
    editor.write("import LlamaMlp", "import LlamaMLP")
    await editor.said()
    assert "LlamaMlp" not in (editor.root / OLMO).read_text(encoding="utf-8")


async def test_undefined_names_are_found_too(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", "x = x + STEP")
    (messages,) = await editor.said(("MOD408", 12))
    assert messages.message.startswith(
        "`STEP` is not defined in the generated `models/olmo/modeling_olmo.py`"
    )


async def test_a_finding_has_the_severity_of_its_level(editor: Editor) -> None:
    settings = editor.root / "pyproject.toml"
    levels = '[tool.modular.lint]\ninfo = ["MOD408"]\n'
    settings.write_text(f"{settings.read_text()}\n{levels}")
    editor.open()
    editor.write("x = x + 1", "x = x + STEP")
    (messages,) = await editor.said(("MOD408", 12))
    assert messages.severity is lsp.DiagnosticSeverity.Information


async def test_columns_count_as_the_editor_counts_them(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", 'x = "\N{OX}" * STEP')
    (messages,) = await editor.said(("MOD408", 12))
    assert (messages.range.start.character, messages.range.end.character) == (19, 23)


async def test_half_typed_code_keeps_what_was_said_of_the_rest(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", "x = x + STEP")
    await editor.said(("MOD408", 12))
    editor.write("class OlmoMLP(LlamaMLP):", "class OlmoMLP(LlamaMLP:")
    await editor.said(("MOD101", 6), ("MOD408", 12))


async def test_open_models_that_depend_on_an_unsaved_modular_file(
    editor: Editor,
) -> None:
    editor.open()
    editor.open(AYA)
    await editor.said(path=AYA)
    editor.write("class OlmoMLP(", "class OlmoFeedForward(")
    (messages,) = await editor.said(("MOD202", 1), path=AYA)
    assert "`models/olmo/modeling_olmo.py` has no `OlmoMLP`" in messages.message
    editor.write("class OlmoFeedForward(", "class OlmoMLP(")
    await editor.said(path=AYA)


async def test_open_models_that_depend_on_an_unsaved_parent_file_through_others(
    editor: Editor,
) -> None:
    editor.open(LLAMA)
    editor.open(AYA)
    editor.write("return self.up_proj(x)", "return self.up_proj(SPRIG)", LLAMA)
    await editor.said(("MOD408", 4), path=AYA)
    assert editor.codes(OLMO) is None
    editor.close(LLAMA)
    await editor.said(path=AYA)


async def test_a_parent_that_is_not_generated_yet_is_made_in_memory(
    editor: Editor,
) -> None:
    (editor.root / OLMO_MADE).unlink()
    editor.open(AYA)
    await editor.said(path=AYA)
    assert not (editor.root / OLMO_MADE).exists()


async def test_a_broken_parent_is_shown_at_its_import(editor: Editor) -> None:
    editor.open(LLAMA)
    editor.write("def forward(self, x):", "def forward(self, x:", LLAMA)
    editor.open()
    (messages,) = await editor.said(("MOD101", 3))
    assert messages.related_information is not None
    assert editor.line(messages.related_information[0].location) == (
        LLAMA,
        "def forward(self, x:",
    )


async def test_a_generated_file_says_so(editor: Editor) -> None:
    editor.open(OLMO_MADE)
    (messages,) = await editor.said(("generated-file", 1), path=OLMO_MADE)
    assert messages.message == "generated from modular_olmo.py: edit that file instead"
    assert messages.related_information is not None
    assert messages.related_information[0].location.uri == editor.uri(OLMO)


async def test_a_file_written_by_hand_says_nothing(editor: Editor) -> None:
    editor.open(LLAMA)
    await editor.said(path=LLAMA)


async def test_a_setting_that_is_wrong_is_marked_while_it_is_typed(
    editor: Editor,
) -> None:
    file = "pyproject.toml"
    editor.open(file)
    editor.write('package = "models"', 'pakage = "models"', file)
    (messages,) = await editor.said((None, 3), path=file)
    assert "tool.modular.pakage" in messages.message
    editor.write('pakage = "models"', 'package = "models"', file)
    editor.write(
        'inheritance = "transformers"',
        'inheritance = "transformers"\n[tool.modular.lint]\nignore = ["MOD9"]',
        file,
    )
    await editor.said((None, 6), path=file)
    editor.write('["MOD9"]', '["MOD9"', file)
    await editor.said((None, 8), path=file)
    editor.write('ignore = ["MOD9"', "ignore = []", file)
    await editor.said(path=file)


async def test_a_misspelt_key_is_an_error(editor: Editor) -> None:
    editor.open("pyproject.toml", '[tool.modular]\noutputs = "made"\n')
    (said,) = await editor.said((None, 2), path="pyproject.toml")
    assert said.message == ("tool.modular.outputs: unknown key; did you mean `output`?")
    assert said.severity is lsp.DiagnosticSeverity.Error
