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

    If the source library is below the root, the library in the copy is used. A library
    outside of the root is the same for the project and its copy.

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
    # `_library_settings` returns `models` for a fork of the library below the root. This
    # setting is a relative path, so it names the fork in the copy.
    converts_fork = "models" in overrides
    if not converts_fork:
        settings = settings_module.load(copy, overrides)
        overrides.update(_library_of_copy(copy, root, settings))
    return _open(copy, overrides, None if output is None else str(copy / output))


def _library_of_copy(copy: Path, root: Path, settings: Settings) -> dict[str, str]:
    """Return the setting `source-library` if a copy would not find its library without it.

    Otherwise, nothing is returned: with another setting, the cached results of the
    project would not be valid for the copy.

    Args:
        copy: The folder that contains the copy.
        root: The root of the original project.
        settings: The settings of the copy.
    """
    library = libraries.find_library(root, settings.source_library, settings)
    if not library.is_found:
        return {}
    if libraries.is_below(library.folder, root):
        # If the library is `root/lib`, the copy has it as `copy/lib`.
        needed_setting = library.prefix
        right_folder = copy / library.prefix
    else:
        needed_setting = str(library.folder)
        right_folder = library.folder
    library_of_copy = libraries.find_library(copy, settings.source_library, settings)
    if library_of_copy.folder == right_folder:
        return {}
    return {"source-library": needed_setting}


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
    # The first settings only say where the library is. The release of the library then
    # decides about values of the preset.
    first_settings = settings_module.load(path, overrides)
    release = Project(path, first_settings).release
    settings = settings_module.load(path, overrides, release)

    # A project without models may lack the folders that it did not choose itself.
    if settings.models != _default_models_folders():
        for folder in settings.models:
            if not (path / folder).is_dir():
                raise SettingsError(
                    f"tool.modular.models: there is no folder `{folder}` in {path}"
                )
    if output is not None:
        settings = replace(settings, output=_relative_output(path, output))
    return Project(path, settings)


def _default_models_folders() -> tuple[str, ...]:
    """Return the models folders of a project without settings, relative to its root.

    They are `models` and `src/transformers/models`.
    """
    return settings_module.from_table({}).models


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

    The root is the nearest folder with a table `[tool.modular]`. If there is none, it is
    the nearest folder with a `pyproject.toml` or with one of the default models folders.
    If there is none either, it is the given folder itself.
    """
    # From the folder itself outwards.
    folders = [start, *start.parents]
    for folder in folders:
        if settings_module.has_table(folder):
            return folder

    models_paths = _default_models_folders()
    for folder in folders:
        if (folder / "pyproject.toml").is_file():
            return folder
        for path in models_paths:
            models_folder = folder / path
            if models_folder.is_dir():
                # In `/repo/src/transformers`, the folder `models` is found. It is also
                # `src/transformers/models` of the right root `/repo`.
                return _outermost_root(models_folder, models_paths)
    return start


def _outermost_root(models_folder: Path, models_paths: Iterable[str]) -> Path:
    """Return the outermost folder that can be the root of a project with a models folder.

    For `/repo/src/transformers/models`, this is `/repo`. The folder
    `/repo/src/transformers` has a models folder, too, but is further in.

    Args:
        models_folder: The absolute path of the models folder.
        models_paths: The paths that a models folder can have below a root.
    """
    roots = []
    # From the innermost parent folder outwards.
    for folder in models_folder.parents:
        if any(folder / path == models_folder for path in models_paths):
            roots.append(folder)
    return roots[-1]
