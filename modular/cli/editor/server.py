"""The server: the requests of the language server protocol that are answered, each by the file of its feature."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from modular import __version__
from modular.cli.editor import actions, commands, completion, definitions, hover, references, symbols
from modular.cli.editor.documents import Coordinates, Spot
from modular.cli.editor.session import Document, Session
from modular.cli.editor.worker import Urgency
from modular.cli.editor.workspace import Workspace
from modular.source.blocks import Kind
from modular.source.diagnostics import Place


_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_Json = dict[str, Any]

_WATCHED = ("**/*.py", "**/pyproject.toml", "**/ruff.toml", "**/.ruff.toml")
_SYMBOLS = {
    Kind.CLASS: lsp.SymbolKind.Class,
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.ASSIGNMENT: lsp.SymbolKind.Variable,
}
_COMPLETIONS = {
    "model": lsp.CompletionItemKind.Module,
    "file": lsp.CompletionItemKind.File,
    "class": lsp.CompletionItemKind.Class,
    "function": lsp.CompletionItemKind.Function,
    "name": lsp.CompletionItemKind.Variable,
    "attribute": lsp.CompletionItemKind.Field,
}


class Server(LanguageServer):
    """The language server of `modular lsp`."""

    def __init__(self) -> None:
        super().__init__("modular", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
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

    async def ask(
        self, uri: str, question: Callable[[Workspace, str, Coordinates], _T], urgency: Urgency = Urgency.NOW
    ) -> _T | None:
        """Ask about a file. What goes wrong is logged, and the answer is None: no request ends the server.

        What asks who takes something has time (`Urgency.LATER`).
        """
        at = self.session.at
        try:
            asked = self.session.ask(uri, lambda workspace, path: question(workspace, path, at), urgency)
            return await asyncio.wrap_future(asked)
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
        wanted = await self.ask(uri, lambda workspace, path, _: commands.target(workspace, path))
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
        is_modular = await server.ask(uri, lambda workspace, path, _: workspace.is_modular(path))
        if server.converts_on_save and is_modular:
            await server.convert(uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.session.changed_on_disk(each.uri for each in params.changes)


def _add_questions_about_places(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        def find(workspace: Workspace, path: str, at: Coordinates) -> lsp.Location | None:
            spot = at.spot(workspace.lines(path), params.position)
            place = definitions.definition(workspace, path, spot)
            return None if place is None else at.location(workspace.project, place)

        return await server.ask(params.text_document.uri, find)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        def find(workspace: Workspace, path: str, at: Coordinates) -> lsp.Hover | None:
            text = hover.hover(workspace, path, at.spot(workspace.lines(path), params.position))
            return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

        return await server.ask(params.text_document.uri, find)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def found(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        def find(workspace: Workspace, path: str, at: Coordinates) -> list[lsp.Location]:
            places = references.references(workspace, path, at.spot(workspace.lines(path), params.position))
            return [at.location(workspace.project, place) for place in places]

        return await server.ask(params.text_document.uri, find, Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", " "]))
    async def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
        def find(workspace: Workspace, path: str, at: Coordinates) -> list[lsp.CompletionItem]:
            spot = at.spot(workspace.lines(path), params.position)
            found = completion.completion(workspace, path, spot)
            return [lsp.CompletionItem(each.name, kind=_COMPLETIONS[each.kind], detail=each.detail) for each in found]

        return await server.ask(params.text_document.uri, find)


def _add_questions_about_files(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        return await server.ask(
            params.text_document.uri, lambda workspace, path, at: actions.actions(workspace, path, params.range, at)
        )

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
        return await server.ask(params.text_document.uri, _lenses, Urgency.LATER)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
        return await server.ask(
            params.text_document.uri,
            lambda workspace, path, at: [_symbol(each, at) for each in symbols.symbols(workspace, path)],
        )


def _lenses(workspace: Workspace, path: str, at: Coordinates) -> list[lsp.CodeLens]:
    """The lenses of a file: who inherits from its classes, and where a generated file comes from."""
    uri, found = at.uri(workspace.project, path), []
    if (modular := workspace.generator(path)) is not None:
        top = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        title = f"generated from {modular.rpartition('/')[2]}: go there"
        found.append(lsp.CodeLens(top, lsp.Command(title, actions.GO_TO_ORIGIN, arguments=[uri, 0])))
    for each in references.lenses(workspace, path):
        span = at.range(each.place)
        places = [at.location(workspace.project, use.place) for use in each.uses]
        command = lsp.Command(each.title, commands.SHOW_REFERENCES, arguments=[uri, span.start, places])
        found.append(lsp.CodeLens(span, command))
    return found


def _symbol(symbol: symbols.Symbol, at: Coordinates) -> lsp.DocumentSymbol:
    name = at.range(symbol.place)
    last = lsp.Position(symbol.last_line, 0)
    first = min(name.start, lsp.Position(symbol.first_line - 1, 0))
    members = [_symbol(each, at) for each in symbol.members]
    return lsp.DocumentSymbol(symbol.name, _SYMBOLS[symbol.kind], lsp.Range(first, last), name, children=members)


def _add_commands(server: Server) -> None:
    @server.command(commands.CONVERT)
    async def convert(*arguments: Any) -> None:
        uris = [each for each in arguments if isinstance(each, str)]
        if not uris:
            server.show("no file was named")
        for uri in uris:
            await server.convert(uri)

    @server.command(actions.GO_TO_ORIGIN)
    async def go_to_origin(*arguments: Any) -> lsp.Location | None:
        uri, line = (*arguments, 0)[:2] if arguments else ("", 0)
        if not isinstance(uri, str) or not isinstance(line, int):
            return None
        place = await server.ask(uri, lambda workspace, path, at: _origin(workspace, path, line, at))
        if place is not None:
            await _show_document(server, place)
        return place

    @server.command(commands.SHOW_REFERENCES)
    async def show_references(*arguments: Any) -> Any:
        return arguments[2] if len(arguments) > 2 else []


def _origin(workspace: Workspace, path: str, line: int, at: Coordinates) -> lsp.Location | None:
    """Where a line of a generated file comes from; the modular file itself for what the tool made."""
    modular = workspace.generator(path)
    if modular is None:
        return None
    place = definitions.definition(workspace, path, Spot(line + 1, 1)) or Place(modular)
    return at.location(workspace.project, place)


async def _show_document(server: Server, place: lsp.Location) -> None:
    window = server.client_capabilities.window
    if window is not None and window.show_document is not None and window.show_document.support:
        params = lsp.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
        await server.window_show_document_async(params)
