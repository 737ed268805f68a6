"""A server in a process of its own for each test module, and for each test a small project that is open in it."""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.lsp.client import Editor, open_project
from tests.lsp.texts import FILES


refreshed: list[str] = []
"""What the server asked the editor to ask for anew."""

SERVER = [sys.executable, "-m", "modular", "lsp"]

CACHE = TemporaryDirectory(prefix="modular-cache-")
"""The cache folder of the servers. They must not know outputs of an earlier test run."""

SERVER_ENVIRONMENT = {**os.environ, "MODULAR_CACHE_DIR": CACHE.name}


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=SERVER, server_env=SERVER_ENVIRONMENT),
    scope="module",
    loop_scope="module",
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    window = lsp.WindowClientCapabilities(
        show_document=lsp.ShowDocumentClientCapabilities(support=True)
    )
    _read_actions_as_they_are(lsp_client)
    workspace = lsp.WorkspaceClientCapabilities(
        code_lens=lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True),
        inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True),
    )
    refreshed.clear()
    for method in (lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH):
        lsp_client.feature(method)(partial(_refresh, method))
    await lsp_client.initialize_session(
        lsp.InitializeParams(lsp.ClientCapabilities(workspace, window=window))
    )
    yield
    await lsp_client.shutdown_session()


def _refresh(method: str, _: None) -> None:
    refreshed.append(method)


def _read_actions_as_they_are(client: LanguageClient) -> None:
    """lsprotocol takes every action that has a command for a bare command, which the protocol tells by its type."""
    converter = client.protocol._converter

    def read(value: Any, _: Any) -> Any:
        return converter.structure(
            value,
            lsp.Command if isinstance(value.get("command"), str) else lsp.CodeAction,
        )

    converter.register_structure_hook(lsp.Command | lsp.CodeAction, read)


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Iterator[Editor]:
    """An editor with a project, which is the only folder that is open."""
    with open_project(client, tmp_path, FILES, refreshed) as editor:
        yield editor
