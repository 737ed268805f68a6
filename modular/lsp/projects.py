"""Holds the open projects, sends diagnostics and runs work in the background."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types as lsp
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument

from modular.lsp import diagnostics
from modular.lsp.project_file import ProjectFile
from modular.lsp.workspace import Steps, Workspace
from modular.project.opening import find_root
from modular.settings.settings import SETTINGS_FILE, SettingsError
from modular.source.loading import load


_LOG = logging.getLogger(__name__)
_CONFIGURATION_FILES = frozenset({SETTINGS_FILE, "ruff.toml", ".ruff.toml"})
"""Names of files that change how all models are converted."""

_STEP_PAUSE_S = 0.005
"""Seconds between two steps, in which the messages of the editor are read."""

TYPING_PAUSE_S = 0.3
"""Seconds without typing after which the files that depend on a text are updated."""


class _Task(NamedTuple):
    """Work in the background and the time of its next step, in seconds of the loop."""

    due: float
    steps: Steps


class Projects:
    """The projects and files that are open in the editor.

    Attributes:
        converts_on_save: Whether a modular file is converted when it is saved.
        codec: Counts the columns of characters as the editor does.
    """

    def __init__(
        self,
        publish: Callable[[lsp.PublishDiagnosticsParams], None],
    ) -> None:
        """Create an empty set of projects.

        Args:
            publish: Sends diagnostics to the editor.
        """
        self.converts_on_save = False
        self.codec = PositionCodec()
        self._publish = publish
        # The folders that are open in the editor.
        self._folders: list[Path] = []
        # The open projects by their root, and the root for each folder with a file.
        self._workspaces: dict[Path, Workspace] = {}
        self._root_of_folder: dict[Path, Path] = {}
        # For each file: the text in the editor, and the diagnostics that it shows.
        self._documents: dict[Path, TextDocument] = {}
        self._sent_diagnostics: dict[Path, list[lsp.Diagnostic]] = {}
        # The work in the background by its name, and the timer for its next step.
        self._tasks: dict[str, _Task] = {}
        self._timer: asyncio.TimerHandle | None = None

    def set_folders(self, uris: Iterable[str]) -> None:
        """Replace the folders that are open in the editor.

        Requests about files outside these folders are not answered. If no folder is
        open, requests about all files are answered.
        """
        self._folders = []
        for uri in uris:
            folder = _local_file(uri)
            if folder is not None:
                self._folders.append(folder.resolve())

    def file(self, uri: str) -> ProjectFile | None:
        """Return the file with a URI; None if it is in no open folder and project."""
        file = self._path_in_folders(uri)
        return None if file is None else self._project_file(file)

    def set_document(self, document: TextDocument) -> None:
        """Take the new text of a file from the editor, and send its diagnostics.

        A modular file is converted in the background first.
        """
        file = self._path_in_folders(document.uri)
        if file is None:
            return

        self._documents[file] = document
        project_file = self._project_file(file)
        if file.name == SETTINGS_FILE:
            self._send_settings_diagnostics(file.parent)
        elif project_file is not None:
            project_file.workspace.set_text(project_file.path, document.source)
            self._diagnose(project_file)

    def close(self, uri: str) -> None:
        """Forget the text of a file that was closed, and clear its diagnostics."""
        file = _local_file(uri)
        if file is None or file not in self._documents:
            return
        del self._documents[file]
        project_file = self.file(uri)
        if project_file is not None:
            project_file.workspace.set_text(project_file.path, None)
        self._sent_diagnostics[file] = []
        self._publish(lsp.PublishDiagnosticsParams(uri, []))

    def read_from_disk(self, uris: Iterable[str]) -> None:
        """Read files that changed on disk, and schedule diagnostics of affected files.

        Args:
            uris: URIs of the files that were created, changed or deleted.
        """
        files = []
        for uri in uris:
            file = self._path_in_folders(uri)
            if file is not None:
                files.append(file)

        # This comes first, because the files are read into the new workspaces.
        self._reopen_projects(files)
        for file in files:
            # The text of an open file is the editor's.
            is_open = file in self._documents
            if file.suffix == ".py" and not is_open:
                self._read_closed_file(file)
            is_deleted = not file.is_file()
            if is_deleted:
                # Clear its diagnostics.
                self._send(file, [])
        self._diagnose_again()

    def _reopen_projects(self, files: Sequence[Path]) -> None:
        """Open each project again whose settings or list of models may have changed.

        Args:
            files: The files that changed on disk.
        """
        # A project that is opened again replaces its workspace, so the loop uses a copy.
        for root, workspace in list(self._workspaces.items()):
            if any(_must_reopen(workspace, file) for file in files):
                # Background work refers to the old project, and folders may belong to
                # other projects now.
                self._root_of_folder.clear()
                self._tasks.clear()
                self._set_timer()
                self._open_project(root)

    def update_open_files(self, uri: str, delay_s: float = _STEP_PAUSE_S) -> None:
        """Schedule the diagnostics of open files that depend on a file.

        Args:
            uri: URI of the file, which was opened, edited or closed.
            delay_s: Seconds until the first step.
        """
        file = self.file(uri)
        if file is not None:
            self._update_open_files(file.workspace, delay_s)

    def _update_open_files(self, workspace: Workspace, delay_s: float) -> None:
        """Schedule the diagnostics of the open files of a project."""
        key = f"open files of {workspace.project.root}"
        self.schedule(workspace.update_open_files(), key, delay_s)

    def schedule(self, steps: Steps, key: str, delay_s: float = 0.0) -> None:
        """Schedule work in the background, one step at a time.

        Args:
            steps: The work. The server can answer the editor between two steps.
            key: A name of the work. Unfinished work of the same name is dropped.
            delay_s: Seconds until the first step.
        """
        due = asyncio.get_running_loop().time() + delay_s
        self._tasks[key] = _Task(due, steps)
        self._set_timer()

    def _set_timer(self, earliest: float = 0.0) -> None:
        """Set the timer for the next step of the work that is due first.

        Args:
            earliest: The time of the event loop, in seconds, before which no step runs.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._tasks:
            due = min(task.due for task in self._tasks.values())
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(due, earliest), self._run_step)

    def _run_step(self) -> None:
        """Run one step of the background task that is due first.

        If the step fails, only this task ends.
        """
        loop = asyncio.get_running_loop()
        key = min(self._tasks, key=lambda key: self._tasks[key].due)
        steps = self._tasks.pop(key).steps
        try:
            next(steps)
        except StopIteration:
            pass
        except Exception:
            _LOG.exception("background work failed")
        else:
            # The step may have scheduled newer work with the same key.
            self._tasks.setdefault(key, _Task(loop.time() + _STEP_PAUSE_S, steps))
        # The pause lets the loop answer the editor before the next step of any task.
        self._set_timer(loop.time() + _STEP_PAUSE_S)

    def _path_in_folders(self, uri: str) -> Path | None:
        """Return the path of a URI; None if it is outside the open folders."""
        file = _local_file(uri)
        if file is None or not self._folders:
            return file
        if any(file.is_relative_to(folder) for folder in self._folders):
            return file
        return None

    def _project_file(self, file: Path) -> ProjectFile | None:
        """Return a file with its project, which is opened if it is not open yet.

        Returns:
            The file, or None if its project cannot be opened, or if the file is a link
            to a place outside the project.
        """
        folder = file.parent
        if folder not in self._root_of_folder:
            self._root_of_folder[folder] = find_root(folder)
        root = self._root_of_folder[folder]
        if root not in self._workspaces:
            self._open_project(root)

        workspace = self._workspaces.get(root)
        path = file.relative_to(root).as_posix()
        if workspace is None or workspace.project.points_outside_root(path):
            return None
        return ProjectFile(workspace, path, self.codec, self._documents)

    def _open_project(self, root: Path) -> None:
        """Open a project, and read its modular files in the background.

        An error in its settings is sent to the editor. If the project was open before,
        the old settings then stay in force.
        """
        try:
            # The function uses `workspace` later, when it has its value.
            workspace = Workspace(
                root, lambda path: self._send_diagnostics(workspace, path)
            )
        except SettingsError as error:
            self._send_settings_diagnostics(root, error)
            return
        self._send_settings_diagnostics(root)
        self._workspaces[root] = workspace

        # The new project does not have the texts of open files yet.
        for file, document in self._documents.items():
            if file.is_relative_to(root):
                project_file = self._project_file(file)
                if project_file is not None:
                    project_file.workspace.set_text(project_file.path, document.source)

        self.schedule(workspace.read_index(), f"index of {root}", TYPING_PAUSE_S)

    def _read_closed_file(self, file: Path) -> None:
        """Read a file that is not open, in each project that contains it."""
        for root, workspace in self._workspaces.items():
            if file.is_relative_to(root):
                workspace.read_from_disk(file.relative_to(root).as_posix())

    def _diagnose_again(self) -> None:
        """Schedule new diagnostics of all files of which the editor may show old ones.

        These are the open files, and closed files for which diagnostics were sent.
        """
        files = list(self._documents)
        for file, sent_diagnostics in self._sent_diagnostics.items():
            is_closed = file not in self._documents
            if sent_diagnostics and is_closed and file.is_file():
                files.append(file)
        for file in files:
            if file.suffix != ".py":
                continue
            project_file = self._project_file(file)
            if project_file is not None:
                self._diagnose(project_file)
                self._update_open_files(project_file.workspace, _STEP_PAUSE_S)

    def _diagnose(self, file: ProjectFile) -> None:
        """Schedule the diagnostics of a modular file, or send those of any other file."""
        if file.is_modular:
            steps = file.workspace.diagnose(file.path)
            self.schedule(steps, f"diagnostics of {file.uri}")
        else:
            self._send_diagnostics(file.workspace, file.path)

    def _send_diagnostics(self, workspace: Workspace, path: str) -> None:
        """Send the diagnostics of a file."""
        file = ProjectFile(workspace, path, self.codec, self._documents)
        self._send(workspace.project.root / path, diagnostics.of_file(file))

    def _send_settings_diagnostics(
        self, root: Path, error: SettingsError | None = None
    ) -> None:
        """Send the diagnostics of the settings file of a project, which may be none.

        Args:
            root: Root folder of the project.
            error: Why the project cannot be opened, if it cannot.
        """
        file = root / SETTINGS_FILE
        if file in self._documents:
            text = self._documents[file].source
        else:
            text = load(file, SETTINGS_FILE).text
        self._send(file, diagnostics.of_settings(text, error))

    def _send(self, file: Path, file_diagnostics: list[lsp.Diagnostic]) -> None:
        """Send the diagnostics of a file to the editor.

        For a closed file, nothing is sent if the diagnostics are the same as before.
        """
        document = self._documents.get(file)
        if document is not None:
            self._publish(
                lsp.PublishDiagnosticsParams(
                    document.uri, file_diagnostics, document.version
                )
            )
        elif file_diagnostics != self._sent_diagnostics.get(file, []):
            self._publish(lsp.PublishDiagnosticsParams(file.as_uri(), file_diagnostics))
        self._sent_diagnostics[file] = file_diagnostics


def _local_file(uri: str) -> Path | None:
    """Return the absolute path of a URI; None if it names no file of this machine.

    Links to folders are followed, so that a file has one path. Links to files are not
    followed, because the name of the link tells whether the file is a modular file.
    """
    path = to_fs_path(uri)
    if path is None or not os.path.isabs(path) or "\0" in path:
        return None
    is_on_network = path.startswith(("//", r"\\"))
    if is_on_network:
        return None
    folder, name = os.path.split(os.path.normpath(path))
    return Path(os.path.realpath(folder)) / name


def _must_reopen(workspace: Workspace, file: Path) -> bool:
    """Return whether a project must be opened again because a file changed on disk.

    A project reads three things only when it is opened: its configuration, the tables
    of model names, and which modular files there are.
    """
    project = workspace.project
    is_below_root = file.is_relative_to(project.root)
    if file.name in _CONFIGURATION_FILES:
        # The configuration of a folder also counts in the folders below it.
        return is_below_root or project.root.is_relative_to(file.parent)
    if not is_below_root:
        return False

    path = file.relative_to(project.root).as_posix()
    if path in project.name_files:
        return True
    if not workspace.is_modular(path):
        return False
    existed_before = path in project.modular_files
    exists_now = file.is_file()
    return existed_before != exists_now
