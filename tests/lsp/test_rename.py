"""Rename: in all files that people write, with what is not saved yet."""

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.lsp.client import Editor
from tests.lsp.texts import AYA, FILES, LLAMA, OLMO


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def renamed(editor: Editor, before: str, path: str, new: str) -> dict[str, str]:
    """The texts of the files that a renaming changes, by path."""
    params = lsp.RenameParams(new_name=new, **editor.at(before, path))
    edit = await editor.client.text_document_rename_async(params)
    assert edit is not None
    uris = [
        document_change.text_document.uri
        for document_change in edit.document_changes or ()
        if isinstance(document_change, lsp.TextDocumentEdit)
    ]
    paths = [uri.removeprefix(f"{editor.root.as_uri()}/") for uri in uris]
    return {path: editor.edited(edit, path) for path in paths}


async def test_a_parents_class(editor: Editor) -> None:
    """A child that no inlined code uses keeps its name."""
    editor.open(LLAMA)
    editor.open(OLMO)
    editor.write("x = x + 1", "x = x + 2")
    assert await renamed(editor, "class LlamaM", LLAMA, "LlamaFeedForward") == {
        LLAMA: FILES[LLAMA].replace("LlamaMLP", "LlamaFeedForward"),
        OLMO: editor.text(OLMO).replace("LlamaMLP", "LlamaFeedForward"),
    }


async def test_from_a_base(editor: Editor) -> None:
    editor.open(AYA)
    assert await renamed(editor, "AyaMLP(Olmo", AYA, "OlmoBlock") == {
        OLMO: FILES[OLMO].replace("OlmoMLP", "OlmoBlock"),
        AYA: FILES[AYA].replace("OlmoMLP", "OlmoBlock"),
    }


async def test_a_method(editor: Editor) -> None:
    for path in (LLAMA, OLMO):
        editor.open(path)
        editor.write("def forward(", "def project(", path)
    assert await renamed(editor, "def proj", LLAMA, "apply") == {
        LLAMA: editor.text(LLAMA).replace("def project", "def apply"),
        OLMO: editor.text(OLMO).replace("def project", "def apply"),
    }


async def test_the_edits_are_for_the_texts_as_they_are(editor: Editor) -> None:
    """So that an editor applies them to no other."""
    editor.open(AYA)
    editor.write("OlmoMLP):", "OlmoMLP): ", AYA)
    params = lsp.RenameParams(new_name="OlmoBlock", **editor.at("AyaMLP(Olmo", AYA))
    edit = await editor.client.text_document_rename_async(params)
    assert edit is not None
    changes = [
        change
        for change in edit.document_changes or ()
        if isinstance(change, lsp.TextDocumentEdit)
    ]
    versions = {
        change.text_document.uri: change.text_document.version for change in changes
    }
    assert versions == {editor.uri(AYA): 2, editor.uri(OLMO): None}


@pytest.mark.parametrize(
    ("path", "before", "name"),
    [
        pytest.param(LLAMA, "class LlamaM", "LlamaMLP", id="a class"),
        pytest.param(AYA, "AyaMLP(Olmo", "OlmoMLP", id="an imported class"),
        pytest.param(LLAMA, "forward(self, x", None, id="a local variable"),
        pytest.param(LLAMA, "import n", None, id="a name of another library"),
        pytest.param(LLAMA, "super()", None, id="no name"),
    ],
)
async def test_only_names_of_models_are_offered_for_renaming(
    editor: Editor, path: str, before: str, name: str | None
) -> None:
    """Other servers rename the others."""
    editor.open(path)
    params = lsp.PrepareRenameParams(**editor.at(before, path))
    answer = await editor.client.text_document_prepare_rename_async(params)
    if name is None:
        assert answer is None
        return
    assert isinstance(answer, lsp.PrepareRenamePlaceholder)
    assert answer.placeholder == name
    line = FILES[path].split("\n")[answer.range.start.line]
    assert line[answer.range.start.character : answer.range.end.character] == name


async def test_what_is_refused_whatever_the_new_name_is_is_not_offered(
    editor: Editor,
) -> None:
    editor.open(LLAMA)
    params = lsp.PrepareRenameParams(**editor.at("def forw", LLAMA))
    with pytest.raises(JsonRpcException, match="calls `forward` of `LlamaMLP`"):
        await editor.client.text_document_prepare_rename_async(params)


@pytest.mark.parametrize(
    ("before", "new", "problem"),
    [
        (
            "def forw",
            "run",
            "`torch.nn.Module` calls `forward` of `LlamaMLP` "
            "(`models/llama/modeling_llama.py:4`) under this name; add a method with the "
            "new name and call it from `forward`",
        ),
        (
            "class LlamaM",
            "class",
            "`class` is not a name in Python; use letters, digits and `_`, and no keyword",
        ),
        (
            "class LlamaM",
            "LlamaNorm",
            "the new name is used at models/llama/modeling_llama.py:14 for something "
            "else; choose another name",
        ),
        (
            "eps = 1",
            "x",
            "no class, function or method of a model is defined or imported here",
        ),
    ],
)
async def test_what_cannot_be_renamed_is_said(
    editor: Editor, before: str, new: str, problem: str
) -> None:
    editor.open(LLAMA)
    with pytest.raises(JsonRpcException) as error:
        await renamed(editor, before, LLAMA, new)
    assert error.value.message == problem
