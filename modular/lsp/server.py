"""Registers the functions that handle requests of the editor, and runs the server."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from modular import __version__
from modular.lsp import (
    actions,
    commands,
    completion,
    definitions,
    inheritance,
    inlay_hints,
    preview,
    syntax,
)
from modular.lsp.positions import apply_changes
from modular.lsp.project_file import ProjectFile
from modular.lsp.projects import TYPING_PAUSE_S, Projects
from modular.settings.settings import SETTINGS_FILE
from modular.source.diagnostics import Place
from modular.source.unreadable import UnreadableError
from modular.system.machine import collect_garbage_rarely


class _Protocol(LanguageServerProtocol):
    """The protocol of pygls, with corrections of two of its handlers."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Parse a message, and answer a request that cannot be parsed.

        pygls does not answer such a request, so the editor would wait for ever.

        Raises:
            pygls.exceptions.JsonRpcException: If the message cannot be parsed.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            # Notifications have no `id`, and are not answered.
            is_request = "method" in data and isinstance(data.get("id"), int | str)
            if is_request:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: lsp.DidChangeTextDocumentParams
    ) -> Any:
        """Apply the editor's changes to the text of an open document.

        pygls splits lines at more characters than the protocol allows, so it would
        change the wrong lines. It gets the whole new text instead.

        Yields:
            What the method of pygls yields.
        """
        document = self.workspace.get_text_document(params.text_document.uri)
        if document.version is None:
            # The editor has not opened the document.
            return

        codec = self.workspace.position_codec
        text = apply_changes(document.source, params.content_changes, codec)
        params.content_changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        yield from super().lsp_text_document__did_change(params)


_SERVER = LanguageServer("modular", __version__, protocol_cls=_Protocol)
_WATCHED_PATTERNS = ("**/*.py", "**/pyproject.toml", "**/ruff.toml", "**/.ruff.toml")


_PROJECTS = Projects(_SERVER.text_document_publish_diagnostics)


def serve() -> None:
    """Answer an editor over standard input and output until it disconnects."""
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s: %(message)s")
    logging.root.handlers[0].addFilter(_is_not_refusal)
    collect_garbage_rarely()
    # The editor reads messages of the protocol from standard output. Anything that is
    # printed would break them, so it goes to standard error (2) instead of output (1).
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _SERVER.start_io(stdout=output)


def _is_not_refusal(record: logging.LogRecord) -> bool:
    """Return False for the log record of a refused request, and True for all others.

    The answer to a refused request already contains the reason.
    """
    if record.exc_info is None:
        return True
    error = record.exc_info[1]
    return not isinstance(error, JsonRpcException)


@_SERVER.feature(lsp.INITIALIZE)
def _initialize(params: lsp.InitializeParams) -> None:
    """Take the folders and settings that the editor starts with."""
    _PROJECTS.codec = _SERVER.workspace.position_codec
    _set_folders(params)
    _set_settings(params.initialization_options)


@_SERVER.feature(lsp.INITIALIZED)
def _initialized(_: lsp.InitializedParams) -> None:
    """Ask the editor to report files that change on disk, if it can."""
    if _has_capability("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED_PATTERNS]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        registration = lsp.Registration(
            "watch", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        )
        _SERVER.client_register_capability(lsp.RegistrationParams([registration]))


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def _set_folders(_: lsp.InitializeParams | lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Pass on the folders that are open in the editor."""
    folders = list(_SERVER.workspace.folders)
    root = _SERVER.workspace.root_uri
    if not folders and root:
        folders = [root]
    _PROJECTS.set_folders(folders)


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
def _configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
    """Take the new settings of the editor."""
    _set_settings(params.settings)


def _set_settings(options: object) -> None:
    """Apply the editor's setting `convertOnSave`, unless its value is invalid.

    Args:
        options: The settings as JSON: `{"convertOnSave": true}`, or with a section
            `{"modular": {"convertOnSave": true}}`.
    """
    settings = options
    if isinstance(options, dict):
        settings = options.get("modular", options)
    if not isinstance(settings, dict):
        return
    converts_on_save = settings.get("convertOnSave")
    if isinstance(converts_on_save, bool):
        _PROJECTS.converts_on_save = converts_on_save


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def _opened(params: lsp.DidOpenTextDocumentParams) -> None:
    """Diagnose a file that was opened, and convert its ancestors."""
    uri = params.text_document.uri
    _PROJECTS.set_document(_SERVER.workspace.get_text_document(uri))
    _PROJECTS.update_open_files(uri)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def _changed(params: lsp.DidChangeTextDocumentParams) -> None:
    """Diagnose a file that was edited, and convert its dependents."""
    uri = params.text_document.uri
    _PROJECTS.set_document(_SERVER.workspace.get_text_document(uri))
    _PROJECTS.update_open_files(uri, TYPING_PAUSE_S)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def _closed(params: lsp.DidCloseTextDocumentParams) -> None:
    """Drop the text of a file that was closed, and convert its dependents."""
    uri = params.text_document.uri
    _PROJECTS.close(uri)
    _PROJECTS.update_open_files(uri, TYPING_PAUSE_S)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
async def _saved(params: lsp.DidSaveTextDocumentParams) -> None:
    """Convert a modular file that was saved, if the settings say so.

    If the saved file is a generated one with edits, offer to move the edits to the
    modular file.
    """
    uri = params.text_document.uri
    _read_from_disk([uri])
    file = _PROJECTS.file(uri)
    if file is None:
        return
    if file.is_modular:
        if _PROJECTS.converts_on_save:
            _convert(uri)
    elif preview.is_edited(file):
        await _offer_lift(file)


async def _offer_lift(file: ProjectFile) -> None:
    """Ask whether the edits of a generated file are moved to the modular file."""
    modular = file.workspace.generating_modular(file.path)
    if modular is None:
        return
    action = lsp.MessageActionItem(actions.lift_title(modular))
    request = lsp.ShowMessageRequestParams(
        type=lsp.MessageType.Info,
        message="The modular file does not contain the edits of this generated file.",
        actions=[action],
    )
    chosen_action = await _SERVER.window_show_message_request_async(request)
    if chosen_action is not None and chosen_action.title == action.title:
        await _lift(file.uri)


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
    """Read the files that the editor reports as changed."""
    _read_from_disk([change.uri for change in params.changes])


def _read_from_disk(uris: Iterable[str]) -> None:
    """Read files that changed, and let the editor ask again for lenses and hints."""
    _PROJECTS.read_from_disk(uris)
    if _has_capability("workspace.code_lens.refresh_support"):
        _SERVER.workspace_code_lens_refresh(None)
    if _has_capability("workspace.inlay_hint.refresh_support"):
        _SERVER.workspace_inlay_hint_refresh(None)


def _has_capability(name: str) -> bool:
    """Return whether the editor has a capability, whose name has dots."""
    return bool(get_capability(_SERVER.client_capabilities, name))


def _answer(answer: Callable[[ProjectFile, Any], Any], params: Any) -> Any:
    """Return the answer of a function to a request about a Python file.

    The answer is None for the settings file, for a file in no open project, and if
    LibCST cannot parse a statement that the answer depends on.

    Args:
        answer: Returns the answer for the file and the parameters of the request.
        params: The parameters of the request, which name a document.
    """
    file = _PROJECTS.file(params.text_document.uri)
    if file is None or file.path == SETTINGS_FILE:
        return None
    try:
        return answer(file, params)
    except UnreadableError:
        return None


def _register(
    method: str, answer: Callable[[ProjectFile, Any], Any], options: Any = None
) -> None:
    """Register a function that answers requests about a document."""
    _SERVER.feature(method, options)(partial(_answer, answer))


_register(lsp.TEXT_DOCUMENT_DEFINITION, definitions.definition)
_register(
    lsp.TEXT_DOCUMENT_IMPLEMENTATION, syntax.at_cursor(inheritance.implementations)
)
_register(lsp.TEXT_DOCUMENT_HOVER, syntax.at_cursor(definitions.hover))
_register(lsp.TEXT_DOCUMENT_REFERENCES, inheritance.references)
_register(
    lsp.TEXT_DOCUMENT_RENAME,
    actions.rename_symbol,
    lsp.RenameOptions(prepare_provider=True),
)
_register(lsp.TEXT_DOCUMENT_PREPARE_RENAME, actions.prepare_rename)
_register(lsp.TEXT_DOCUMENT_COMPLETION, completion.completions)
_register(lsp.TEXT_DOCUMENT_CODE_LENS, inheritance.lenses)
_register(lsp.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.inlay_hints)


@_SERVER.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(actions.KINDS))
async def _actions(params: lsp.CodeActionParams) -> Any:
    """Run the lint rules on a file, and offer the fixes of their findings.

    Other requests are answered while the rules run.
    """
    file = _PROJECTS.file(params.text_document.uri)
    if file is not None and file.is_modular:
        for _ in file.workspace.states.convert_and_inspect(file.path):
            await asyncio.sleep(0)
    return _answer(actions.actions, params)


@_SERVER.feature(preview.METHOD)
def _preview(params: Any) -> list[dict[str, Any]] | None:
    """Return the generated files of a document; None if it is in no open project."""
    document = getattr(params, "textDocument", None)
    file = _file_of_argument(getattr(document, "uri", None))
    return None if file is None else preview.preview(file)


@_SERVER.command(commands.CONVERT)
def _convert(*arguments: Any) -> None:
    """Convert the models that some files belong to, and show which files were written.

    The arguments are the URIs of modular or generated files.
    """
    for uri in arguments:
        file = _file_of_argument(uri)
        if file is None:
            _show("this file is in no open project")
        else:
            conversion = commands.convert(file)
            _read_from_disk(path.as_uri() for path in conversion.written)
            _show(conversion.message)


def _show(message: str) -> None:
    """Let the editor show a message to the user."""
    _SERVER.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, message))


@_SERVER.command(commands.LIFT)
async def _lift(*arguments: Any) -> None:
    """Move the edits of generated files to their modular files, and show what happened.

    The arguments are the URIs of the generated files.
    """
    for uri in arguments:
        file = _file_of_argument(uri)
        modular = None
        if file is not None:
            modular = file.workspace.generating_modular(file.path)
        if file is None or modular is None:
            _show("no modular file of an open project generates this file")
        else:
            _show(await commands.lift(file))
            _read_from_disk([file.uri_of(modular)])


@_SERVER.command(commands.GO_TO_ORIGIN)
def _go_to_origin(*arguments: Any) -> lsp.Location | None:
    """Show the code that a line of a generated file comes from, and return its place.

    If the line has no origin, the start of the modular file is shown. The arguments are
    the URI of the generated file and the number of the line, from 0.
    """
    # Any program can call the command, so the arguments may be missing or wrong.
    file = _file_of_argument(arguments[0]) if arguments else None
    line = arguments[1] if len(arguments) > 1 else 0
    if file is None or not isinstance(line, int):
        return None
    modular = file.workspace.generating_modular(file.path)
    if modular is None:
        return None

    origin = preview.origin_of(file, line + 1) or Place(modular)
    location = file.location(origin)
    if _has_capability("window.show_document.support"):
        document = lsp.ShowDocumentParams(
            location.uri, take_focus=True, selection=location.range
        )
        _SERVER.window_show_document(document)
    return location


@_SERVER.command(commands.SHOW_REFERENCES)
def _show_references(*arguments: Any) -> Any:
    """Return the locations, which come after a URI and a position."""
    return arguments[2] if len(arguments) > 2 else []


def _file_of_argument(uri: object) -> ProjectFile | None:
    """Return the file with a URI; None if it is not a text or in no open project."""
    return _PROJECTS.file(uri) if isinstance(uri, str) else None
