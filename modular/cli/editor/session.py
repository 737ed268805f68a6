"""A session with one editor: the projects and files that it has open, and what it is told about them."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lsprotocol.types import Diagnostic, DiagnosticSeverity, Position, Range
from pygls.workspace import PositionCodec

from modular.cli.editor import diagnostics
from modular.cli.editor.documents import Coordinates, file_of, path_in
from modular.cli.editor.worker import Steps, Urgency, Worker
from modular.cli.editor.workspace import Workspace
from modular.project.opening import find_root
from modular.rules.settings import SettingsError


_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

_PAUSE = 0.3
"""Seconds without a change after which what depends on a file is looked at."""

_SETTINGS = frozenset({"pyproject.toml", "ruff.toml", ".ruff.toml"})
"""Names of files that change how everything comes out."""

Publish = Callable[[str, list[Diagnostic], int | None], None]
"""Called with an address, all diagnostics of the file, and the version of its text that they are about."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is open: its address, the version of its text, and the text."""

    uri: str
    version: int
    text: str


class Session:
    """What is open in an editor.

    All that is done with projects is done in the worker's thread; methods only queue it, and ``publish`` is called there.
    """

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._worker = Worker()
        self._folders: list[Path] = []
        self._workspaces: dict[Path, Workspace] = {}
        self._roots: dict[Path, Path] = {}
        self._open: dict[Path, Document] = {}
        self._uris: dict[str, str] = {}
        self._told: dict[str, list[Diagnostic]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self.at = Coordinates(PositionCodec(), self._uris)

    def start(self, codec: PositionCodec) -> None:
        """Begin, with how the editor counts columns."""
        self.at = Coordinates(codec, self._uris)

    def stop(self) -> None:
        """End the worker."""
        self._worker.stop()

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is looked at."""
        self._folders = [Path(folder).resolve() for uri in uris if (folder := file_of(uri)) is not None]

    def opened(self, document: Document) -> None:
        """A file is open."""
        self._worker.do(self._take(document), Urgency.NOW, document.uri)
        self._worker.do(self._look_further(document.uri), Urgency.SOON, f"parents of {document.uri}")

    def changed(self, document: Document) -> None:
        """The text of an open file has changed."""
        self._worker.do(self._take(document), Urgency.NOW, document.uri)
        self._settle_later(document.uri)

    def closed(self, uri: str) -> None:
        """A file is not open any more: what is on disk counts."""
        self._worker.do(self._drop(uri), Urgency.NOW, uri)
        self._settle_later(uri)

    def changed_on_disk(self, uris: Iterable[str]) -> None:
        """Files came, went or changed."""
        self._worker.do(self._look_at(tuple(uris)), Urgency.NOW)

    def ask(
        self, uri: str, question: Callable[[Workspace, str], _T], urgency: Urgency = Urgency.NOW
    ) -> "Future[_T | None]":
        """Ask about a file by its path in its project; the answer is None for files that are in none.

        What has time (`Urgency.LATER`) is answered when all modular files were read.
        """

        def answer() -> _T | None:
            if (found := self._find(uri)) is None:
                return None
            for _ in found[0].read_index() if urgency is Urgency.LATER else ():
                pass
            return question(*found)

        return self._worker.ask(answer, urgency)

    def _settle_later(self, uri: str) -> None:
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(_PAUSE, self._settle, uri)

    def _settle(self, uri: str) -> None:
        self._timers.pop(uri, None)
        self._worker.do(self._settled(uri), Urgency.SOON, f"behind {uri}")

    def _find(self, uri: str) -> tuple[Workspace, str] | None:
        """The workspace of a file and its path in it; None if it is in none, or cannot be looked at."""
        file = file_of(uri)
        if file is None or not self._is_inside(file):
            return None
        root = self._roots.get(file.parent) or self._roots.setdefault(file.parent, find_root(file.parent))
        if root not in self._workspaces and not self._enter(root):
            return None
        workspace = self._workspaces[root]
        path = path_in(workspace.project, uri)
        return (workspace, path) if path is not None else None

    def _is_inside(self, file: Path) -> bool:
        """Whether a file is in a folder that is open, or there is none."""
        return not self._folders or any(file.is_relative_to(folder) for folder in self._folders)

    def _enter(self, root: Path) -> bool:
        """Open a project. Say what is wrong with its settings, if anything is."""
        try:
            workspace = Workspace(root, lambda path: self._tell(workspace, path))
        except SettingsError as error:
            self._complain(root, str(error))
            return False
        self._complain(root, "")
        self._workspaces[root] = workspace
        for file, document in self._open.items():
            if file.is_relative_to(root) and (path := path_in(workspace.project, document.uri)) is not None:
                workspace.set_text(path, document.text)
        self._worker.do(workspace.read_index(), Urgency.LATER, f"index of {root}")
        return True

    def _complain(self, root: Path, message: str) -> None:
        """Say in a project's settings what is wrong with them, or nothing any more."""
        where = Range(Position(0, 0), Position(0, 0))
        found = [Diagnostic(where, message, DiagnosticSeverity.Error, source=diagnostics.SOURCE)] if message else []
        self._send((root / "pyproject.toml").as_uri(), found, None)

    def _tell(self, workspace: Workspace, path: str) -> None:
        """Send what there is to say about a file; of one that is not open only what is wrong."""
        document = self._open.get(workspace.project.root / path)
        found = diagnostics.of_file(workspace, path, self.at)
        self._send(self.at.uri(workspace.project, path), found, None if document is None else document.version)

    def _send(self, uri: str, found: list[Diagnostic], version: int | None) -> None:
        if version is not None or found != self._told.get(uri, []):
            self._told[uri] = found
            self._publish(uri, found, version)

    def _take(self, document: Document) -> Steps:
        file = file_of(document.uri)
        if file is None or not self._is_inside(file):
            return
        self._open[file] = document
        self._uris[str(file)] = document.uri
        if (found := self._find(document.uri)) is not None:
            found[0].set_text(found[1], document.text)
            yield from self._diagnosed(*found)

    def _diagnosed(self, workspace: Workspace, path: str) -> Steps:
        if workspace.is_modular(path):
            yield from workspace.diagnose(path)
        else:
            self._tell(workspace, path)

    def _look_further(self, uri: str) -> Steps:
        """Convert what generates the parents of a modular file, where it is not on disk as it should be."""
        found = self._find(uri)
        if found is not None and found[0].is_modular(found[1]):
            yield from found[0].look_at_parents(found[1])

    def _settled(self, uri: str) -> Steps:
        if (found := self._find(uri)) is not None:
            yield from found[0].settle(found[1])

    def _drop(self, uri: str) -> Steps:
        found = self._find(uri)
        file = file_of(uri)
        if file is None or self._open.pop(file, None) is None or found is None:
            return
        self._uris.pop(str(file), None)
        found[0].set_text(found[1], None)
        self._told[uri] = []
        self._publish(uri, [], None)
        yield

    def _look_at(self, uris: tuple[str, ...]) -> Steps:
        """See what changes on disk mean, and say anew what was said."""
        touched: dict[Path, Workspace] = {}
        for uri in uris:
            file = file_of(uri)
            if file is None or not self._is_inside(file):
                continue
            if file.name in _SETTINGS:
                self._reopen(file.parent)
                entered = filter(None, (self._find(document.uri) for document in self._open.values()))
                touched.update((workspace.project.root, workspace) for workspace, _ in entered)
            for root, workspace in self._workspaces.items():
                if file.is_relative_to(root):
                    touched[root] = workspace
                    self._changed(workspace, uri, file)
        for workspace in touched.values():
            yield from self._again(workspace)

    def _changed(self, workspace: Workspace, uri: str, file: Path) -> None:
        path = path_in(workspace.project, uri)
        if path is None or file.suffix != ".py":
            return
        came_or_went = (path in workspace.project.modular_files) != file.is_file()
        if path in workspace.project.name_files or (workspace.is_modular(path) and came_or_went):
            self._reopen(workspace.project.root)
        if file not in self._open:
            workspace.look_at_disk(path)
            if not file.is_file():
                self._send(uri, [], None)

    def _reopen(self, folder: Path) -> None:
        """Read the settings of the project around a folder again. As long as they are wrong, the old ones count."""
        self._roots.clear()
        for root, workspace in self._workspaces.items():
            if folder.is_relative_to(root) or root.is_relative_to(folder):
                try:
                    workspace.reopen()
                    self._complain(root, "")
                except SettingsError as error:
                    self._complain(root, str(error))

    def _again(self, workspace: Workspace) -> Iterator[None]:
        """Say anew what there is to say about all files of which something was said."""
        root = workspace.project.root
        files = [file for file in self._open if file.is_relative_to(root)]
        told = [file for uri, found in self._told.items() if found and (file := file_of(uri)) is not None]
        for file in dict.fromkeys([*files, *told]):
            path = path_in(workspace.project, file.as_uri())
            if path is not None and file.suffix == ".py" and (file in self._open or file.is_file()):
                yield from self._diagnosed(workspace, path)
                if workspace.is_modular(path):
                    yield from workspace.look_at_parents(path)
        self._worker.do(workspace.read_index(), Urgency.LATER, f"index of {root}")
