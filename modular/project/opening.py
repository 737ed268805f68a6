"""Opens a project: finds its root, reads its settings, and refuses what does not fit together."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from modular.project import library as libraries
from modular.project.project import Project
from modular.settings import settings as settings_module
from modular.system import safe_paths


def open_project(
    root: str | os.PathLike[str],
    output: str | None = None,
    source_library: str | None = None,
) -> Project:
    """Return the project at a root folder; ``output`` and ``source_library`` replace the settings of these names.

    Raises `settings.SettingsError`.
    """
    path = Path(root).resolve()
    overrides = _overrides(path, path, source_library)
    return _open(path, overrides, output)


def open_copy(
    copy: Path, root: Path, output: str | None, source_library: str | None
) -> Project:
    """Return the project in a copy of a root folder, with its own settings.

    A source library outside of the root is the one that is there for the root. ``output`` is relative to the root, and
    replaces the setting, as ``source_library`` does. Raises `settings.SettingsError`.
    """
    overrides = _overrides(copy, root, source_library)
    settings = settings_module.load(copy, overrides)
    library = libraries.find(root, settings.source_library, settings)
    if library.is_found and "models" not in overrides:
        is_below = libraries.is_below(library.folder, root)
        overrides["source-library"] = (
            library.prefix if is_below else str(library.folder)
        )
    return _open(copy, overrides, None if output is None else str(copy / output))


def _overrides(path: Path, root: Path, source_library: str | None) -> dict[str, Any]:
    """The settings that a source library named on the command line refers to, seen from a root."""
    if source_library is None:
        return {}
    return libraries.settings_for(root, source_library, settings_module.load(path))


def _open(path: Path, overrides: Mapping[str, Any], output: str | None) -> Project:
    settings = settings_module.load(path, overrides)
    settings = settings_module.load(path, overrides, Project(path, settings).release)
    preset = settings_module.from_table({}).models  # its folders may be missing
    for folder in settings.models if settings.models != preset else ():
        if not (path / folder).is_dir():
            raise settings_module.SettingsError(
                f"tool.modular.models: there is no folder `{folder}` in {path}"
            )
    return Project(
        path,
        settings
        if output is None
        else replace(settings, output=_relative_output(path, output)),
    )


def _relative_output(root: Path, output: str) -> str:
    """The output folder relative to the root, from the current folder."""
    try:
        relative = Path(output).resolve().relative_to(root).as_posix()
    except ValueError as error:
        raise settings_module.SettingsError(
            f"output: `{output}` is not below the project's root {root}"
        ) from error
    if problem := safe_paths.problem(relative):
        raise settings_module.SettingsError(f"output: `{relative}` {problem}")
    return relative


def find_root(start: Path) -> Path:
    """Return the root of the project around a folder: the nearest with `[tool.modular]`, else the nearest that looks like one.

    That is one with a `pyproject.toml` or a folder of models as the preset expects it. If there is none, the folder itself.
    """
    folders = [start, *start.parents]
    for folder in folders:
        if settings_module.has_table(folder):
            return folder
    defaults = settings_module.from_table({}).models
    for folder in folders:
        if (folder / "pyproject.toml").is_file():
            return folder
        for models in (folder / name for name in defaults):
            # `src/transformers` has a folder `models`, but that is the `src/transformers/models` of the root above.
            if models.is_dir():
                return next(
                    outer
                    for outer in reversed(folders)
                    if models in (outer / name for name in defaults)
                )
    return start
