"""Code actions, and the commands: what is written, and when."""

import pytest
from lsprotocol import types as lsp

from tests.lsp.client import Editor
from tests.lsp.texts import FILES, LLAMA, OLMO, OLMO_MADE


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_fix_is_an_action(editor: Editor) -> None:
    editor.open()
    editor.write("import LlamaMLP", "import LlamaMlp")
    found = await editor.actions(3)
    assert list(found) == ["Write `LlamaMLP`"]
    assert editor.applied(found["Write `LlamaMLP`"]) == FILES[OLMO]


async def test_a_fix_is_in_its_place_behind_a_form_feed(editor: Editor) -> None:
    editor.open()
    editor.write("from ..llama", "\ffrom ..llama")
    editor.write("import LlamaMLP", "import LlamaMlp")
    found = await editor.actions(3)
    fixed = FILES[OLMO].replace("from ..llama", "\ffrom ..llama")
    assert editor.applied(found["Write `LlamaMLP`"]) == fixed


async def test_the_preferred_fix_is_the_one_that_the_hint_names(
    editor: Editor,
) -> None:
    editor.open()
    editor.write("del self.act_fn", "del self.act_fnn")
    preferred = [
        title
        for title, action in (await editor.actions(9)).items()
        if action.is_preferred
    ]
    assert preferred == ["Write `self.act_fn`"]


async def test_a_fix_goes_with_its_diagnostic(editor: Editor) -> None:
    editor.open()
    editor.write("del self.act_fn", "del self.bias")
    action = (await editor.actions(9))["Remove the line"]
    assert action.kind == lsp.CodeActionKind.QuickFix
    assert [diagnostic.code for diagnostic in action.diagnostics or ()] == ["MOD401"]
    assert await editor.actions(8) == {}


async def test_an_import_that_is_missing(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", "x = LlamaNorm()(x)")
    await editor.said(("MOD408", 12))
    action = (await editor.actions(12))[
        "Add `from ..llama.modeling_llama import LlamaNorm`"
    ]
    assert editor.applied(action).startswith(
        "from ..llama.modeling_llama import LlamaNorm\nfrom torch import nn\n\nfrom ..llama.modeling_llama import LlamaMLP\n"
    )


async def test_an_import_as_other_modular_files_have_it(editor: Editor) -> None:
    other = editor.root / "models/phi/modular_phi.py"
    other.parent.mkdir()
    other.write_text(
        "import math\n\n\nclass PhiScale:\n    scale = math.pi\n", encoding="utf-8"
    )
    editor.open()
    editor.write("x = x + 1", "x = x + math.pi")
    await editor.said(("MOD408", 12))
    assert "Add `import math`" in await editor.actions(12)


async def test_from_a_generated_file_to_its_origin(editor: Editor) -> None:
    editor.open(OLMO_MADE)
    await editor.command("modular.goToOrigin", editor.uri(OLMO_MADE), 9)
    (shown,) = editor.client.shown_documents
    assert shown.selection is not None
    assert editor.line(lsp.Location(shown.uri, shown.selection)) == (OLMO, "x = x + 1")


async def test_nothing_is_written_but_on_request(editor: Editor) -> None:
    editor.open()
    # After this, the generated file is known as an output.
    await editor.command("modular.convert", editor.uri(OLMO))
    editor.client.messages.clear()
    editor.write("x = x + 1", "x = x + 2")
    await editor.said()
    editor.save()
    await editor.hover("class Olmo")
    assert (editor.root / OLMO_MADE).read_text(encoding="utf-8") == FILES[OLMO_MADE]
    await editor.command("modular.convert", editor.uri(OLMO))
    assert [message.message for message in editor.client.messages] == [
        "modular_olmo.py: wrote modeling_olmo.py"
    ]
    written = FILES[OLMO_MADE].replace("x = x + 1", "x = x + 2")
    assert (editor.root / OLMO_MADE).read_text(encoding="utf-8") == written


async def test_what_is_not_saved_is_not_written(editor: Editor) -> None:
    editor.open()
    editor.write("x = x + 1", "x = x + 2")
    await editor.command("modular.convert", editor.uri(OLMO))
    said = "modular_olmo.py: nothing to write; unsaved changes are not included"
    assert [message.message for message in editor.client.messages] == [said]
    assert (editor.root / OLMO_MADE).read_text(encoding="utf-8") == FILES[OLMO_MADE]


async def test_a_model_with_errors_is_not_written(editor: Editor) -> None:
    editor.open()
    editor.write("import LlamaMLP", "import LlamaMlp")
    editor.save()
    await editor.command("modular.convert", editor.uri(OLMO))
    assert [message.message for message in editor.client.messages] == [
        "modular_olmo.py: nothing written: the model has errors"
    ]


async def test_a_setting_writes_on_save(editor: Editor) -> None:
    settings = {"modular": {"convertOnSave": True}}
    editor.client.workspace_did_change_configuration(
        lsp.DidChangeConfigurationParams(settings)
    )
    editor.open()
    editor.write("x = x + 1", "x = x + 2")
    editor.save()
    await editor.until(lambda: editor.client.messages)
    settings = {"modular": {"convertOnSave": False}}
    editor.client.workspace_did_change_configuration(
        lsp.DidChangeConfigurationParams(settings)
    )
    assert "x = x + 2" in (editor.root / OLMO_MADE).read_text(encoding="utf-8")


async def test_a_file_of_no_model_is_not_converted(editor: Editor) -> None:
    editor.open(LLAMA)
    await editor.command("modular.convert", editor.uri(LLAMA))
    assert [message.message for message in editor.client.messages] == [
        "no modular file of this project generates this file"
    ]


async def fix_all(editor: Editor) -> list[lsp.CodeAction]:
    """The actions that an editor asks for which fixes whatever it can when a file is saved."""
    span = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    context = lsp.CodeActionContext([], only=[lsp.CodeActionKind.SourceFixAll])
    params = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(editor.uri(OLMO)), span, context
    )
    actions = await editor.client.text_document_code_action_async(params)
    return [action for action in actions or [] if isinstance(action, lsp.CodeAction)]


async def test_all_that_can_be_fixed_safely_is_fixed_at_once(editor: Editor) -> None:
    """`del self.bias` does nothing, `LlamaNorm` is not used."""
    editor.open()
    editor.write("del self.act_fn", "del self.act_fn\n        del self.bias")
    editor.write("import LlamaMLP", "import LlamaMLP, LlamaNorm")
    (action,) = await fix_all(editor)
    assert editor.applied(action) == FILES[OLMO]


async def test_fixes_of_the_same_line_are_all_made(editor: Editor) -> None:
    """Each writes the import anew, without one name that is not used: the second is that of the text after the first."""
    (editor.root / LLAMA).write_text(
        FILES[LLAMA] + "\n\nclass LlamaHead(nn.Module):\n    pass\n", encoding="utf-8"
    )
    editor.open()
    editor.write("import LlamaMLP", "import LlamaHead, LlamaMLP, LlamaNorm")
    (action,) = await fix_all(editor)
    assert editor.applied(action) == FILES[OLMO]


async def test_what_is_not_safe_is_not_fixed_at_once(editor: Editor) -> None:
    editor.open()
    editor.write("import LlamaMLP", "import LlamaMlp")
    assert await fix_all(editor) == []


async def test_a_code_leads_to_its_page(editor: Editor) -> None:
    editor.open()
    editor.write("import LlamaMLP", "import LlamaMlp")
    (messages,) = await editor.said(("MOD202", 3))
    assert messages.code_description is not None
    assert (
        messages.code_description.href
        == "https://modular-models.github.io/modular/rules/MOD202/"
    )


async def test_edits_of_a_generated_file_are_moved_to_the_modular_file(
    editor: Editor,
) -> None:
    editor.open(OLMO_MADE)
    title = "Move the edits to modular_olmo.py"
    assert title not in await editor.actions(10, OLMO_MADE)
    edited = FILES[OLMO_MADE].replace("x = x + 1", "x = x + 21")
    (editor.root / OLMO_MADE).write_text(edited, encoding="utf-8")
    editor.write("x = x + 1", "x = x + 21", OLMO_MADE)
    action = (await editor.actions(10, OLMO_MADE))[title]
    assert action.command is not None
    await editor.command(action.command.command, *action.command.arguments or ())
    (message,) = editor.client.messages
    assert message.message.startswith("1 edit moved to ")
    modular = (editor.root / OLMO).read_text(encoding="utf-8")
    assert modular == FILES[OLMO].replace("x = x + 1", "x = x + 21")


async def test_a_save_of_an_edited_generated_file_offers_to_move_the_edits(
    editor: Editor,
) -> None:
    asked: list[str] = []

    @editor.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def answer(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
        assert params.actions is not None
        asked.append(params.actions[0].title)
        return params.actions[0]

    editor.open(OLMO_MADE)
    editor.save(OLMO_MADE)
    editor.write("x = x + 1", "x = x + 22", OLMO_MADE)
    editor.save(OLMO_MADE)
    await editor.until(lambda: editor.client.messages)
    assert asked == ["Move the edits to modular_olmo.py"]
    modular = (editor.root / OLMO).read_text(encoding="utf-8")
    assert modular == FILES[OLMO].replace("x = x + 1", "x = x + 22")
