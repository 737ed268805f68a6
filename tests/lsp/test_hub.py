"""A model repository on the Hub: all files in one folder, and parents in transformers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.client import Editor, open_project
from tests.support import source


pytestmark = pytest.mark.asyncio(loop_scope="module")

MODULAR = "modular_acme.py"
OTHER = "modeling_tiny.py"
LLAMA = "transformers/models/llama/modeling_llama.py"

FILES = {
    "pyproject.toml": '[tool.modular]\npreset = "hub"\n',
    OTHER: source("""
        from torch import nn


        class TinyNorm(nn.Module):
            def forward(self, x):
                return x
    """),
    MODULAR: source("""
        from transformers.models.llama.modeling_llama import LlamaMLP

        from .modeling_tiny import TinyNorm


        class AcmeMLP(LlamaMLP):
            def forward(self, x):
                return super().forward(x)


        class AcmeNorm(TinyNorm):
            pass
    """),
}


@pytest.fixture
def hub(client: LanguageClient, tmp_path: Path) -> Iterator[Editor]:
    """Return an editor in which only a repository on the Hub is open."""
    with open_project(client, tmp_path, FILES, refreshed=[]) as editor:
        yield editor


async def test_diagnostics_appear_and_disappear_while_the_user_types(
    hub: Editor,
) -> None:
    hub.open(MODULAR)
    await hub.said(path=MODULAR)
    hub.write("import LlamaMLP", "import LlamaMPL", MODULAR)
    [missing] = await hub.said(("MOD202", 1), path=MODULAR)
    assert "did you mean `LlamaMLP`" in missing.message
    hub.write("import LlamaMPL", "import LlamaMLP", MODULAR)
    await hub.said(path=MODULAR)


async def test_a_base_of_a_module_is_reported(hub: Editor) -> None:
    text = source("""
        from . import modeling_tiny


        class AcmeNorm(modeling_tiny.TinyNorm):
            pass
    """)
    hub.open(MODULAR, text)
    [found] = await hub.said(("MOD431", 1), path=MODULAR)
    assert "write `from .modeling_tiny import TinyNorm`" in found.message


async def test_hover_shows_the_code_of_parents(hub: Editor) -> None:
    hub.open(MODULAR)
    of_library = await hub.hover("AcmeMLP(Llama", MODULAR)
    assert of_library is not None
    assert "class LlamaMLP(nn.Module):" in of_library
    of_repository = await hub.hover("AcmeNorm(Tiny", MODULAR)
    assert of_repository is not None
    assert "class TinyNorm(nn.Module):" in of_repository


async def test_the_definition_of_a_base_is_in_its_file(hub: Editor) -> None:
    hub.open(MODULAR)
    assert await hub.definition("AcmeNorm(Tiny", MODULAR) == [
        (OTHER, "class TinyNorm(nn.Module):")
    ]
    params = lsp.DefinitionParams(**hub.at("AcmeMLP(Llama", MODULAR))
    found = await hub.client.text_document_definition_async(params)
    [location] = found or []
    assert isinstance(location, lsp.Location)
    assert location.uri.endswith(LLAMA)


async def test_completion_of_bases_of_the_library(hub: Editor) -> None:
    hub.open(MODULAR)
    await hub.said(path=MODULAR)
    hub.write("class AcmeNorm(TinyNorm):", "class AcmeNorm(LlamaMod", MODULAR)
    bases = await hub.completions("class AcmeNorm(LlamaMod", MODULAR)
    assert "LlamaModel" in bases


async def test_the_convert_command_writes_the_generated_file(hub: Editor) -> None:
    hub.open(MODULAR)
    await hub.said(path=MODULAR)
    await hub.command("modular.convert", hub.uri(MODULAR))
    generated = hub.root / "modeling_acme.py"
    await hub.until(generated.exists)
    text = generated.read_text(encoding="utf-8")
    assert "class AcmeMLP(nn.Module):" in text
    assert "class AcmeNorm(nn.Module):" in text
