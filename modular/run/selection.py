"""Which modular files the targets of a command name, and which of them one machine of a CI matrix takes."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from modular.project.naming import MODULAR
from modular.project.project import Project, model_name
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean


_CALLED = f"modular files are called `{MODULAR}<model>.py`"
_NAME_ANOTHER = "name a modular file, or a model that has one"


@dataclass(frozen=True, slots=True)
class Selection:
    """The modular files that are meant, sorted, and the targets that mean none.

    ``left_out`` counts those that were meant too, but cannot be affected by what has changed.
    """

    modulars: tuple[str, ...]
    problems: tuple[Diagnostic, ...]
    left_out: int = 0

    def only(self, modulars: Iterable[str]) -> "Selection":
        """Return this without the modular files that are not among those given."""
        kept = tuple(sorted({*self.modulars}.intersection(modulars)))
        return replace(self, modulars=kept, left_out=len(self.modulars) - len(kept))


def select(project: Project, targets: Sequence[str]) -> Selection:
    """Resolve targets: models' names, modular files, or folders, from the current folder; none means all."""
    if not targets:
        return Selection(
            project.modular_files,
            () if project.modular_files else (nothing_found(project),),
        )
    named = [_named(project, target) for target in targets]
    modulars = {
        modular
        for found in named
        if not isinstance(found, Diagnostic)
        for modular in found
    }
    return Selection(
        tuple(sorted(modulars)),
        tuple(found for found in named if isinstance(found, Diagnostic)),
    )


def as_targets(targets: str | Sequence[str]) -> Sequence[str]:
    """Return what a caller gave as targets; a text is one of them."""
    return (targets,) if isinstance(targets, str) else targets


def nothing_found(project: Project) -> Diagnostic:
    """Return the problem of a project without a modular file."""
    listed = " or ".join(f"`{folder}`" for folder in project.settings.models)
    message = (
        f"no modular file was found below {listed} of {project.root}: nothing to do"
    )
    hint = "run it in the project, pass `--root`, or name the models' folders in the setting `models`"
    return Diagnostic(Problem.NOTHING_FOUND, Place("."), message, hint)


def _named(project: Project, target: str) -> Sequence[str] | Diagnostic:
    if by_name := [
        path for path in project.modular_files if model_name(path) == target
    ]:
        return by_name
    if not os.path.exists(target):
        return _unknown(project, target)
    paths = _below_root(project, target)
    if not paths:
        return outside_root(project, target)
    if Path(target).is_file():
        file = next((path for path in paths if path in project.modular_files), paths[0])
        return (
            [file]
            if PurePosixPath(file).name.startswith(MODULAR)
            else _not_modular(project, target, file)
        )
    folders = ("" if path == "." else f"{path}/" for path in paths)
    inside = (
        [modular for modular in project.modular_files if modular.startswith(folder)]
        for folder in folders
    )
    return next(filter(None, inside), None) or _empty_folder(
        project, target, Path(target)
    )


def outside_root(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is there, but not in the project."""
    hint = f"name a file below {project.root}, or pass `--root`"
    return Diagnostic(
        Problem.OUTSIDE_ROOT,
        Place(target),
        "the target is outside the project's root",
        hint,
    )


def unknown_target(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is neither a model nor a path."""
    models = {
        *map(model_name, project.modular_files),
        *(folder.name for folder in project.model_folders),
    }
    hint = did_you_mean(Path(target).stem.removeprefix(MODULAR), models)
    return Diagnostic(
        Problem.NOT_FOUND,
        Place(target),
        "no such model, file or folder",
        hint or "check the name and the folder",
    )


def relative_to_root(project: Project, path: str) -> str | None:
    """Return a path from the current folder as one relative to the root, or None if it is not below it."""
    return next(iter(_below_root(project, path)), None)


def _below_root(project: Project, path: str) -> list[str]:
    """Return what a path is called from the root: as it is written and, where there are links, as it is without them."""
    place = Path(os.path.abspath(path))
    names = [
        place.relative_to(folder)
        for folder in (place, *place.parents)
        if folder.resolve() == project.root
    ]
    real = place.resolve()
    names += (
        [real.relative_to(project.root)] if real.is_relative_to(project.root) else []
    )
    return list(dict.fromkeys(name.as_posix() for name in names))


def _unknown(project: Project, target: str) -> Diagnostic:
    """Return the diagnostic of a target that is neither a model with a modular file nor a path."""
    name = Path(target).stem
    files = (
        path for path in project.files_of_models() if PurePosixPath(path).stem == name
    )
    if (file := next(files, None)) is not None and file_types.of_file(
        name, project.settings
    ) is not None:
        return _not_modular(project, target, file)
    if folder := next(
        (folder for folder in project.model_folders if folder.name == target), None
    ):
        return _empty_folder(project, target, folder)
    return unknown_target(project, target)


def _not_modular(project: Project, target: str, path: str) -> Diagnostic:
    """Return the diagnostic of a target that is, or means, a file that is not a modular file. ``path`` is from the root."""
    message, hint = f"no `{MODULAR}` in the name", _CALLED
    if generator := project.generator(path):
        message, hint = (
            f"`{path}` is generated from `{generator}`",
            f"name that, or `{model_name(generator)}`",
        )
    elif file_types.of_file(PurePosixPath(path).stem, project.settings) is not None:
        message, hint = (
            f"`{path}` is hand-written: no modular file generates it",
            _NAME_ANOTHER,
        )
    return Diagnostic(Problem.NOT_MODULAR, Place(target), message, hint)


def _empty_folder(project: Project, target: str, folder: Path) -> Diagnostic:
    """Return the diagnostic of a folder in which there is no modular file."""
    message, hint = "no modular file in this folder", _CALLED
    files = (
        file.name
        for file in sorted(folder.glob("*.py"))
        if file_types.of_file(file.stem, project.settings)
    )
    if (name := next(files, None)) is not None:
        message, hint = (
            f"`{folder.name}` is hand-written: it has `{name}`, and no modular file",
            _NAME_ANOTHER,
        )
    return Diagnostic(Problem.NOT_FOUND, Place(target), message, hint)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` (from 1) of ``count``."""

    index: int
    count: int

    def take(self, modulars: Sequence[str]) -> tuple[str, ...]:
        """Return this part of the models; the parts are disjoint, of even size, and the same on every machine."""
        return tuple(sorted(modulars))[self.index - 1 :: self.count]


def parse_shard(text: str) -> Shard:
    """Read `I/N`. Raises ValueError."""
    index, slash, count = text.partition("/")
    if (
        not slash
        or not index.isdigit()
        or not count.isdigit()
        or not 1 <= int(index) <= int(count)
    ):
        raise ValueError(f"expected I/N with 1 <= I <= N, not {text!r}")
    return Shard(int(index), int(count))
