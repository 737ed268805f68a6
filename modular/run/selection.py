"""Selects the modular files of a run by targets."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from modular.project import file_types
from modular.project.naming import MODULAR
from modular.project.project import Project, model_name
from modular.settings.settings import has_table
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean


_MODULAR_NAME_HINT = f"modular files are called `{MODULAR}<model>.py`"
_OTHER_MODEL_HINT = "name a modular file, or a model that has one"


@dataclass(frozen=True, slots=True)
class Selection:
    """The modular files that targets select.

    Attributes:
        modulars: Paths of the modular files relative to the root, sorted.
        problems: Diagnostics of the targets that select nothing.
        unaffected_models: Number of selected models that were dropped because no
            changed file affects them.
    """

    modulars: tuple[str, ...]
    problems: tuple[Diagnostic, ...]
    unaffected_models: int = 0

    def only(self, modulars: Iterable[str]) -> "Selection":
        """Return the selection without the modular files that a change does not affect.

        Args:
            modulars: The affected modular files. Those that are not selected are ignored.
        """
        affected = tuple(sorted(set(self.modulars).intersection(modulars)))
        unaffected_models = len(self.modulars) - len(affected)
        return replace(self, modulars=affected, unaffected_models=unaffected_models)


def select(project: Project, targets: Sequence[str]) -> Selection:
    """Return the modular files that targets select.

    Args:
        project: The project.
        targets: Names of models, modular files or folders, relative to the current
            folder; none selects the whole project.
    """
    if not targets:
        has_models = bool(project.modular_files) or _has_model_file(project)
        problems = () if has_models else (nothing_found(project),)
        return Selection(project.modular_files, problems)

    modulars: set[str] = set()
    problems_of_targets = []
    for target in targets:
        resolved = _resolve_target(project, target)
        if isinstance(resolved, Diagnostic):
            problems_of_targets.append(resolved)
        else:
            modulars.update(resolved)
    return Selection(tuple(sorted(modulars)), tuple(problems_of_targets))


def _has_model_file(project: Project) -> bool:
    """Return whether the project has a model file, which may be hand-written."""
    for path in project.files_of_models():
        if file_types.is_model_file(PurePosixPath(path).stem, project.settings):
            return True
    return False


def as_targets(targets: str | Sequence[str]) -> Sequence[str]:
    """Return targets as a sequence; a string is one target."""
    if isinstance(targets, str):
        return (targets,)
    return targets


def nothing_found(project: Project) -> Diagnostic:
    """Return the diagnostic of a project without modular files."""
    folders = " or ".join(f"`{folder}`" for folder in project.settings.models)
    if has_table(project.root):
        hint = "correct the setting `models` in `pyproject.toml`"
    else:
        hint = (
            "go to the folder of your project, or pass `--root`; to set up a new "
            "project, run `modular init`"
        )
    return Diagnostic(
        code=Problem.NOTHING_FOUND,
        place=Place("."),
        message=f"no modular file below {folders} of {project.root}: nothing to do",
        hint=hint,
    )


def _resolve_target(project: Project, target: str) -> Sequence[str] | Diagnostic:
    """Return the modular files that a target selects, or why it selects none.

    A target is the name of a model, a modular file, or a folder with modular files.
    """
    files_of_model = [
        path for path in project.modular_files if model_name(path) == target
    ]
    if files_of_model:
        return files_of_model
    if not os.path.exists(target):
        # A new file of an editor is not on disk yet.
        unsaved_path = relative_to_root(project, target)
        if unsaved_path in project.modular_files:
            return [unsaved_path]
        return _describe_unknown(project, target)
    # Links can give a file or folder several paths.
    paths = _paths_from_root(project, target)
    if not paths:
        return outside_root(project, target)
    if Path(target).is_file():
        return _resolve_file(project, target, paths)
    return _resolve_folder(project, target, paths)


def _resolve_file(
    project: Project, target: str, paths: Sequence[str]
) -> Sequence[str] | Diagnostic:
    """Return the modular file that a target names, or why the file is not modular.

    Args:
        project: The project.
        target: The target, an existing file.
        paths: The paths of the file relative to the root.
    """
    for path in paths:
        if path in project.modular_files:
            return [path]
    # A modular file that is in none of the models folders is selected, too.
    path = paths[0]
    if PurePosixPath(path).name.startswith(MODULAR):
        return [path]
    return _describe_other_file(project, target, path)


def _resolve_folder(
    project: Project, target: str, paths: Sequence[str]
) -> Sequence[str] | Diagnostic:
    """Return the modular files in a folder, or why there are none.

    Args:
        project: The project.
        target: The target, an existing folder.
        paths: The paths of the folder relative to the root. The modular files of the
            project begin with one of them.
    """
    for path in paths:
        is_root = path == "."
        prefix = "" if is_root else f"{path}/"
        modulars_in_folder = [
            modular for modular in project.modular_files if modular.startswith(prefix)
        ]
        if modulars_in_folder:
            return modulars_in_folder
    return _describe_empty_folder(project, target, Path(target))


def outside_root(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target outside the project."""
    return Diagnostic(
        code=Problem.OUTSIDE_ROOT,
        place=Place(target),
        message="the target is outside the project's root",
        hint=f"name a file below {project.root}, or pass `--root`",
    )


def unknown_target(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is neither a model nor a path."""
    name = Path(target).stem.removeprefix(MODULAR)
    suggestion = did_you_mean(name, project.model_names)
    return Diagnostic(
        code=Problem.NOT_FOUND,
        place=Place(target),
        message="no such model, file or folder",
        hint=suggestion or "check the name and the folder",
    )


def relative_to_root(project: Project, path: str) -> str | None:
    """Return a path relative to the root, or None if it is outside.

    Links below the root stay in the path, as the user has written it.

    Args:
        project: The project.
        path: A path relative to the current folder.
    """
    paths = _paths_from_root(project, path)
    return paths[0] if paths else None


def _paths_from_root(project: Project, path: str) -> list[str]:
    """Return the paths, relative to the root, of the file that a user's path names.

    For the root `/repo`, `/repo/models/a.py` gives `models/a.py`. With symbolic links,
    a file can have several paths. The path that the user has written comes first. The
    list is empty for a file outside of the root.
    """
    place = Path(os.path.abspath(path))
    paths = []
    # Some parent folder is the root or a link to it. If `/link` is a link to `/repo`,
    # `/link/models/a.py` gives `models/a.py`.
    for folder in (place, *place.parents):
        if folder.resolve() == project.root:
            paths.append(place.relative_to(folder).as_posix())

    # If `/repo/new` is a link to `/repo/models`, `/repo/new/a.py` gives `models/a.py`
    # here, and `new/a.py` above.
    real_place = place.resolve()
    if real_place.is_relative_to(project.root):
        paths.append(real_place.relative_to(project.root).as_posix())
    return list(dict.fromkeys(paths))


def _describe_unknown(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is neither a path nor a modular model.

    The target can still be the name of a model file, or of the folder of a model.
    """
    name = Path(target).stem
    if file_types.is_model_file(name, project.settings):
        for path in project.files_of_models():
            if PurePosixPath(path).stem == name:
                return _describe_other_file(project, target, path)
    for folder in project.models:
        if folder.name == target:
            return _describe_empty_folder(project, target, folder)
    return unknown_target(project, target)


def _describe_other_file(project: Project, target: str, path: str) -> Diagnostic:
    """Return the diagnostic of a target that names a file that is not modular.

    Args:
        project: The project.
        target: The target.
        path: Path of the file relative to the root.
    """
    modular = project.generating_modular(path)
    if modular is not None:
        message = f"`{path}` is generated from `{modular}`"
        hint = f"name that file, or `{model_name(modular)}`"
    elif file_types.is_model_file(PurePosixPath(path).stem, project.settings):
        message = f"`{path}` is hand-written: no modular file generates it"
        hint = _OTHER_MODEL_HINT
    else:
        message = f"no `{MODULAR}` in the name"
        hint = _MODULAR_NAME_HINT
    return Diagnostic(Problem.NOT_A_MODULAR_FILE, Place(target), message, hint)


def _describe_empty_folder(project: Project, target: str, folder: Path) -> Diagnostic:
    """Return the diagnostic of a folder without a modular file."""
    message = "no modular file in this folder"
    hint = _MODULAR_NAME_HINT
    for file in sorted(folder.glob("*.py")):
        if file_types.is_model_file(file.stem, project.settings):
            message = (
                f"`{folder.name}` is hand-written: it has `{file.name}`, "
                "and no modular file"
            )
            hint = _OTHER_MODEL_HINT
            break
    return Diagnostic(Problem.NOT_FOUND, Place(target), message, hint)
