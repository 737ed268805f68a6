"""Finds the flat files that the targets of `modular infer` name."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from modular.infer.index import is_parent_file
from modular.project.naming import MODULAR
from modular.project.project import Project, join_path
from modular.run.selection import outside_root, relative_to_root, unknown_target
from modular.source.diagnostics import Diagnostic, Place, Problem


@dataclass
class InferTarget:
    """A model whose modular file is to be inferred.

    Attributes:
        model: The name of the model.
        folder: The folder of the modular file, relative to the root.
        paths: The flat files, relative to the root. A single file whose name is not
            that of a model file is a research file.
    """

    model: str
    folder: str
    paths: list[str] = field(default_factory=list)

    @property
    def modular(self) -> str:
        """The path of the modular file, relative to the root."""
        return str(PurePosixPath(self.folder) / f"{MODULAR}{self.model}.py")


def find_targets(
    project: Project, targets: Sequence[str]
) -> tuple[list[InferTarget], list[Diagnostic]]:
    """Return the models that a user names, sorted by path, and a problem of each bad name.

    Args:
        project: The project.
        targets: Names of models, folders or complete model files. A folder can contain the
            folders of many models.
    """
    paths: list[str] = []
    problems = []
    for target in targets:
        paths_or_problem = resolve_target(project, target)
        if not isinstance(paths_or_problem, Diagnostic):
            paths += paths_or_problem
            continue
        # It may still be a folder that contains the folders of models.
        paths_below = _flat_files_below(project, target)
        paths += paths_below
        if not paths_below:
            problems.append(paths_or_problem)

    return _group_by_model(project, paths), problems


def _group_by_model(project: Project, paths: Iterable[str]) -> list[InferTarget]:
    """Return the models to which model files belong, each with its files."""
    targets: dict[tuple[str, str], InferTarget] = {}
    for path in dict.fromkeys(paths):
        folder = str(PurePosixPath(path).parent)
        model = model_of(project, path)
        if model is None:
            # A file with all code of a model has any name. For `My-Idea.py`, the model is
            # called `my_idea`.
            stem = PurePosixPath(path).stem
            model = re.sub(r"\W+", "_", stem).strip("_").lower() or "model"
        target = targets.setdefault((folder, model), InferTarget(model, folder))
        target.paths.append(path)
    return [targets[key] for key in sorted(targets)]


def model_of(project: Project, path: str) -> str | None:
    """Return the model that a file is named after, or None if it is not a model file."""
    file_name = project.settings.file_names.parse(PurePosixPath(path).stem)
    if file_name is None or not path.endswith(".py"):
        return None
    return file_name.model


def resolve_target(project: Project, target: str) -> list[str] | Diagnostic:
    """Return the complete model files that a user names, relative to the root.

    Args:
        project: The project.
        target: The name of a model, its folder, or one of its files.

    Returns:
        The paths, or a diagnostic if the target has no such files.
    """
    # A model's name comes first, even if a file of that name exists.
    folder = _folder_of_model(project, target)
    if folder is not None:
        return _flat_files_at(project, folder, target)
    if Path(target).exists():
        path = relative_to_root(project, target)
        if path is None:
            return outside_root(project, target)
        return _flat_files_at(project, path, target)
    return _files_in_shared_folder(project, target) or unknown_target(project, target)


def _flat_files_at(project: Project, path: str, target: str) -> list[str] | Diagnostic:
    """Return the complete model files of a folder, or the file itself if it is one.

    Args:
        project: The project.
        path: The path of the folder or file, relative to the root.
        target: The same as the user wrote it.

    Returns:
        The paths, or a diagnostic if there are no such files.
    """
    if (project.root / path).is_dir():
        return _flat_files_in(project, path) or Diagnostic(
            Problem.NOT_FOUND,
            Place(target),
            message="no flat model files in this folder",
            hint="check the name and the folder",
        )
    if path.endswith(".py") and not PurePosixPath(path).name.startswith(MODULAR):
        return [path]
    return Diagnostic(
        Problem.NOT_FOUND,
        Place(path),
        message="not a flat Python file",
        hint="name a file with the classes of a model, its folder, or the model",
    )


def _files_in_shared_folder(project: Project, model: str) -> list[str]:
    """Return the files of a model by its name if all models share a folder.

    For `olmo`, these are `models/modeling_olmo.py` and `models/configuration_olmo.py`. The
    result is empty if each model has a folder of its own.
    """
    if project.settings.file_names.has_model_folders:
        return []
    return [
        path for path in project.files_of_models() if model_of(project, path) == model
    ]


def _folder_of_model(project: Project, target: str) -> str | None:
    """Return the folder of a model that is given by its name; None if no folder has it."""
    is_path = "/" in target or target.startswith(".")
    if is_path:
        return None
    for models in (*project.models_folders, project.settings.output):
        folder = f"{models}/{target}"
        if models and (project.root / folder).is_dir():
            return folder
    return None


def _flat_files_in(project: Project, folder: str) -> list[str]:
    """Return the model files in a folder: those of the model with its name, or else all."""
    folder_name = PurePosixPath(folder).name
    all_model_files = []
    files_of_folder_name = []
    for file in sorted((project.root / folder).glob("*.py")):
        model = model_of(project, file.name)
        path = join_path(folder, file.name)
        if model is not None and is_parent_file(project, path):
            all_model_files.append(path)
            if model == folder_name:
                files_of_folder_name.append(path)
    return files_of_folder_name or all_model_files


def _flat_files_below(project: Project, target: str) -> list[str]:
    """Return the complete model files in all folders below a folder.

    Files of models that have a modular file already are left out.
    """
    folder = relative_to_root(project, target)
    flat_files = []
    for path in project.files_of_models():
        model = model_of(project, path)
        is_below = path.startswith(f"{folder}/") and project.is_in_models_folder(path)
        if model is None or not is_below or not is_parent_file(project, path):
            continue
        modular = InferTarget(model, str(PurePosixPath(path).parent)).modular
        has_modular_file = (project.root / modular).exists()
        if not has_modular_file:
            flat_files.append(path)
    return flat_files
