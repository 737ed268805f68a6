"""Where the parent file of a model import may stand: told by the import and the project's folders alone."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from modular.rules.files import file_types
from modular.rules.settings import MODELS


if TYPE_CHECKING:
    from modular.project.project import Project


def possible_files(project: "Project", modular: str, level: int, parts: list[str]) -> tuple[str, ...]:
    """Return the paths at which the parent file of an import may stand, best first; none for a model's own module.

    ``level`` counts the import's leading dots, ``parts`` is the module after them.
    """
    places = tuple(_stems(project, modular, level, parts))
    if _own_module(modular, places) is not None:
        return ()
    found = tuple(path for stem in places for path in _parent_files(project, stem))
    return found if level else found + _library_files(project, parts)


def own_module(project: "Project", modular: str, level: int, parts: list[str]) -> str | None:
    """Return the module beside a modular file that an import names, if it names one."""
    return _own_module(modular, _stems(project, modular, level, parts))


def _stems(project: "Project", modular: str, level: int, parts: list[str]) -> Iterator[str]:
    """The paths, without their ending, at which a module of the project may stand that a modular file imports from.

    Outside the models folders relative imports of models are read as if the file stood in a model's folder.
    """
    folder = [part for part in modular.split("/")[:-1] if part != "."]
    package = project.settings.package.split(".")
    if 0 < level <= len(folder) + 1:
        yield "/".join([*folder[: len(folder) + 1 - level], *filter(None, parts)])
    if not level and parts[: len(package)] == package:
        yield from ("/".join([models, *parts[len(package) :]]) for models in project.models_folders)
    inside = _below_models(level, parts)
    if inside and not any(_below(models, modular) for models in project.models_folders):
        yield from ("/".join([models, *inside]) for models in project.models_folders)


def _own_module(modular: str, stems: Iterable[str]) -> str | None:
    """The module beside a modular file, if one of the paths is that of such a module."""
    folder = modular.rpartition("/")[0]
    return next((name for stem in stems for place, _, name in [stem.rpartition("/")] if place == folder), None)


def _library_files(project: "Project", parts: list[str]) -> tuple[str, ...]:
    if parts[:2] != [project.settings.library_name, MODELS] or len(parts) < 4 or project.library is None:
        return ()
    return (project.library.path(".".join(parts)),) if _is_model_file(project, parts[2:]) else ()


def _is_model_file(project: "Project", inside: Sequence[str]) -> bool:
    """Whether a module, by its parts below a models folder, is a model file that may be inherited from."""
    is_ordinary = ".".join(inside) in project.settings.ordinary_imports
    return len(inside) > 1 and not is_ordinary and file_types.of_file(inside[-1], project.settings) is not None


def _parent_files(project: "Project", stem: str) -> tuple[str, ...]:
    for models in project.models_folders:
        inside = _below(models, stem)
        if not inside:
            continue
        if not _is_model_file(project, inside.split("/")):
            return ()
        beside = f"{stem}.py"
        if not project.settings.output:
            return (beside,)
        path = PurePosixPath(stem)
        mirrored = f"{project.mirrored(path.parent)}/{path.name}.py"
        return (beside, mirrored) if project.generator(mirrored) is None else (mirrored, beside)
    return ()


def _below(folder: str, path: str) -> str:
    """What of a path is below a folder; nothing if it is not there."""
    if folder == ".":
        return path.removeprefix("./")
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def _below_models(level: int, parts: list[str]) -> list[str]:
    """The parts below the models folder of `..llama.modeling_llama` and `...models.llama.modeling_llama`, else none."""
    if level == 2 and len(parts) == 2:
        return parts
    return parts[1:] if level == 3 and len(parts) == 3 and parts[0] == MODELS else []
