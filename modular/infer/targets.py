"""What the targets of `modular infer` name: models with their flat files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from modular.infer.research import model_named_after
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.run.selection import relative_to_root
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean


@dataclass
class Target:
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


def find_targets(project: Project, targets: Sequence[str]) -> tuple[list[Target], list[Diagnostic]]:
    """Return the models that targets name, sorted by path, and what is wrong with the others."""
    found: dict[tuple[str, str], Target] = {}
    problems = []
    for each in targets:
        paths = _paths(project, each)
        if isinstance(paths, Diagnostic):
            problems.append(paths)
            continue
        for path in paths:
            if not path.endswith(".py") or PurePosixPath(path).name.startswith(MODULAR):
                hint = "name a file with the classes of a model, its folder, or the model"
                problems.append(Diagnostic(Problem.NOT_FOUND, Place(path), "this is no flat Python file", hint))
                continue
            model = model_of(project, path) or model_named_after(path)
            folder = str(PurePosixPath(path).parent)
            target = found.setdefault((folder, model), Target(model, folder))
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


def _paths(project: Project, target: str) -> list[str] | Diagnostic:
    folder = next((each for each in _folders(project, target) if (project.root / each).is_dir()), None)
    if folder is not None:
        found = _flat_files(project, folder, target)
        if not found:
            message = "no flat model files in this folder"
            return Diagnostic(Problem.NOT_FOUND, Place(target), message, "check the name and the folder")
        return found
    if not Path(target).exists():
        names = sorted(each.name for models in project.models_folders for each in (project.root / models).iterdir())
        hint = did_you_mean(Path(target).stem, names) or "check the name and the folder"
        return Diagnostic(Problem.NOT_FOUND, Place(target), "no such model, folder or file", hint)
    path = relative_to_root(project, target)
    if path is None:
        hint = f"name a file below {project.root}, or pass `--root`"
        return Diagnostic(Problem.OUTSIDE_ROOT, Place(target), "the target is outside the project's root", hint)
    return [path] if Path(target).is_file() else _flat_files(project, path, target)


def _folders(project: Project, target: str) -> Iterable[str]:
    """The folders that a target may stand for: a model's, or one that it names."""
    if "/" not in target and not target.startswith("."):
        yield from (f"{models}/{target}" for models in project.models_folders)
        if project.settings.output:
            yield f"{project.settings.output}/{target}"
    if Path(target).is_dir() and (path := relative_to_root(project, target)) is not None:
        yield path


def _flat_files(project: Project, folder: str, target: str) -> list[str]:
    """The model files of a folder: those of the model it is named after or, if it has none, all."""
    found = sorted(path.name for path in (project.root / folder).glob("*.py"))
    paths = [f"{folder}/{name}" for name in found if model_of(project, f"{folder}/{name}") is not None]
    own = [path for path in paths if model_of(project, path) == PurePosixPath(folder).name]
    return own or paths
