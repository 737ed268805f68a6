"""Options that all runs share."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modular.git.repository import changed_since
from modular.project.opening import find_root, open_project
from modular.project.project import Project
from modular.run.selection import relative_to_root
from modular.system.errors import ModularError


Progress = Callable[[str, int, int], None]
"""A function that is called as a run goes on.

Its arguments are the name of the phase, such as `converting models`, the number of finished
items, and that of all items. The latter is 0 if it is not known.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run.

    Attributes:
        root: Root folder of the project. None: the project around the first target that
            is a path, or around the current folder.
        output: Output folder. None: as the settings say.
        jobs: Number of worker processes. None: one for each processor.
        cache: Whether results of earlier runs are used, and new results stored.
        store: Whether new results are stored in the cache. False for texts that are not
            going to be written.
        progress: Called when a phase begins, and after each model.
        source_library: Library that provides the parent models (package name or
            path). None: as the settings say.
        since: A commit. Only models that are affected by changes since then are
            converted, and only findings that it did not have are reported.
        affected_by: Files. Only models that they affect are converted.
        strict: Whether warnings count as errors.
        info: Whether findings of level info are reported.
        baseline: File of known findings, which are not reported.
        diffs: Whether the report has the diffs of files that `convert` writes.
        force: Whether generated files are replaced even if people wrote in them.
        require_added: Whether generated files that are not in git's index are reported.
        unsaved: Texts that are read instead of files on disk, by path: absolute, or
            relative to the root. A modular file among them need not exist on disk.
    """

    root: str | os.PathLike[str] | None = None
    output: str | None = None
    jobs: int | None = None
    cache: bool = True
    store: bool = True
    progress: Progress | None = None
    source_library: str | None = None
    since: str | None = None
    affected_by: Sequence[str] | None = None
    strict: bool = False
    info: bool = False
    baseline: str | os.PathLike[str] | None = None
    diffs: bool = False
    force: bool = False
    require_added: bool = False
    unsaved: Mapping[str, str] | None = None

    def project_arguments(self) -> list[str]:
        """Return the arguments by which another command works on the same files."""
        values = {
            "--root": self.root,
            "--output": self.output,
            "--source-library": self.source_library,
        }
        arguments = []
        for name, value in values.items():
            if value is not None:
                arguments += [name, str(value)]
        return arguments

    def open(self, targets: Sequence[str] = ()) -> Project:
        """Open the project.

        Args:
            targets: Targets of the run.

        Raises:
            modular.settings.settings.SettingsError: The settings are invalid.
            modular.system.errors.ModularError: An unsaved file is outside the root.
        """
        root = self.root
        if root is None:
            root = find_root(_start_folder(targets))
        project = open_project(root, self.output, self.source_library)
        if self.unsaved is None:
            return project

        texts = {}
        for path, text in self.unsaved.items():
            relative_path = relative_to_root(project, str(project.root / path))
            if relative_path is None:
                message = f"{path} is outside the project's root {project.root}"
                raise ModularError(message)
            texts[relative_path] = text
        return replace(project, unsaved=texts)

    def changed(self, project: Project) -> set[str] | None:
        """Return the changed files, if only models that they affect are converted.

        Returns:
            Paths relative to the root. None if the options do not limit the models.

        Raises:
            modular.git.repository.GitError: Git cannot say what changed.
        """
        if self.since is None and self.affected_by is None:
            return None
        changed = set()
        for path in self.affected_by or ():
            relative_path = relative_to_root(project, path)
            if relative_path is not None:
                changed.add(relative_path)
        if self.since is not None:
            changed.update(changed_since(project.root, self.since))
        return changed


def _start_folder(targets: Sequence[str]) -> Path:
    """Return the folder of the first target that is a path, or the current folder."""
    for target in targets:
        is_path = target.endswith(".py") or os.path.dirname(target)
        path = Path(os.path.abspath(target))
        if is_path and path.exists():
            return path if path.is_dir() else path.parent
    return Path.cwd()
