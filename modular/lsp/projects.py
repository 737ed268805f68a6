"""The projects of a session, and the diagnostics that the editor is sent. Used in the worker's thread alone."""

from collections.abc import Callable, Iterable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from modular.lsp import diagnostics
from modular.lsp.coordinates import Coordinates, local_file, path_in
from modular.lsp.project_file import ProjectFile
from modular.lsp.worker import Steps, Urgency, Worker
from modular.lsp.workspace import Workspace
from modular.project.opening import find_root
from modular.rules.settings import SettingsError
from modular.source.loading import load


SETTINGS = "pyproject.toml"
_CONFIGURATION = frozenset({SETTINGS, "ruff.toml", ".ruff.toml"})
"""Names of files that change how everything is converted."""

Publish = Callable[[str, list[lsp.Diagnostic], int | None], None]
"""Called with an address, all diagnostics of the file, and the version of the text that they are about."""


class Projects:
    """The projects and files that are open; ``worker`` is given what has time.

    ``diagnoses_all`` says whether files that are not open get diagnostics as well: those that an edit has caused.
    """

    def __init__(self, publish: Publish, worker: Worker) -> None:
        self.diagnoses_all = False
        self._publish = publish
        self._worker = worker
        self._folders: list[Path] = []
        self._workspaces: dict[Path, Workspace] = {}
        self._roots: dict[Path, Path] = {}
        self._open: dict[Path, lsp.TextDocumentItem] = {}
        self._told: dict[str, list[lsp.Diagnostic]] = {}
        self._coordinates = Coordinates(PositionCodec(), self._open)

    def start(self, codec: PositionCodec, folders: Iterable[str]) -> None:
        """Take the codec of the units in which the editor counts columns, and the addresses of its folders."""
        self._coordinates = Coordinates(codec, self._open)
        self.set_folders(folders)

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is read."""
        self._folders = [Path(folder).resolve() for uri in uris if (folder := local_file(uri)) is not None]

    def file(self, uri: str) -> ProjectFile | None:
        """Return the file with an address; None if it is in no project, or must not be read."""
        file = local_file(uri)
        if file is None or not self._is_inside(file):
            return None
        root = self._roots.get(file.parent) or self._roots.setdefault(file.parent, find_root(file.parent))
        if root not in self._workspaces and not self._enter(root):
            return None
        workspace = self._workspaces[root]
        path = path_in(workspace.project, uri)
        return None if path is None else ProjectFile(workspace, path, self._coordinates)

    def roots(self) -> list[ProjectFile]:
        """Return the settings file of each project of which a file was opened."""
        return [ProjectFile(workspace, SETTINGS, self._coordinates) for workspace in self._workspaces.values()]

    def _is_inside(self, file: Path) -> bool:
        """Whether a file is in an open folder, or no folder is open."""
        return not self._folders or any(file.is_relative_to(folder) for folder in self._folders)

    def _enter(self, root: Path) -> bool:
        """Open a project; return whether that was possible, and tell what is wrong with its settings."""
        try:
            workspace = Workspace(root, lambda path: self._tell(workspace, path))
        except SettingsError as error:
            self._tell_settings(root, error)
            return False
        self._tell_settings(root, None)
        self._workspaces[root] = workspace
        for file, document in self._open.items():
            if file.is_relative_to(root) and (path := path_in(workspace.project, document.uri)) is not None:
                workspace.set_text(path, document.text)
        self._worker.do(workspace.read_index(), Urgency.LATER, f"index of {root}")
        return True

    def _tell_settings(self, root: Path, error: SettingsError | None) -> None:
        """Tell in a project's settings what is wrong with them."""
        file = root / SETTINGS
        text = self._open[file].text if file in self._open else load(file, SETTINGS).text
        self._send(file, diagnostics.of_settings(text, error))

    def _tell(self, workspace: Workspace, path: str) -> None:
        """Send the diagnostics of a file."""
        file = ProjectFile(workspace, path, self._coordinates)
        self._send(workspace.project.root / path, diagnostics.of_file(file))

    def _send(self, file: Path, sent: list[lsp.Diagnostic]) -> None:
        """Send the diagnostics of a file, unless it is not open and the editor has these."""
        document = self._open.get(file)
        uri = file.as_uri() if document is None else document.uri
        if document is not None or sent != self._told.get(uri, []):
            self._told[uri] = sent
            self._publish(uri, sent, None if document is None else document.version)

    def take(self, document: lsp.TextDocumentItem) -> None:
        """Take the text of an open file, and queue its diagnostics."""
        file = local_file(document.uri)
        if file is None or not self._is_inside(file):
            return
        self._open[file] = document
        project_file = self.file(document.uri)
        if file.name == SETTINGS:
            self._worker.do(self._check_settings(file, document.text), Urgency.SOON, document.uri)
        elif project_file is not None:
            project_file.workspace.set_text(project_file.path, document.text)
            self._worker.do(self._diagnose(project_file), Urgency.SOON, document.uri)

    def _check_settings(self, file: Path, text: str) -> Steps:
        self._tell_settings(file.parent, diagnostics.settings_error(text))
        yield

    def _diagnose(self, file: ProjectFile) -> Steps:
        if file.is_modular:
            yield from file.workspace.diagnose(file.path)
        else:
            self._tell(file.workspace, file.path)

    def update_parents(self, uri: str) -> None:
        """Queue the conversion of what generates the parents of a file that was opened."""
        if (file := self.file(uri)) is not None and file.is_modular:
            self._worker.do(file.workspace.update_parents(file.path), Urgency.LATER, f"parents of {uri}")

    def update_dependents(self, uri: str) -> None:
        """Queue the conversion of what depends on a file, which nobody has typed in for a moment."""
        if (file := self.file(uri)) is not None:
            steps = file.workspace.update_dependents(file.path, self.diagnoses_all)
            self._worker.do(steps, Urgency.LATER, f"dependents of {uri}")

    def close(self, uri: str) -> None:
        """Forget the text of an open file: the one on disk counts."""
        project_file = self.file(uri)
        file = local_file(uri)
        if file is None or self._open.pop(file, None) is None:
            return
        if project_file is not None:
            project_file.workspace.set_text(project_file.path, None)
        self._told[uri] = []
        self._publish(uri, [], None)

    def read_from_disk(self, uris: Iterable[str]) -> None:
        """Take files that have come, gone or changed, and queue all that this changes."""
        touched: dict[Path, Workspace] = {}
        for uri in uris:
            file = local_file(uri)
            if file is None or not self._is_inside(file):
                continue
            if file.name in _CONFIGURATION:
                self._reopen(file.parent)
                files = filter(None, (self.file(document.uri) for document in self._open.values()))
                touched.update((opened.workspace.project.root, opened.workspace) for opened in files)
            for root, workspace in self._workspaces.items():
                if file.is_relative_to(root):
                    touched[root] = workspace
                    self._read_file(workspace, uri, file)
        for workspace in touched.values():
            self._diagnose_again(workspace)

    def _read_file(self, workspace: Workspace, uri: str, file: Path) -> None:
        path = path_in(workspace.project, uri)
        if path is None or file.suffix != ".py":
            return
        came_or_went = (path in workspace.project.modular_files) != file.is_file()
        if path in workspace.project.name_files or (workspace.is_modular(path) and came_or_went):
            self._reopen(workspace.project.root)
        if file not in self._open:
            workspace.read_from_disk(path)
            if not file.is_file():
                self._send(file, [])

    def _reopen(self, folder: Path) -> None:
        """Read the settings of the projects around or below a folder again. Wrong ones leave the old ones in force."""
        self._roots.clear()
        for root, workspace in self._workspaces.items():
            if folder.is_relative_to(root) or root.is_relative_to(folder):
                try:
                    workspace.reopen()
                    self._tell_settings(root, None)
                except SettingsError as error:
                    self._tell_settings(root, error)

    def _diagnose_again(self, workspace: Workspace) -> None:
        """Queue new diagnostics of the open files of a project, and of those that were sent some."""
        root = workspace.project.root
        told = [file for uri, sent in self._told.items() if sent and (file := local_file(uri)) is not None]
        for file in dict.fromkeys([*self._open, *told]):
            uri = self._open[file].uri if file in self._open else file.as_uri()
            path = path_in(workspace.project, uri) if file.is_relative_to(root) else None
            if path is not None and file.suffix == ".py" and (file in self._open or file.is_file()):
                steps = self._diagnose(ProjectFile(workspace, path, self._coordinates))
                self._worker.do(steps, Urgency.SOON, uri)
                self.update_parents(uri)
        self._worker.do(workspace.read_index(), Urgency.LATER, f"index of {root}")
