"""What is said of a target that names no modular file: what it names instead, as far as that can be seen."""

from pathlib import Path, PurePosixPath

from modular.project.naming import MODULAR
from modular.project.project import Project, model_name
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean, nearest


_SUFFIX = f"_{MODULAR.removesuffix('_')}"
"""What is after the model's name where authors turn the name of a modular file round."""

_NAME_ANOTHER = "name a modular file, or a model that has one"


def unknown_target(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is neither a model with a modular file nor a path."""
    name = Path(target).stem
    if path := _model_file(project, name):
        return not_modular(project, target, path)
    if model := _turned_round(name):
        hint = did_you_mean(model, map(model_name, project.modular_files))
    else:
        folder = next((folder for folder in _folders(project) if folder.name == target), None)
        if folder is not None:
            return empty_folder(project, target, folder)
        hint = _nearest(project, name.removeprefix(MODULAR))
    message = "no such model, modular file or folder"
    return Diagnostic(Problem.NOT_FOUND, Place(target), message, hint or "check the name and the folder")


def _nearest(project: Project, name: str) -> str:
    """Say which model is named alike: one with a modular file, unless the nearest of all is hand-written."""
    known = {model_name(path) for path in project.modular_files}
    best = nearest(name, known | {folder.name for folder in _folders(project)})
    if best and best[0] not in known:
        return f"`{best[0]}`, which has a similar name, is hand-written: {_NAME_ANOTHER}"
    return did_you_mean(name, known)


def not_modular(project: Project, target: str, path: str) -> Diagnostic:
    """Return the diagnostic of a target that is, or means, a file that is not a modular file. ``path`` is from the root."""
    stem = PurePosixPath(path).stem
    if generator := project.generator(path):
        message = f"`{path}` is generated from `{generator}`"
        return Diagnostic(Problem.NOT_MODULAR, Place(target), message, f"name that, or `{model_name(generator)}`")
    if model := _turned_round(stem):
        message = f"modular files are called `{MODULAR}<model>.py`, and this is `{PurePosixPath(path).name}`"
        return Diagnostic(Problem.NOT_MODULAR, Place(target), message, f"call it `{MODULAR}{model}.py`")
    message, hint = f"no `{MODULAR}` in the name", f"modular files are called `{MODULAR}<model>.py`"
    if file_types.of_file(stem, project.settings) is not None:
        message = f"`{path}` is hand-written: no modular file generates it"
        hint = _NAME_ANOTHER
    return Diagnostic(Problem.NOT_MODULAR, Place(target), message, hint)


def empty_folder(project: Project, target: str, folder: Path) -> Diagnostic:
    """Return the diagnostic of a folder in which there is no modular file."""
    for file in sorted(folder.glob("*.py")):
        if model := _turned_round(file.stem):
            message = f"no modular file in this folder, but `{file.name}`"
            return Diagnostic(Problem.NOT_FOUND, Place(target), message, f"call it `{MODULAR}{model}.py`")
    files = [file.name for file in folder.glob("*.py") if file_types.of_file(file.stem, project.settings)]
    if files:
        message = f"`{folder.name}` is hand-written: it has `{min(files)}`, and no modular file"
        return Diagnostic(Problem.NOT_FOUND, Place(target), message, _NAME_ANOTHER)
    hint = f"modular files are called `{MODULAR}<model>.py`"
    return Diagnostic(Problem.NOT_FOUND, Place(target), "no modular file in this folder", hint)


def _folders(project: Project) -> list[Path]:
    places = [project.root / models for models in project.models_folders]
    return sorted(folder for place in places if place.is_dir() for folder in place.iterdir() if folder.is_dir())


def _model_file(project: Project, stem: str) -> str:
    """The path of the model file, in the folder of any model, that has a name; nothing if there is none."""
    if not stem.isidentifier() or file_types.of_file(stem, project.settings) is None:
        return ""
    files = (folder / f"{stem}.py" for folder in _folders(project))
    return next((file.relative_to(project.root).as_posix() for file in files if file.is_file()), "")


def _turned_round(stem: str) -> str:
    """The model in a file's name that is turned round: `olmo` of `olmo_modular`."""
    return stem.removesuffix(_SUFFIX) if stem.endswith(_SUFFIX) else ""
