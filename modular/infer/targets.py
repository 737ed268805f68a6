"""What the targets of `modular infer` name: models with their flat files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.run.selection import relative_to_root
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean


_CHECK = "check the name and the folder"


@dataclass
class InferTarget:
    """A model, where its modular file goes, and the paths of its flat files; all relative to the root.

    One file of another name than model files have is research code.
    """

    model: str
    folder: str
    paths: list[str] = field(default_factory=list)

    @property
    def modular(self) -> str:
        """Where its modular file stands."""
        return str(PurePosixPath(self.folder) / f"{MODULAR}{self.model}.py")


def find_targets(project: Project, targets: Sequence[str]) -> tuple[list[InferTarget], list[Diagnostic]]:
    """Return the models that targets name, sorted by path, and what is wrong with the others."""
    found: dict[tuple[str, str], InferTarget] = {}
    problems = []
    for name in targets:
        paths = _paths(project, name)
        if isinstance(paths, Diagnostic):
            problems.append(paths)
            continue
        for path in paths:
            if not path.endswith(".py") or PurePosixPath(path).name.startswith(MODULAR):
                hint = "name a file with the classes of a model, its folder, or the model"
                problems.append(Diagnostic(Problem.NOT_FOUND, Place(path), "this is no flat Python file", hint))
                continue
            model = model_of(project, path) or _model_named_after(path)
            folder = str(PurePosixPath(path).parent)
            target = found.setdefault((folder, model), InferTarget(model, folder))
            if path not in target.paths:
                target.paths.append(path)
    return [found[key] for key in sorted(found)], problems


def model_of(project: Project, path: str) -> str | None:
    """The model that a flat file belongs to by its name; None if it is no model file."""
    stem = PurePosixPath(path).stem
    file_type = file_types.of_file(stem, project.settings)
    if file_type is None or not path.endswith(".py"):
        return None
    return stem.removeprefix(f"{file_type}_") or None


def _model_named_after(path: str) -> str:
    """The name of the model that a file of any name would be."""
    return re.sub(r"\W+", "_", PurePosixPath(path).stem).strip("_").lower() or "model"


def _paths(project: Project, target: str) -> list[str] | Diagnostic:
    """The flat files that a target names: a model, its folder, or a file."""
    is_name = "/" not in target and not target.startswith(".")
    folders = [f"{models}/{target}" for models in (*project.models_folders, project.settings.output) if models]
    path = relative_to_root(project, target) if Path(target).exists() else None
    folder = next((folder for folder in folders if is_name and (project.root / folder).is_dir()), path)
    if folder is None and Path(target).exists():
        hint = f"name a file below {project.root}, or pass `--root`"
        return Diagnostic(Problem.OUTSIDE_ROOT, Place(target), "the target is outside the project's root", hint)
    if folder is None:
        names = sorted(model.name for models in project.models_folders for model in (project.root / models).iterdir())
        hint = did_you_mean(Path(target).stem, names) or _CHECK
        return Diagnostic(Problem.NOT_FOUND, Place(target), "no such model, folder or file", hint)
    if (project.root / folder).is_file():
        return [folder]
    return _flat_files(project, folder) or Diagnostic(
        Problem.NOT_FOUND, Place(target), "no flat model files in this folder", _CHECK
    )


def _flat_files(project: Project, folder: str) -> list[str]:
    """The model files of a folder: those of the model it is named after or, if it has none, all."""
    names = sorted(path.name for path in (project.root / folder).glob("*.py"))
    models = {f"{folder}/{name}": model_of(project, name) for name in names}
    own = [path for path, model in models.items() if model == PurePosixPath(folder).name]
    return own or [path for path, model in models.items() if model is not None]
