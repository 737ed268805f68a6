"""The server: the requests of the language server protocol that are answered.

Answers are made in the worker's thread, where all that they need is loaded: LibCST is not needed to greet an editor.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from modular import __version__
from modular.cli.editor.command_names import CONVERT, GO_TO_ORIGIN, SHOW_REFERENCES
from modular.cli.editor.documents import Document
from modular.cli.editor.session import Session
from modular.cli.editor.worker import Urgency


if TYPE_CHECKING:
    from modular.cli.editor.questions import Questions

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

_WATCHED = ("**/*.py", "**/pyproject.toml", "**/ruff.toml", "**/.ruff.toml")


class _Protocol(LanguageServerProtocol):
    """pygls leaves a request without an answer if it cannot read what is asked."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message, or say that it cannot be read. Raises JsonRpcException."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=error.to_response_error())
            raise


class Server(LanguageServer):
    """The language server of `modular lsp`."""

    def __init__(self) -> None:
        sync = lsp.TextDocumentSyncKind.Incremental
        super().__init__("modular", __version__, text_document_sync_kind=sync, protocol_cls=_Protocol)
        self.session = Session(self._publish)
        self.converts_on_save = False
        self.loop: asyncio.AbstractEventLoop | None = None

    def _publish(self, uri: str, found: list[lsp.Diagnostic], version: int | None) -> None:
        """Send diagnostics, from whatever thread."""
        params = lsp.PublishDiagnosticsParams(uri, found, version)
        assert self.loop is not None, "files are opened after the server was started"
        self.loop.call_soon_threadsafe(self.text_document_publish_diagnostics, params)

    def document(self, uri: str) -> Document:
        """Return a file as the editor has it."""
        document = self.workspace.get_text_document(uri)
        return Document(uri, document.version or 0, document.source)

    async def ask(self, uri: str, question: "Callable[[Questions], _T]", urgency: Urgency = Urgency.NOW) -> _T | None:
        """Ask about a file. What goes wrong is logged, and the answer is None: no request ends the server.

        What asks who takes something has time (`Urgency.LATER`).
        """
        try:
            return await asyncio.wrap_future(self.session.ask(uri, question, urgency))
        except Exception:
            self.report(f"a question about {uri} could not be answered")
            return None

    def report(self, message: str) -> None:
        """Log the exception that is being handled, here and in the editor."""
        _LOG.exception(message)
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    def show(self, message: str) -> None:
        """Show the user a message."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, message))

    def read_settings(self, given: object) -> None:
        """Take the editor's settings, which may be in a section `modular`: `convertOnSave`."""
        table = given.get("modular", given) if isinstance(given, dict) else {}
        value = table.get("convertOnSave") if isinstance(table, dict) else None
        if isinstance(value, bool):
            self.converts_on_save = value

    async def convert(self, uri: str) -> None:
        """Write what is generated from a file's model, and say what was written."""
        from modular.cli.editor import commands

        wanted = await self.ask(uri, lambda file: file.target())
        if wanted is None:
            self.show("this file belongs to no modular file of the project")
            return
        written = await asyncio.to_thread(commands.convert, wanted)
        self.session.changed_on_disk(each.as_uri() for each in written.files)
        self.show(written.message)


def make_server() -> Server:
    """Return a server with all that it answers."""
    server = Server()
    _add_life(server)
    _add_documents(server)
    _add_questions_about_places(server)
    _add_questions_about_files(server)
    _add_commands(server)
    return server


def _add_life(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.loop = asyncio.get_running_loop()
        server.read_settings(params.initialization_options)
        server.loop.call_soon(begin)

    def begin() -> None:
        """Start the worker, once the answer is on its way."""
        server.session.start(server.workspace.position_codec)
        server.session.set_folders(_folders(server))

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        capabilities = server.client_capabilities.workspace
        watching = capabilities.did_change_watched_files if capabilities is not None else None
        if watching is not None and watching.dynamic_registration:
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted = lsp.Registration("watch", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(lsp.RegistrationParams([wanted]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.session.set_folders(_folders(server))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
        server.read_settings(params.settings)

    @server.feature(lsp.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.session.stop()


def _folders(server: Server) -> list[str]:
    folders = list(server.workspace.folders)
    root = server.workspace.root_uri
    return folders or ([root] if root else [])


def _add_documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.session.opened(server.document(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.session.changed(server.document(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.session.closed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.session.changed_on_disk([uri])
        if server.converts_on_save and await server.ask(uri, lambda file: file.is_modular()):
            await server.convert(uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.session.changed_on_disk(each.uri for each in params.changes)


def _add_questions_about_places(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return await server.ask(params.text_document.uri, lambda file: file.definition(params.position))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return await server.ask(params.text_document.uri, lambda file: file.hover(params.position))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        uri = params.text_document.uri
        return await server.ask(uri, lambda file: file.references(params.position), Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", " "]))
    async def completions(params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
        return await server.ask(params.text_document.uri, lambda file: file.completions(params.position))


def _add_questions_about_files(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        uri = params.text_document.uri
        needs_all = await server.ask(uri, lambda file: file.needs_all(params.range))
        return await server.ask(
            uri, lambda file: file.actions(params.range), Urgency.LATER if needs_all else Urgency.NOW
        )

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
        return await server.ask(params.text_document.uri, lambda file: file.lenses(), Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
        return await server.ask(params.text_document.uri, lambda file: file.outline())


def _add_commands(server: Server) -> None:
    @server.command(CONVERT)
    async def convert(*arguments: Any) -> None:
        uris = [each for each in arguments if isinstance(each, str)]
        if not uris:
            server.show("no file was named")
        for uri in uris:
            await server.convert(uri)

    @server.command(GO_TO_ORIGIN)
    async def go_to_origin(*arguments: Any) -> lsp.Location | None:
        uri, line = (*arguments, 0)[:2] if arguments else ("", 0)
        if not isinstance(uri, str) or not isinstance(line, int):
            return None
        place = await server.ask(uri, lambda file: file.origin(line))
        if place is not None:
            await _show_document(server, place)
        return place

    @server.command(SHOW_REFERENCES)
    async def show_references(*arguments: Any) -> Any:
        return arguments[2] if len(arguments) > 2 else []


async def _show_document(server: Server, place: lsp.Location) -> None:
    window = server.client_capabilities.window
    if window is not None and window.show_document is not None and window.show_document.support:
        params = lsp.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
        await server.window_show_document_async(params)
