"""What changes under the server's feet, and what it is asked that it must not answer."""

import os
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from modular.lsp.index import UseIndex
from modular.lsp.workspace import Workspace
from tests.lsp.client import Editor
from tests.lsp.texts import AYA, FILES, LLAMA, OLMO


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_parent_that_changes_on_disk(editor: Editor) -> None:
    editor.open()
    await editor.said()
    text = FILES[LLAMA].replace("LlamaMLP", "LlamaFeedForward")
    (editor.root / LLAMA).write_text(text, encoding="utf-8")
    editor.say_changed(LLAMA)
    await editor.said(("MOD202", 3))


async def test_a_parent_that_changes_without_notice_is_seen_with_the_next_key(
    editor: Editor,
) -> None:
    editor.open()
    await editor.said()
    text = FILES[LLAMA].replace("LlamaMLP", "LlamaFeedForward")
    (editor.root / LLAMA).write_text(text, encoding="utf-8")
    editor.write("x = x + 1", "x = x + 2")
    await editor.said(("MOD202", 3))


async def test_a_parent_that_disappears_and_comes_back(editor: Editor) -> None:
    editor.open()
    (editor.root / LLAMA).unlink()
    editor.say_changed(LLAMA, kind=lsp.FileChangeType.Deleted)
    await editor.said(("MOD201", 3))
    (editor.root / LLAMA).write_text(FILES[LLAMA], encoding="utf-8")
    editor.say_changed(LLAMA, kind=lsp.FileChangeType.Created)
    await editor.said()


async def test_a_modular_file_that_disappears(editor: Editor) -> None:
    editor.open(LLAMA)
    assert await editor.lenses(LLAMA) == [(4, "1 model inherits from this")]
    (editor.root / OLMO).unlink()
    editor.say_changed(OLMO, kind=lsp.FileChangeType.Deleted)
    assert await editor.lenses(LLAMA) == []


async def test_a_changed_setting(editor: Editor) -> None:
    editor.open()
    await editor.said()
    file = editor.root / "pyproject.toml"
    settings = file.read_text(encoding="utf-8")
    file.write_text(
        settings.replace('package = "models"', 'package = "models"\nwhatever = 1'),
        encoding="utf-8",
    )
    editor.say_changed("pyproject.toml")
    (messages,) = await editor.said((None, 4), path="pyproject.toml")
    assert "tool.modular.whatever" in messages.message
    moved = settings.replace(
        'package = "models"',
        'package = "models"\nordinary-imports = ["llama.modeling_llama"]',
    )
    file.write_text(moved, encoding="utf-8")
    editor.say_changed("pyproject.toml")
    await editor.said(path="pyproject.toml")
    assert await editor.definition("class Olmo") == [(OLMO, "class OlmoMLP(LlamaMLP):")]


async def test_settings_that_are_wrong_from_the_start(editor: Editor) -> None:
    file = editor.root / "pyproject.toml"
    settings = file.read_text(encoding="utf-8")
    file.write_text("[tool.modular]\nmodels = 1\n", encoding="utf-8")
    editor.open(OLMO, FILES[OLMO].replace("import LlamaMLP", "import LlamaMlp"))
    await editor.said((None, 2), path="pyproject.toml")
    file.write_text(settings, encoding="utf-8")
    editor.say_changed("pyproject.toml")
    await editor.said(("MOD202", 3))


async def test_modular_files_in_a_circle(editor: Editor) -> None:
    editor.open(AYA)
    await editor.said(path=AYA)
    editor.open(
        OLMO,
        FILES[AYA]
        .replace("olmo", "aya")
        .replace("AyaMLP", "X")
        .replace("OlmoMLP", "AyaMLP")
        .replace("X", "OlmoMLP"),
    )
    (messages,) = await editor.said(("MOD205", 1))
    assert (
        "models/aya/modular_aya.py -> models/olmo/modular_olmo.py -> models/aya/modular_aya.py"
        in messages.message
    )


async def test_the_search_for_a_circle_looks_up_the_parents_of_each_file_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = "models/child/modular_child.py"
    grandchild = "models/grandchild/modular_grandchild.py"
    workspace = Workspace(project, lambda path: None)
    workspace.complete_index()
    looked_up = []
    parents = UseIndex.parents

    def record(self: UseIndex, modular: str) -> frozenset[str]:
        looked_up.append(modular)
        return parents(self, modular)

    monkeypatch.setattr(UseIndex, "parents", record)
    for _ in workspace.diagnose(grandchild):
        pass
    assert looked_up == [grandchild, child]


async def test_files_outside_the_workspace_are_refused(
    editor: Editor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    for path, text in FILES.items():
        (outside / path).parent.mkdir(parents=True, exist_ok=True)
        (outside / path).write_text(
            text.replace("import LlamaMLP", "import LlamaMlp"), encoding="utf-8"
        )
    wrong = FILES[OLMO].replace("import LlamaMLP", "import LlamaMlp")
    addresses = [
        (outside / OLMO).as_uri(),
        f"{editor.root.as_uri()}/models/../../{outside.name}/{OLMO}",
        f"{editor.root.as_uri()}/models/%2e%2e/%2e%2e/{outside.name}/{OLMO}",
        "untitled:modular_olmo.py",
        "https://example.org/models/olmo/modular_olmo.py",
        "file://elsewhere/models/olmo/modular_olmo.py",
        "file:///etc/passwd",
        "file:///%00",
        "no address",
    ]
    for uri in addresses:
        editor.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "python", 1, wrong))
        )
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(5, 8))
        assert await editor.client.text_document_hover_async(params) is None, uri
        await editor.command("modular.convert", uri)
        editor.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri))
        )
    editor.open()
    await editor.said()
    assert not {*addresses} & {*editor.client.diagnostics}
    assert not [
        uri for uri in editor.client.diagnostics if uri.startswith(outside.as_uri())
    ]


async def test_links_out_of_the_workspace_are_refused(
    editor: Editor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("outside") / "modeling_secret.py"
    secret.write_text("class SecretMLP:\n    word = 'swordfish'\n", encoding="utf-8")
    (editor.root / "models/secret").mkdir()
    os.symlink(secret, editor.root / "models/secret/modeling_secret.py")
    text = "from ..secret.modeling_secret import SecretMLP\n\n\nclass OlmoMLP(SecretMLP):\n    pass\n"
    editor.open(OLMO, text)
    await editor.said(("MOD107", 1))
    assert await editor.hover("class Olmo") is None
    assert await editor.definition("OlmoMLP(Secret") == []
    editor.write("    pass\n", "    pass\n\n\nfrom ..secret.modeling_secret import ")
    assert await editor.completions() == []


async def test_places_that_are_not_there(editor: Editor) -> None:
    editor.open()
    for line, column in ((10**6, 0), (0, 10**6)):
        params = lsp.HoverParams(
            lsp.TextDocumentIdentifier(editor.uri(OLMO)), lsp.Position(line, column)
        )
        assert await editor.client.text_document_hover_async(params) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "(" * 5000,
        "class OlmoMLP(",
        "\ufeff\r\n",
        "from ..llama.modeling_llama import *\n",
    ],
)
async def test_whatever_is_typed_is_answered(editor: Editor, text: str) -> None:
    editor.open(OLMO, text)
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(editor.uri(OLMO)))
    lenses = await editor.client.text_document_code_lens_async(params)
    assert not lenses or text.startswith("class")
    editor.client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(uri=editor.uri(OLMO), version=2),
            [lsp.TextDocumentContentChangeWholeDocument(text=FILES[OLMO])],
        )
    )
    editor.texts[OLMO] = FILES[OLMO]
    await editor.said()


@pytest.mark.parametrize(
    "letter",
    ["\0", "\ud800", "#" * 1_000_001],
    ids=["NUL", "half a letter", "a megabyte"],
)
async def test_text_that_is_none_keeps_the_last_answers(
    editor: Editor, letter: str
) -> None:
    editor.open()
    await editor.said()
    editor.write("x = x + 1", f"x = x + 1{letter}")
    assert await editor.definition("class Olmo") == [
        (LLAMA, "class LlamaMLP(nn.Module):")
    ]
    assert await editor.hover("class Olmo") is not None


async def test_settings_of_the_formatter_that_are_refused(editor: Editor) -> None:
    """Undefined names are not found then; the rest is still true, and is said."""
    (editor.root / "ruff.toml").write_text(
        'extend = "/etc/hostname"\n', encoding="utf-8"
    )
    editor.open(OLMO, FILES[OLMO].replace("del self.act_fn", "del self.bias"))
    await editor.said(("MOD401", 9))
    assert await editor.hover("class Olmo") is not None
    (editor.root / "ruff.toml").unlink()
    editor.write("x = x + 1", "x = x + sprig")
    await editor.said(("MOD401", 9), ("MOD408", 12))


async def test_an_open_generated_file_is_read_again_after_it_changed_on_disk(
    tmp_path: Path,
) -> None:
    text = "class LlamaMLP:\n    def size(self):\n        return 1\n"
    new_text = text.replace("return 1", "return 2")
    files = {
        "pyproject.toml": '[tool.modular]\nmodels = ["models"]\npackage = ""\n',
        "models/base/modeling_base.py": text.replace("LlamaMLP", "BaseMLP"),
        "models/llama/modular_llama.py": (
            "from ..base.modeling_base import BaseMLP\n\n\n"
            "class LlamaMLP(BaseMLP):\n    pass\n"
        ),
        "models/llama/modeling_llama.py": text,
        "models/olmo/modular_olmo.py": (
            "from ..llama.modeling_llama import LlamaMLP\n\n\n"
            "class OlmoMLP(LlamaMLP):\n    pass\n"
        ),
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    workspace = Workspace(tmp_path, lambda path: None)
    generated = "models/llama/modeling_llama.py"
    workspace.set_text(generated, text)
    workspace.module(generated)

    (tmp_path / generated).write_text(new_text)
    workspace.set_text(generated, new_text)
    state = workspace.states.convert_if_stale("models/olmo/modular_olmo.py")
    assert "return 2" in state.latest.texts["models/olmo/modeling_olmo.py"]
