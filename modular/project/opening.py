"""Opens a project: finds its root and reads its settings."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from modular.project import library as libraries
from modular.project.project import Project
from modular.settings import settings as settings_module
from modular.settings.settings import Settings, SettingsError
from modular.system import safe_paths


def open_project(
    root: str | os.PathLike[str],
    output: str | None = None,
    source_library: str | None = None,
    preset: str | None = None,
) -> Project:
    """Open the project at a root folder.

    Args:
        root: The root folder.
        output: The folder for generated files, relative to the current folder. It
            overrides the setting `output`.
        source_library: The name or folder of the source library. It overrides the
            setting `source-library`.
        preset: The name of the preset. It overrides the setting `preset`.

    Raises:
        SettingsError: The settings are invalid (`modular.settings.settings`).
    """
    path = Path(root).resolve()
    overrides = _library_settings(source_library, root=path, settings_folder=path)
    if preset is not None:
        overrides["preset"] = preset
    return _open(path, overrides, output)


def open_copy(
    copy: Path, root: Path, output: str | None, source_library: str | None
) -> Project:
    """Open a copy of a project, such as an older commit, with the copy's settings.

    A source library below the root is also taken from the copy. One outside of the root
    is the same for both.

    Args:
        copy: The folder that contains the copy.
        root: The root of the original project.
        output: The folder for generated files, relative to the root. It overrides the
            setting `output`.
        source_library: The name or folder of the source library. It overrides the
            setting `source-library`.

    Raises:
        SettingsError: The settings are invalid (`modular.settings.settings`).
    """
    overrides = _library_settings(source_library, root=root, settings_folder=copy)
    # If the library's own models are converted, the setting `models` names them. It is
    # relative to the root, so the copy finds its own package.
    converts_library = "models" in overrides
    if not converts_library:
        settings = settings_module.load(copy, overrides)
        overrides.update(_library_of_copy(copy, root, settings))
    return _open(copy, overrides, None if output is None else str(copy / output))


def _library_of_copy(copy: Path, root: Path, settings: Settings) -> dict[str, str]:
    """Return the setting `source-library` that a copy needs to find the right library.

    For a library in `root/lib`, the right one is in `copy/lib`. A library outside of the
    root is the same for both. The result is empty if the copy finds the right one by
    its own setting: a changed setting would make cached results unusable.

    Args:
        copy: The folder that contains the copy.
        root: The root of the original project.
        settings: The settings of the copy.
    """
    library = libraries.find_library(root, settings.source_library, settings)
    if not library.is_found:
        return {}
    if libraries.is_below(library.folder, root):
        wanted_folder = copy / library.prefix
        new_value = library.prefix
    else:
        wanted_folder = library.folder
        new_value = str(library.folder)
    # Seen from the copy, the same setting may find another folder, or none.
    found = libraries.find_library(copy, settings.source_library, settings)
    return {} if found.folder == wanted_folder else {"source-library": new_value}


def _library_settings(
    source_library: str | None, *, root: Path, settings_folder: Path
) -> dict[str, Any]:
    """Return the settings that follow from the argument `source_library`, if given.

    Args:
        source_library: The name or folder of the source library, or None.
        root: The root of the project, where the library is searched.
        settings_folder: The folder of the `pyproject.toml` with the other settings.
    """
    if source_library is None:
        return {}
    settings = settings_module.load(settings_folder)
    return libraries.settings_for(root, source_library, settings)


def _open(path: Path, overrides: Mapping[str, Any], output: str | None) -> Project:
    """Open a project with some settings overridden.

    Args:
        path: The root of the project.
        overrides: Settings that replace those of `pyproject.toml`.
        output: The folder for generated files, which replaces the setting `output`.

    Raises:
        SettingsError: The settings are invalid, or a models folder does not exist.
    """
    settings = settings_module.load(path, overrides)
    # The preset depends on the release of the library. The settings say where the
    # library is, so they are read again when the release is known.
    release = Project(path, settings).release
    settings = settings_module.load(path, overrides, release)

    # The models folders of the preset may be missing, for a project without models.
    preset_folders = settings_module.from_table({}).models
    if settings.models != preset_folders:
        for folder in settings.models:
            if not (path / folder).is_dir():
                raise SettingsError(
                    f"tool.modular.models: there is no folder `{folder}` in {path}"
                )
    if output is not None:
        settings = replace(settings, output=_relative_output(path, output))
    return Project(path, settings)


def _relative_output(root: Path, output: str) -> str:
    """Return the path of the output folder relative to the project's root.

    Args:
        root: The root of the project.
        output: The output folder, relative to the current folder.

    Raises:
        SettingsError: The folder is not below the root, or its name is not safe.
    """
    try:
        relative = Path(output).resolve().relative_to(root).as_posix()
    except ValueError as error:
        raise SettingsError(
            f"output: `{output}` is not below the project's root {root}"
        ) from error
    problem = safe_paths.problem(relative)
    if problem:
        raise SettingsError(f"output: `{relative}` {problem}")
    return relative


def find_root(start: Path) -> Path:
    """Return the root of the project that contains a folder.

    It is the nearest folder with `[tool.modular]`. Without one, it is the nearest
    folder with a `pyproject.toml` or with a models folder as the preset expects it.
    Without that, it is the folder itself.
    """
    # From the folder itself outwards.
    folders = [start, *start.parents]
    for folder in folders:
        if settings_module.has_table(folder):
            return folder

    # Paths relative to a root: `models` and `src/transformers/models`.
    models_paths = settings_module.from_table({}).models
    for folder in folders:
        if (folder / "pyproject.toml").is_file():
            return folder
        for path in models_paths:
            models_folder = folder / path
            if models_folder.is_dir():
                return _outermost_root(models_folder, models_paths)
    return start


def _outermost_root(models_folder: Path, models_paths: Iterable[str]) -> Path:
    """Return the outermost folder that has a models folder at an expected path.

    For `/work/src/transformers/models`, this is `/work`, because the preset expects
    `src/transformers/models`. It also expects `models`, so `/work/src/transformers`
    could be the root, too.
    """
    roots = []
    for folder in models_folder.parents:
        if any(folder / path == models_folder for path in models_paths):
            roots.append(folder)
    # The parents begin with the innermost one.
    return roots[-1]
