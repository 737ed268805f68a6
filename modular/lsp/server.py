"""The server: which requests of the language server protocol are answered, and by what."""

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
    symbols,
    syntax,
)
from modular.lsp.positions import apply_changes
from modular.lsp.project_file import ProjectFile
from modular.lsp.projects import Projects
from modular.source.diagnostics import Place
from modular.source.trees import UnreadableError


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

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: lsp.DidChangeTextDocumentParams
    ) -> Any:
        """Change an open document.

        pygls splits lines at more characters than the protocol does, so it is given the whole new text.
        """
        document = self.workspace.get_text_document(params.text_document.uri)
        if document.version is None:
            return  # the editor has not opened it

        codec = self.workspace.position_codec
        text = apply_changes(document.source, params.content_changes, codec)
        params.content_changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        yield from super().lsp_text_document__did_change(params)


_SERVER = LanguageServer("modular", __version__, protocol_cls=_Protocol)
_PROJECTS = Projects(_SERVER.text_document_publish_diagnostics)
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/ruff.toml", "**/.ruff.toml")

_REQUESTS: tuple[tuple[str, Any, Callable[[ProjectFile, Any], Any]], ...] = (
    (lsp.TEXT_DOCUMENT_DEFINITION, None, definitions.definition),
    (
        lsp.TEXT_DOCUMENT_IMPLEMENTATION,
        None,
        syntax.at_cursor(inheritance.implementations),
    ),
    (lsp.TEXT_DOCUMENT_HOVER, None, syntax.at_cursor(definitions.hover)),
    (lsp.TEXT_DOCUMENT_REFERENCES, None, syntax.at_cursor(inheritance.references)),
    (lsp.TEXT_DOCUMENT_RENAME, None, actions.rename_symbol),
    (
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions([".", " ", "("]),
        completion.completions,
    ),
    (
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(actions.KINDS),
        actions.actions,
    ),
    (lsp.TEXT_DOCUMENT_CODE_LENS, None, inheritance.lenses),
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None, symbols.outline),
    (lsp.TEXT_DOCUMENT_INLAY_HINT, None, inlay_hints.inlay_hints),
    (
        lsp.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY,
        None,
        syntax.at_cursor(inheritance.prepare),
    ),
    (lsp.TYPE_HIERARCHY_SUPERTYPES, None, inheritance.supertypes),
    (lsp.TYPE_HIERARCHY_SUBTYPES, None, inheritance.subtypes),
)
"""Requests about a document, or an item of one: the method, its options, and the function that answers."""


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Whether an entry of the log is about something else than a request that is refused: the answer says why."""
    return record.exc_info is None or not isinstance(
        record.exc_info[1], JsonRpcException
    )


def serve() -> None:
    """Answer an editor over standard input and output until it goes."""
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s: %(message)s")
    logging.root.handlers[0].addFilter(_is_no_refusal)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not come between the messages
    _SERVER.start_io(stdout=output)


@_SERVER.feature(lsp.INITIALIZE)
def _initialize(params: lsp.InitializeParams) -> None:
    _PROJECTS.codec = _SERVER.workspace.position_codec
    _set_folders(params)
    _set_settings(params.initialization_options)


@_SERVER.feature(lsp.INITIALIZED)
def _initialized(_: lsp.InitializedParams) -> None:
    if get_capability(
        _SERVER.client_capabilities,
        "workspace.did_change_watched_files.dynamic_registration",
    ):
        watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted = lsp.Registration(
            "watch", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        )
        _SERVER.client_register_capability(lsp.RegistrationParams([wanted]))


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def _set_folders(_: lsp.InitializeParams | lsp.DidChangeWorkspaceFoldersParams) -> None:
    root = _SERVER.workspace.root_uri
    _PROJECTS.set_folders(list(_SERVER.workspace.folders) or ([root] if root else []))


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
def _configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
    _set_settings(params.settings)


def _set_settings(given: object) -> None:
    """Take the editor's settings, which may be in a section `modular`: `convertOnSave` and `diagnostics`."""
    table = given.get("modular", given) if isinstance(given, dict) else {}
    settings = table if isinstance(table, dict) else {}
    if isinstance(value := settings.get("convertOnSave"), bool):
        _PROJECTS.converts_on_save = value
    if (value := settings.get("diagnostics")) in ("open", "all"):
        _PROJECTS.diagnoses_all = value == "all"


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def _opened(params: lsp.DidOpenTextDocumentParams) -> None:
    uri = params.text_document.uri
    _PROJECTS.set_document(_SERVER.workspace.get_text_document(uri))
    _PROJECTS.update_parents(uri)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def _changed(params: lsp.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    _PROJECTS.set_document(_SERVER.workspace.get_text_document(uri))
    _PROJECTS.update_dependents(uri)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def _closed(params: lsp.DidCloseTextDocumentParams) -> None:
    _PROJECTS.close(params.text_document.uri)
    _PROJECTS.update_dependents(params.text_document.uri)


@_SERVER.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
def _saved(params: lsp.DidSaveTextDocumentParams) -> None:
    uri = params.text_document.uri
    _read_from_disk([uri])
    file = _PROJECTS.file(uri)
    if _PROJECTS.converts_on_save and file is not None and file.is_modular:
        _convert(uri)


@_SERVER.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
    _read_from_disk([change.uri for change in params.changes])


def _read_from_disk(uris: Iterable[str]) -> None:
    """Take files that have come, gone or changed; what other files show of them is asked for anew."""
    _PROJECTS.read_from_disk(uris)
    if get_capability(
        _SERVER.client_capabilities, "workspace.code_lens.refresh_support"
    ):
        _SERVER.workspace_code_lens_refresh(None)
    if get_capability(
        _SERVER.client_capabilities, "workspace.inlay_hint.refresh_support"
    ):
        _SERVER.workspace_inlay_hint_refresh(None)


def _answer(answer: Callable[[ProjectFile, Any], Any], params: Any) -> Any:
    """Answer a request about a file.

    The answer is None if the file is in no open project, or if LibCST cannot read a statement that it depends on.
    """
    about = params.item if hasattr(params, "item") else params.text_document
    file = _PROJECTS.file(about.uri)
    if file is None:
        return None
    try:
        return answer(file, params)
    except UnreadableError:
        return None


for _method, _options, _about_file in _REQUESTS:
    _SERVER.feature(_method, _options)(partial(_answer, _about_file))


@_SERVER.feature(lsp.WORKSPACE_SYMBOL)
def _search(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
    return symbols.search(_PROJECTS.settings_files(), params.query)


@_SERVER.feature(preview.METHOD)
def _preview(params: Any) -> list[dict[str, Any]] | None:
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    file = _PROJECTS.file(uri) if isinstance(uri, str) else None
    return None if file is None else preview.preview(file)


@_SERVER.command(commands.CONVERT)
def _convert(*arguments: Any) -> None:
    """Convert the models of files, and show what was written."""
    for uri in arguments:
        file = _PROJECTS.file(uri) if isinstance(uri, str) else None
        message = "this file is in no open project"
        if file is not None:
            conversion = commands.convert(file)
            message = conversion.message
            _read_from_disk(path.as_uri() for path in conversion.written)
        shown = lsp.ShowMessageParams(lsp.MessageType.Info, message)
        _SERVER.window_show_message(shown)


@_SERVER.command(commands.GO_TO_ORIGIN)
def _go_to_origin(*arguments: Any) -> lsp.Location | None:
    uri, line = (*arguments, 0)[:2] if arguments else ("", 0)
    file = (
        _PROJECTS.file(uri) if isinstance(uri, str) and isinstance(line, int) else None
    )
    modular = None if file is None else file.workspace.generator(file.path)
    if file is None or modular is None:
        return None
    place = file.location(preview.origin_of(file, line + 1) or Place(modular))
    if get_capability(_SERVER.client_capabilities, "window.show_document.support"):
        _SERVER.window_show_document(
            lsp.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
        )
    return place


@_SERVER.command(commands.SHOW_REFERENCES)
def _show_references(*arguments: Any) -> Any:
    return arguments[2] if len(arguments) > 2 else []
