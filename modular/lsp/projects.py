"""The projects of a session, and what the editor is told about their files. It is used in the worker's thread alone."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from modular.lsp import diagnostics
from modular.lsp.documents import Coordinates, file_of, path_in
from modular.lsp.protocol import Diagnostic, DiagnosticSeverity, Document, Position, Range
from modular.lsp.worker import Steps, Urgency, Worker
from modular.lsp.workspace import Workspace
from modular.project.opening import find_root
from modular.rules.settings import SettingsError


if TYPE_CHECKING:
    from modular.lsp.questions import Questions

_T = TypeVar("_T")

_SETTINGS = frozenset({"pyproject.toml", "ruff.toml", ".ruff.toml"})
"""Names of files that change how everything comes out."""

FRESH = 3.0
"""Seconds for which a project that was opened ahead of time is as it is on disk: as long as an editor takes to start."""

Publish = Callable[[str, list[Diagnostic], int | None], None]
"""Called with an address, all diagnostics of the file, and the version of its text that they are about."""


class Projects:
    """The projects and files that are open. ``worker`` gets what has time."""

    def __init__(self, publish: Publish, worker: Worker) -> None:
        self._publish = publish
        self._worker = worker
        self._folders: list[Path] = []
        self._workspaces: dict[Path, Workspace] = {}
        self._roots: dict[Path, Path] = {}
        self._open: dict[Path, Document] = {}
        self._uris: dict[str, str] = {}
        self._told: dict[str, list[Diagnostic]] = {}
        self._expected: tuple[float, Workspace] | None = None
        self.at = Coordinates("utf-16", self._uris)

    def count_columns(self, encoding: str) -> Steps:
        """Take in which encoding's units the editor counts columns."""
        self.at = Coordinates(encoding, self._uris)
        yield

    def set_folders(self, uris: Iterable[str]) -> Steps:
        """Take the folders that are open in the editor: nothing outside them and their projects is looked at."""
        self._folders = [Path(folder).resolve() for uri in uris if (folder := file_of(uri)) is not None]
        yield

    def expect(self, folder: Path) -> Steps:
        """Open the project around a folder, in which a file is about to be opened: nobody waits for it yet."""
        yield
        with suppress(SettingsError):
            workspace = self._open_workspace(find_root(folder))
            workspace.project.rivals("")  # it looks for all models
            self._expected = monotonic(), workspace

    def answer(
        self, uri: str, question: "Callable[[Questions], _T | None]", future: "Future[_T | None]", reads_all: bool
    ) -> Steps:
        """Answer a question about a file; the answer is None for files that are in no project.

        With ``reads_all`` it is answered when all modular files were read.
        """
        from modular.lsp.questions import Questions  # what is asked has to wait for what is to be told

        if not future.set_running_or_notify_cancel():
            return
        try:
            if reads_all and (found := self._find(uri)) is not None:
                yield from found[0].read_index()
            found = self._find(uri)
            future.set_result(None if found is None else question(Questions(*found, self.at)))
        except Exception as error:
            future.set_exception(error)

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
            workspace = self._take_expected(root) or self._open_workspace(root)
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

    def _open_workspace(self, root: Path) -> Workspace:
        """Open a project. Raises `settings.SettingsError`."""
        workspace = Workspace(root, lambda path: self._tell(workspace, path))
        return workspace

    def _take_expected(self, root: Path) -> Workspace | None:
        """Return the project that was expected, if it is this one, and nothing can have changed much since then."""
        expected, self._expected = self._expected, None
        if expected is None or monotonic() - expected[0] > FRESH or expected[1].project.root != root:
            return None
        return expected[1]

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

    def take(self, document: Document) -> Steps:
        """Take the text of a file that is open, and tell what is wrong with it."""
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

    def look_further(self, uri: str) -> Steps:
        """Convert what generates the parents of a modular file, where it is not on disk as it should be."""
        found = self._find(uri)
        if found is not None and found[0].is_modular(found[1]):
            yield from found[0].look_at_parents(found[1])

    def settle(self, uri: str) -> Steps:
        """Bring up to date what depends on a file."""
        if (found := self._find(uri)) is not None:
            yield from found[0].settle(found[1])

    def drop(self, uri: str) -> Steps:
        """Forget the text of a file that was open: what is on disk counts."""
        found = self._find(uri)
        file = file_of(uri)
        if file is None or self._open.pop(file, None) is None or found is None:
            return
        self._uris.pop(str(file), None)
        found[0].set_text(found[1], None)
        self._told[uri] = []
        self._publish(uri, [], None)
        yield

    def look_at(self, uris: tuple[str, ...]) -> Steps:
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
