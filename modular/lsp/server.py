"""The server: which requests of the language server protocol are answered, and by what."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from modular import __version__
from modular.lsp import (
    actions,
    commands,
    completion,
    definitions,
    hierarchy,
    hover,
    inlay_hints,
    preview,
    references,
    rename,
    symbols,
    syntax,
)
from modular.lsp.project_file import Pending, ProjectFile
from modular.lsp.projects import Projects
from modular.lsp.worker import Worker
from modular.refactor.rename import RenameError
from modular.source.diagnostics import Place


_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_PAUSE = 0.3
"""Seconds without a key stroke after which what depends on a file is updated."""

_WATCHED = ("**/*.py", "**/pyproject.toml", "**/ruff.toml", "**/.ruff.toml")
_AT_CURSOR: tuple[tuple[str, Callable[[syntax.Cursor], Any]], ...] = (
    (lsp.TEXT_DOCUMENT_IMPLEMENTATION, definitions.implementations),
    (lsp.TEXT_DOCUMENT_HOVER, hover.hover),
    (lsp.TEXT_DOCUMENT_REFERENCES, references.references),
    (lsp.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY, hierarchy.prepare),
)
"""Requests about what the cursor is on, and the function that answers; what is no identifier has no answer."""

_ABOUT_FILE: tuple[tuple[str, Any, Callable[[ProjectFile, Any], Any]], ...] = (
    (lsp.TEXT_DOCUMENT_DEFINITION, None, definitions.definition),
    (lsp.TEXT_DOCUMENT_RENAME, None, rename.rename_symbol),
    (lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions([".", " ", "("]), completion.completions),
    (lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(actions.KINDS), actions.actions),
    (lsp.TEXT_DOCUMENT_CODE_LENS, None, references.lenses),
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None, symbols.outline),
    (lsp.TEXT_DOCUMENT_INLAY_HINT, None, inlay_hints.inlay_hints),
    (lsp.TYPE_HIERARCHY_SUPERTYPES, None, hierarchy.supertypes),
    (lsp.TYPE_HIERARCHY_SUBTYPES, None, hierarchy.subtypes),
)
"""Requests about a document, or an item of one: the method, its options, and the function that answers."""


class _Protocol(LanguageServerProtocol):
    """pygls leaves a request without an answer if it cannot read what is asked."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message, or answer that it cannot be read. Raises JsonRpcException."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=error.to_response_error())
            raise


class Server(LanguageServer):
    """The language server. Its event loop only speaks with the editor; all else is done in the worker's thread."""

    def __init__(self) -> None:
        super().__init__("modular", __version__, protocol_cls=_Protocol)
        self.worker = Worker()
        self.projects = Projects(self._publish, self.worker)
        self.converts_on_save = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def begin(self) -> None:
        """Take what the editor has said of itself."""
        self._loop = asyncio.get_running_loop()
        codec, folders = self.workspace.position_codec, self.folders()
        self.worker.tell(lambda: self.projects.start(codec, folders))

    def supports(self, *names: str) -> bool:
        """Whether the editor has a capability, by the names that lead to it."""
        capability: Any = self.client_capabilities
        for name in names:
            capability = getattr(capability, name, None)
        return bool(capability)

    def folders(self) -> list[str]:
        """Return the addresses of the folders that are open in the editor."""
        root = self.workspace.root_uri
        return list(self.workspace.folders) or ([root] if root else [])

    def _publish(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        """Send diagnostics, from the worker's thread."""
        params = lsp.PublishDiagnosticsParams(uri, diagnostics, version)
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.text_document_publish_diagnostics, params)

    def take(self, uri: str) -> None:
        """Pass on the text of an open file as the editor has it."""
        document = self.workspace.get_text_document(uri)
        item = lsp.TextDocumentItem(uri, "python", document.version or 0, document.source)
        self.worker.tell(lambda: self.projects.take(item))

    async def ask(self, question: Callable[[], _T]) -> _T | None:
        """Return the answer to a question about projects; None if it cannot be answered."""
        return await self._answer(asyncio.wrap_future(self.worker.ask(question)))

    async def _answer(self, answer: Awaitable[_T]) -> _T | None:
        """Wait for an answer. What is raised is logged, and there is none; but RenameError has words for the user."""
        try:
            return await answer
        except RenameError as error:
            raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from error
        except Exception as error:
            _LOG.exception("a request could not be answered")
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, f"not answered: {error}"))
            return None

    async def ask_about(self, uri: str, question: Callable[[ProjectFile], _T]) -> _T | None:
        """Return the answer to a question about a file; None if it is in no project that is open."""

        def answer() -> _T | None:
            file = self.projects.file(uri)
            return None if file is None else question(file)

        return await self.ask(answer)

    async def answer_about(self, uri: str, question: Callable[[ProjectFile], Any]) -> Any:
        """Return the answer to a question about a file, of which a part may be computed in a thread of its own."""
        answer = await self.ask_about(uri, question)
        if not isinstance(answer, Pending):
            return answer
        computed = await self._answer(asyncio.to_thread(answer.compute))
        return None if computed is None else await self.ask_about(uri, lambda file: answer.finish(file, computed))

    async def read_from_disk(self, uris: Sequence[str]) -> None:
        """Take files that have come, gone or changed; what other files show of them is asked for anew."""
        await self.ask(lambda: self.projects.read_from_disk(uris))
        if self.supports("workspace", "code_lens", "refresh_support"):
            self.workspace_code_lens_refresh(None)
        if self.supports("workspace", "inlay_hint", "refresh_support"):
            self.workspace_inlay_hint_refresh(None)

    def update_dependents_later(self, uri: str) -> None:
        """Update what depends on a file once nobody has typed in it for a moment."""
        if uri in self._timers:
            self._timers[uri].cancel()
        update = partial(self.worker.tell, lambda: self.projects.update_dependents(uri))
        self._timers[uri] = asyncio.get_running_loop().call_later(_PAUSE, update)

    def read_settings(self, given: object) -> None:
        """Take the editor's settings, which may be in a section `modular`: `convertOnSave` and `diagnostics`."""
        table = given.get("modular", given) if isinstance(given, dict) else {}
        settings = table if isinstance(table, dict) else {}
        if isinstance(value := settings.get("convertOnSave"), bool):
            self.converts_on_save = value
        if (value := settings.get("diagnostics")) in ("open", "all"):
            self.projects.diagnoses_all = value == "all"

    def show(self, message: str) -> None:
        """Show the user a message."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, message))

    async def convert(self, uri: str) -> None:
        """Write what is generated from a file's model, and say what was written."""
        written, message = await self.ask_about(uri, commands.convert) or ((), "this file is in no open project")
        await self.read_from_disk([file.as_uri() for file in written])
        self.show(message)


def serve() -> None:
    """Answer an editor over standard input and output until it goes."""
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s: %(message)s")
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not come between the messages
    server = make_server()
    try:
        server.start_io(stdout=output)
    finally:
        server.worker.stop()


def make_server() -> Server:
    """Return a server with all that it answers."""
    server = Server()
    _add_session(server)
    _add_documents(server)
    _add_requests(server)
    _add_commands(server)
    return server


def _add_session(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.read_settings(params.initialization_options)
        server.begin()

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        if server.supports("workspace", "did_change_watched_files", "dynamic_registration"):
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted = lsp.Registration("watch", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(lsp.RegistrationParams([wanted]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        folders = server.folders()
        server.worker.tell(lambda: server.projects.set_folders(folders))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
        server.read_settings(params.settings)

    @server.feature(lsp.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.worker.stop()


def _add_documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.take(params.text_document.uri)
        server.worker.tell(lambda: server.projects.update_parents(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.take(params.text_document.uri)
        server.update_dependents_later(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.worker.tell(lambda: server.projects.close(uri))
        server.update_dependents_later(uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        await server.read_from_disk([uri])
        if server.converts_on_save and await server.ask_about(uri, lambda file: file.is_modular):
            await server.convert(uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        await server.read_from_disk([change.uri for change in params.changes])


def _add_requests(server: Server) -> None:
    def add(method: str, options: Any, answer: Callable[[ProjectFile, Any], Any]) -> None:
        @server.feature(method, options)
        async def request(params: Any) -> Any:
            about = params.item if hasattr(params, "item") else params.text_document
            return await server.answer_about(about.uri, lambda file: answer(file, params))

    for method, options, answer in _ABOUT_FILE:
        add(method, options, answer)
    for method, answer_at in _AT_CURSOR:
        add(method, None, partial(_at_cursor, answer_at))

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def search(params: lsp.WorkspaceSymbolParams) -> Any:
        return await server.ask(lambda: symbols.search(server.projects.roots(), params.query))

    @server.feature(preview.METHOD)
    async def show_preview(params: Any) -> Any:
        uri = getattr(getattr(params, "textDocument", None), "uri", None)
        return await server.ask_about(uri, preview.preview) if isinstance(uri, str) else None


def _at_cursor(answer: Callable[[syntax.Cursor], Any], file: ProjectFile, params: Any) -> Any:
    cursor = syntax.cursor_at(file, params.position)
    return None if cursor is None else answer(cursor)


def _add_commands(server: Server) -> None:
    @server.command(commands.CONVERT)
    async def convert(*arguments: Any) -> None:
        uris = [uri for uri in arguments if isinstance(uri, str)]
        if not uris:
            server.show("no file was named")
        for uri in uris:
            await server.convert(uri)

    @server.command(commands.GO_TO_ORIGIN)
    async def go_to_origin(*arguments: Any) -> Any:
        uri, line = (*arguments, 0)[:2] if arguments else ("", 0)
        if not isinstance(uri, str) or not isinstance(line, int):
            return None
        place = await server.ask_about(uri, lambda file: _origin(file, line))
        if place is not None and server.supports("window", "show_document", "support"):
            params = lsp.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
            await server.window_show_document_async(params)
        return place

    @server.command(commands.SHOW_REFERENCES)
    async def show_references(*arguments: Any) -> Any:
        return arguments[2] if len(arguments) > 2 else []


def _origin(file: ProjectFile, line: int) -> lsp.Location | None:
    """Where a line (from 0) of a generated file comes from; the modular file itself for what the converter made."""
    modular = file.workspace.generator(file.path)
    if modular is None:
        return None
    return file.location(preview.origin_of(file, line + 1) or Place(modular))
