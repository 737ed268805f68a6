"""A small editor for the tests: it opens and changes files of a project, and waits for what the server says."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.texts import LAST, OLMO
from tests.support import write_project


_PATIENCE = 60.0
"""Seconds after which what was waited for will not come."""


@dataclass
class Editor:
    """The client's side of a session with a project below ``root``; ``refreshed`` is what the server asks to ask for anew."""

    client: LanguageClient
    root: Path
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    refreshed: list[str] = field(default_factory=list)

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def text(self, path: str) -> str:
        return (
            self.texts[path]
            if path in self.texts
            else (self.root / path).read_text(encoding="utf-8")
        )

    def open(self, path: str = OLMO, text: str | None = None) -> None:
        """Open a file, as it is on disk or with another text."""
        self.texts[path] = self.text(path) if text is None else text
        self.versions[path] = 1
        item = lsp.TextDocumentItem(self.uri(path), "python", 1, self.texts[path])
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def write(self, old: str, new: str, path: str = OLMO) -> None:
        """Replace the only place at which an open file says something, as somebody does who types."""
        text = self.texts[path]
        assert text.count(old) == 1, text
        start = text.index(old)
        span = lsp.Range(_position(text, start), _position(text, start + len(old)))
        self.texts[path] = text.replace(old, new)
        self.versions[path] += 1
        document = lsp.VersionedTextDocumentIdentifier(
            uri=self.uri(path), version=self.versions[path]
        )
        change = lsp.TextDocumentContentChangePartial(range=span, text=new)
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(document, [change])
        )

    def append(self, text: str, path: str = OLMO) -> None:
        """Insert a text at the end of an open file."""
        end = _position(self.texts[path], len(self.texts[path]))
        self.texts[path] += text
        self.versions[path] += 1
        document = lsp.VersionedTextDocumentIdentifier(
            uri=self.uri(path), version=self.versions[path]
        )
        change = lsp.TextDocumentContentChangePartial(lsp.Range(end, end), text=text)
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(document, [change])
        )

    def close(self, path: str = OLMO) -> None:
        del self.texts[path]
        document = lsp.TextDocumentIdentifier(self.uri(path))
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))

    def save(self, path: str = OLMO) -> None:
        (self.root / path).write_text(self.texts[path], encoding="utf-8")
        document = lsp.TextDocumentIdentifier(self.uri(path))
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))

    def say_changed(
        self, *paths: str, kind: lsp.FileChangeType = lsp.FileChangeType.Changed
    ) -> None:
        """Say that files have changed on disk, as editors do that watch them."""
        changes = [lsp.FileEvent(self.uri(path), kind) for path in paths]
        self.client.workspace_did_change_watched_files(
            lsp.DidChangeWatchedFilesParams(changes)
        )

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is true."""
        for _ in range(int(_PATIENCE / 0.02)):
            if condition():
                return
            await asyncio.sleep(0.02)
        raise AssertionError((self.client.diagnostics, self.client.messages))

    def codes(self, path: str = OLMO) -> list[tuple[Any, int]] | None:
        """The code and line (from 1) of each diagnostic of a file; None if nothing was said of it yet."""
        published = self.client.diagnostics.get(self.uri(path))
        return (
            None
            if published is None
            else [
                (diagnostic.code, diagnostic.range.start.line + 1)
                for diagnostic in published
            ]
        )

    async def said(
        self, *codes: tuple[str, int], path: str = OLMO
    ) -> list[lsp.Diagnostic]:
        """Wait until exactly these diagnostics are said of a file."""
        await self.until(lambda: self.codes(path) == list(codes))
        return list(self.client.diagnostics[self.uri(path)])

    def at(self, before: str, path: str = OLMO) -> dict[str, Any]:
        """The parameters of a question about the place behind a text, which the file has once; `LAST` is its end."""
        text = self.text(path)
        assert before == LAST or text.count(before) == 1, text
        offset = len(text) if before == LAST else text.index(before) + len(before)
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri(path)),
            "position": _position(text, offset),
        }

    async def definition(self, before: str, path: str = OLMO) -> list[tuple[str, str]]:
        """The definitions of what the cursor is on: the path, and the line's text."""
        params = lsp.DefinitionParams(**self.at(before, path))
        found = await self.client.text_document_definition_async(params)
        return [
            self.line(location)
            for location in found or []
            if isinstance(location, lsp.Location)
        ]

    def line(self, location: lsp.Location) -> tuple[str, str]:
        """A location as a path below the root, and the line's text."""
        path = location.uri.removeprefix(f"{self.root.as_uri()}/")
        return path, self.text(path).split("\n")[location.range.start.line].strip()

    async def hover(self, before: str, path: str = OLMO) -> str | None:
        found = await self.client.text_document_hover_async(
            lsp.HoverParams(**self.at(before, path))
        )
        if found is None:
            return None
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    async def references(
        self, before: str, path: str = OLMO, include_declaration: bool = False
    ) -> list[tuple[str, str]]:
        context = lsp.ReferenceContext(include_declaration)
        params = lsp.ReferenceParams(context, **self.at(before, path))
        found = await self.client.text_document_references_async(params)
        return [self.line(location) for location in found or []]

    async def completions(self, before: str = LAST, path: str = OLMO) -> list[str]:
        completion = await self.client.text_document_completion_async(
            lsp.CompletionParams(**self.at(before, path))
        )
        assert isinstance(completion, list)
        return [item.label for item in completion]

    async def lenses(self, path: str) -> list[tuple[int, str]]:
        """The line (from 1) and the title of each lens of a file."""
        params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(self.uri(path)))
        code_lens = await self.client.text_document_code_lens_async(params)
        return [
            (lens.range.start.line + 1, lens.command.title)
            for lens in code_lens or []
            if lens.command
        ]

    async def actions(self, line: int, path: str = OLMO) -> dict[str, lsp.CodeAction]:
        """The code actions for a line (from 1), by title."""
        span = lsp.Range(lsp.Position(line - 1, 0), lsp.Position(line - 1, 0))
        params = lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(self.uri(path)), span, lsp.CodeActionContext([])
        )
        actions = await self.client.text_document_code_action_async(params)
        return {
            action.title: action
            for action in actions or []
            if isinstance(action, lsp.CodeAction)
        }

    def applied(self, action: lsp.CodeAction, path: str = OLMO) -> str:
        """The text of a file with an action's changes made, which are all in it."""
        assert action.edit is not None and action.edit.document_changes is not None
        assert all(
            document_change.text_document.uri == self.uri(path)
            for document_change in action.edit.document_changes
        )  # type: ignore
        return self.edited(action.edit, path)

    def edited(self, edit: lsp.WorkspaceEdit, path: str) -> str:
        """The text of a file with its part of an edit made."""
        text = self.text(path)
        for document in edit.document_changes or ():
            if isinstance(
                document, lsp.TextDocumentEdit
            ) and document.text_document.uri == self.uri(path):
                for change in sorted(
                    document.edits, key=lambda edit: edit.range.start, reverse=True
                ):
                    assert isinstance(change, lsp.TextEdit)
                    start, end = (
                        _offset(text, change.range.start),
                        _offset(text, change.range.end),
                    )
                    text = text[:start] + change.new_text + text[end:]
        return text

    async def command(self, name: str, *arguments: Any) -> Any:
        params = lsp.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)


def _position(text: str, offset: int) -> lsp.Position:
    """The position of an offset, in units of UTF-16 as the protocol has it."""
    start = text.rfind("\n", 0, offset) + 1
    return lsp.Position(
        text.count("\n", 0, offset), len(text[start:offset].encode("utf-16-le")) // 2
    )


def _offset(text: str, position: lsp.Position) -> int:
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: position.line])
    line = lines[position.line].encode("utf-16-le")[: 2 * position.character]
    return start + len(line.decode("utf-16-le"))


@contextmanager
def open_project(
    client: LanguageClient, root: Path, files: Mapping[str, str], refreshed: list[str]
) -> Iterator[Editor]:
    """Write a project and open its folder alone; close the folder and its files at the end."""
    write_project(root, files)
    folder = lsp.WorkspaceFolder(root.as_uri(), "project")
    _change_folders(client, added=[folder], removed=[])
    client.diagnostics.clear()
    client.messages.clear()
    client.shown_documents.clear()
    refreshed.clear()
    editor = Editor(client, root, refreshed=refreshed)
    yield editor
    for path in list(editor.texts):
        editor.close(path)
    _change_folders(client, added=[], removed=[folder])


def _change_folders(
    client: LanguageClient,
    added: list[lsp.WorkspaceFolder],
    removed: list[lsp.WorkspaceFolder],
) -> None:
    change = lsp.WorkspaceFoldersChangeEvent(added=added, removed=removed)
    client.workspace_did_change_workspace_folders(
        lsp.DidChangeWorkspaceFoldersParams(change)
    )
