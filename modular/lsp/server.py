"""The server: the requests of the language server protocol that are answered.

Answers are made in another process, which loads what they need: LibCST is not needed to greet an editor.
"""

import logging
from collections.abc import Sequence
from enum import Enum
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from modular import __version__
from modular.lsp import protocol
from modular.lsp.command_names import CONVERT, GO_TO_ORIGIN, SHOW_REFERENCES
from modular.lsp.process import Process
from modular.lsp.protocol import Document
from modular.lsp.session import Session, UnansweredError
from modular.lsp.translation import as_lsp, plain_position, plain_range
from modular.lsp.worker import Urgency


_LOG = logging.getLogger(__name__)

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

    def __init__(self, process: Process | None) -> None:
        sync = lsp.TextDocumentSyncKind.Incremental
        super().__init__("modular", __version__, text_document_sync_kind=sync, protocol_cls=_Protocol)
        self.session = Session(self._publish, process)
        self.converts_on_save = False

    def _publish(self, uri: str, found: Sequence[protocol.Diagnostic], version: int | None) -> None:
        """Send diagnostics."""
        params = lsp.PublishDiagnosticsParams(uri, as_lsp(found), version)
        self.text_document_publish_diagnostics(params)

    def document(self, uri: str) -> Document:
        """Return a file as the editor has it."""
        document = self.workspace.get_text_document(uri)
        return Document(uri, document.version or 0, document.source)

    async def ask(self, uri: str, question: str, *arguments: object, urgency: Urgency = Urgency.NOW) -> Any:
        """Ask about a file, by the name of a method of `Questions`; its answer is given as lsprotocol has it.

        What goes wrong is logged, and the answer is None: no request ends the server. What asks who takes something has
        time (`Urgency.LATER`).
        """
        try:
            return as_lsp(await self.session.ask(uri, question, *arguments, urgency=urgency))
        except UnansweredError:
            self.report(f"a question about {uri} could not be answered")
            return None

    def report(self, message: str) -> None:
        """Log what went wrong, here and in the editor."""
        _LOG.error(message)
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
        try:
            written = await self.session.convert(uri)
        except UnansweredError:
            self.report(f"{uri} could not be converted")
            return
        if written is None:
            self.show("this file belongs to no modular file of the project")
            return
        files, message = written
        self.session.changed_on_disk(each.as_uri() for each in files)
        self.show(message)


def make_server(process: Process | None = None) -> Server:
    """Return a server with all that it answers; ``process`` works on projects, if it was started already."""
    server = Server(process)
    _add_life(server)
    _add_documents(server)
    _add_questions_about_places(server)
    _add_questions_about_files(server)
    _add_commands(server)
    return server


def _add_life(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.read_settings(params.initialization_options)
        encoding = server.workspace.position_encoding
        server.session.start(encoding.value if isinstance(encoding, Enum) else encoding or "utf-16", _folders(server))

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
        if server.converts_on_save and await server.ask(uri, "is_modular"):
            await server.convert(uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.session.changed_on_disk(each.uri for each in params.changes)


def _add_questions_about_places(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> Any:
        return await server.ask(params.text_document.uri, "definition", plain_position(params.position))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> Any:
        return await server.ask(params.text_document.uri, "hover", plain_position(params.position))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> Any:
        uri = params.text_document.uri
        return await server.ask(uri, "references", plain_position(params.position), urgency=Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", " "]))
    async def completions(params: lsp.CompletionParams) -> Any:
        return await server.ask(params.text_document.uri, "completions", plain_position(params.position))


def _add_questions_about_files(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def actions(params: lsp.CodeActionParams) -> Any:
        uri, span = params.text_document.uri, plain_range(params.range)
        needs_all = await server.ask(uri, "needs_all", span)
        return await server.ask(uri, "actions", span, urgency=Urgency.LATER if needs_all else Urgency.NOW)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> Any:
        return await server.ask(params.text_document.uri, "lenses", urgency=Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: lsp.DocumentSymbolParams) -> Any:
        return await server.ask(params.text_document.uri, "outline")


def _add_commands(server: Server) -> None:
    @server.command(CONVERT)
    async def convert(*arguments: Any) -> None:
        uris = [each for each in arguments if isinstance(each, str)]
        if not uris:
            server.show("no file was named")
        for uri in uris:
            await server.convert(uri)

    @server.command(GO_TO_ORIGIN)
    async def go_to_origin(*arguments: Any) -> Any:
        uri, line = (*arguments, 0)[:2] if arguments else ("", 0)
        if not isinstance(uri, str) or not isinstance(line, int):
            return None
        place = await server.ask(uri, "origin", line)
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
