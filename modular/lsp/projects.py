"""The projects of a session, the diagnostics that the editor is sent, and the work that is done while it asks nothing."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument

from modular.lsp import diagnostics
from modular.lsp.project_file import ProjectFile
from modular.lsp.workspace import Steps, Workspace
from modular.project.opening import find_root
from modular.settings.settings import SettingsError
from modular.source.loading import load


_LOG = logging.getLogger(__name__)
_SETTINGS = "pyproject.toml"
_CONFIGURATION = frozenset({_SETTINGS, "ruff.toml", ".ruff.toml"})
"""Names of files that change how everything is converted."""

_BREATH = 0.005
"""Seconds between two steps: enough to read what the editor has sent meanwhile."""

_PAUSE = 0.3
"""Seconds without a key stroke after which what depends on a file is updated."""


class Projects:
    """The projects and files that are open.

    ``diagnoses_all`` says whether files that are not open get diagnostics as well: those that an edit has caused;
    ``converts_on_save`` whether a modular file is converted when it is saved.
    """

    def __init__(self, publish: Callable[[lsp.PublishDiagnosticsParams], None]) -> None:
        self.diagnoses_all = False
        self.converts_on_save = False
        self.codec = PositionCodec()
        self._publish = publish
        self._folders: list[Path] = []
        self._workspaces: dict[Path, Workspace] = {}
        self._roots: dict[Path, Path] = {}
        self._open: dict[Path, TextDocument] = {}
        self._told: dict[Path, list[lsp.Diagnostic]] = {}
        self._work: dict[str, tuple[float, Steps]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is read."""
        self._folders = [
            folder.resolve() for uri in uris if (folder := _local_file(uri)) is not None
        ]

    def file(self, uri: str) -> ProjectFile | None:
        """Return the file with an address; None if it is in no project, or must not be read."""
        file = self._inside(uri)
        return None if file is None else self._project_file(file)

    def roots(self) -> list[ProjectFile]:
        """Return the settings file of each project of which a file was opened."""
        return [
            ProjectFile(workspace, _SETTINGS, self.codec, self._open)
            for workspace in self._workspaces.values()
        ]

    def _inside(self, uri: str) -> Path | None:
        """The path that an address names, if it is in an open folder, or no folder is open."""
        file = _local_file(uri)
        if file is None or (
            self._folders
            and not any(file.is_relative_to(folder) for folder in self._folders)
        ):
            return None
        return file

    def _project_file(self, file: Path) -> ProjectFile | None:
        root = self._roots.get(file.parent) or self._roots.setdefault(
            file.parent, find_root(file.parent)
        )
        if root not in self._workspaces:
            self._enter(root)
        workspace = self._workspaces.get(root)
        path = file.relative_to(root).as_posix()
        if workspace is None or workspace.project.points_outside_root(path):
            return None
        return ProjectFile(workspace, path, self.codec, self._open)

    def _enter(self, root: Path) -> None:
        """Open a project, or open it again: wrong settings leave the old ones in force. Tell what is wrong with them."""
        try:
            workspace = Workspace(root, lambda path: self._tell(workspace, path))
        except SettingsError as error:
            self._tell_settings(root, error)
            return
        self._tell_settings(root, None)
        self._workspaces[root] = workspace
        for file, document in self._open.items():
            if (
                file.is_relative_to(root)
                and (project_file := self._project_file(file)) is not None
            ):
                project_file.workspace.set_text(project_file.path, document.source)
        self.do(workspace.read_index(), f"index of {root}", _PAUSE)

    def _tell_settings(self, root: Path, error: SettingsError | None) -> None:
        """Tell in a project's settings what is wrong with them."""
        file = root / _SETTINGS
        text = (
            self._open[file].source
            if file in self._open
            else load(file, _SETTINGS).text
        )
        self._send(file, diagnostics.of_settings(text, error))

    def _tell(self, workspace: Workspace, path: str) -> None:
        """Send the diagnostics of a file."""
        file = ProjectFile(workspace, path, self.codec, self._open)
        self._send(workspace.project.root / path, diagnostics.of_file(file))

    def _send(self, file: Path, sent: list[lsp.Diagnostic]) -> None:
        """Send the diagnostics of a file, unless it is not open and the editor has these."""
        document = self._open.get(file)
        if document is not None:
            self._publish(
                lsp.PublishDiagnosticsParams(document.uri, sent, document.version)
            )
        elif sent != self._told.get(file, []):
            self._publish(lsp.PublishDiagnosticsParams(file.as_uri(), sent))
        self._told[file] = sent

    def take(self, document: TextDocument) -> None:
        """Take the text of an open file, and queue its diagnostics."""
        file = self._inside(document.uri)
        if file is None:
            return
        self._open[file] = document
        project_file = self._project_file(file)
        if file.name == _SETTINGS:
            self._tell_settings(
                file.parent, diagnostics.settings_error(document.source)
            )
        elif project_file is not None:
            project_file.workspace.set_text(project_file.path, document.source)
            self._diagnose(project_file)

    def _diagnose(self, file: ProjectFile) -> None:
        """Queue the diagnostics of a file."""
        if file.is_modular:
            self.do(file.workspace.diagnose(file.path), f"diagnostics of {file.uri}")
        else:
            self._tell(file.workspace, file.path)

    def update_parents(self, uri: str) -> None:
        """Queue the conversion of what generates the parents of a file that was opened."""
        if (file := self.file(uri)) is not None and file.is_modular:
            self.do(
                file.workspace.update_parents(file.path), f"parents of {uri}", _BREATH
            )

    def update_dependents(self, uri: str) -> None:
        """Queue the conversion of what depends on a file, for when nobody has typed in it for a moment."""
        if (file := self.file(uri)) is not None:
            steps = file.workspace.update_dependents(file.path, self.diagnoses_all)
            self.do(steps, f"dependents of {uri}", _PAUSE)

    def do(self, steps: Steps, key: str, delay: float = 0.0) -> None:
        """Queue work in steps, which begins after some seconds. It replaces the unfinished work with the same key."""
        self._work[key] = (asyncio.get_running_loop().time() + delay, steps)
        self._set_timer()

    def _set_timer(self, earliest: float = 0.0) -> None:
        """Do the next step when it is due: one alone, so that what the editor asks meanwhile waits for no other."""
        if self._timer is not None:
            self._timer.cancel()
        due = min((due for due, _ in self._work.values()), default=None)
        loop = asyncio.get_running_loop()
        self._timer = (
            None if due is None else loop.call_at(max(due, earliest), self._step)
        )

    def _step(self) -> None:
        loop = asyncio.get_running_loop()
        key = min(self._work, key=lambda key: self._work[key][0])
        _, steps = self._work.pop(key)
        try:
            next(steps)
            self._work.setdefault(key, (loop.time() + _BREATH, steps))
        except StopIteration:
            pass
        except Exception:
            _LOG.exception("background work failed")
        self._set_timer(loop.time() + _BREATH)

    def close(self, uri: str) -> None:
        """Forget the text of an open file: the one on disk counts."""
        project_file = self.file(uri)
        file = _local_file(uri)
        if file is None or self._open.pop(file, None) is None:
            return
        if project_file is not None:
            project_file.workspace.set_text(project_file.path, None)
        self._told[file] = []
        self._publish(lsp.PublishDiagnosticsParams(uri, []))

    def read_from_disk(self, uris: Iterable[str]) -> None:
        """Take files that have come, gone or changed, and queue all that this changes."""
        files = [file for uri in uris if (file := self._inside(uri)) is not None]
        for root, workspace in list(self._workspaces.items()):
            if any(_changes_project(workspace, file) for file in files):
                self._roots.clear()
                self._work.clear()
                self._set_timer()
                self._enter(root)
        for file in files:
            for root, workspace in self._workspaces.items():
                if (
                    file.suffix == ".py"
                    and file.is_relative_to(root)
                    and file not in self._open
                ):
                    workspace.read_from_disk(file.relative_to(root).as_posix())
            if not file.is_file():
                self._send(file, [])
        told = [file for file, sent in self._told.items() if sent and file.is_file()]
        for file in dict.fromkeys([*self._open, *told]):
            if (
                file.suffix == ".py"
                and (project_file := self._project_file(file)) is not None
            ):
                self._diagnose(project_file)
                self.update_parents(project_file.uri)


def _local_file(uri: str) -> Path | None:
    """Return the absolute path that an address names, links of its folder followed; None unless it is a file on this machine."""
    path = to_fs_path(uri)
    if (
        path is None
        or not os.path.isabs(path)
        or path[:2] in ("//", r"\\")
        or "\0" in path
    ):
        return None
    folder, name = os.path.split(os.path.normpath(path))
    return Path(os.path.realpath(folder)) / name


def _changes_project(workspace: Workspace, file: Path) -> bool:
    """Whether a file that has come, gone or changed decides which models there are, or how all are converted."""
    project = workspace.project
    if file.name in _CONFIGURATION:
        return project.root.is_relative_to(file.parent) or file.is_relative_to(
            project.root
        )
    if not file.is_relative_to(project.root):
        return False
    path = file.relative_to(project.root).as_posix()
    came_or_went = (path in project.modular_files) != file.is_file()
    return path in project.name_files or (workspace.is_modular(path) and came_or_went)
