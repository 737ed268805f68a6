"""The cased names of the models in some folders."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from modular.project.cased_names import CasedNames, read_table, table_from_classes
from modular.settings.settings import Settings, SettingsError
from modular.source.loading import load


MODULAR = "modular_"
"""The beginning of the name of a modular file."""

IN_MODEL_FOLDERS = "*/*.py"
"""The pattern of the paths of model files if each model has a folder of its own."""


def is_modular_name(path: str) -> bool:
    """Return whether a path ends in the name of a modular file: `modular_llama.py`."""
    name = path.rpartition("/")[2]
    return name.startswith(MODULAR) and name.endswith(".py")


def parent_alias(name: str, cased: str, used_names: Collection[str]) -> str | None:
    """Return the name under which a modular file imports a class without a model's name.

    `Attention` of the model `qwen2` becomes `Qwen2Attention`.

    Args:
        name: The name of the class in its file.
        cased: The cased name of its model, such as `Qwen2`.
        used_names: The names that the alias must not have.

    Returns:
        The alias; None if all possible aliases are used.
    """
    for alias in (f"{cased}{name}", f"{cased}{name}Base"):
        if alias not in used_names:
            return alias
    return None


def read_names(
    folders: Sequence[Path], settings: Settings, pattern: str = IN_MODEL_FOLDERS
) -> CasedNames:
    """Read how class names write the names of models: `Qwen2` for `qwen2`.

    The names are read from the project's table of model types, as in transformers' auto
    classes. Without a table, they are read from configuration classes such as
    `Qwen2Config`. A configuration file that cannot be read gives no names.

    Args:
        folders: The models folders.
        settings: The settings of the project.
        pattern: The pattern of the paths of model files in these folders.

    Raises:
        SettingsError: The table cannot be read (`modular.settings.settings`).
    """
    files = table_files(folders, settings)
    if not files:
        configurations = configuration_files(folders, pattern)
        texts = (load(path, path.name).text for path in configurations)
        return CasedNames(table_from_classes(texts))

    table: dict[str, str] = {}
    variable = settings.model_types_variable
    for path in files:
        loaded = load(path, path.name)
        if loaded.problem is not None:
            raise SettingsError(f"{path}: {loaded.problem.message}")
        try:
            table = read_table(loaded.text, variable, table)
        except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
            message = f"{path}: the table `{variable}` cannot be read: {error}"
            raise SettingsError(message) from error
    return CasedNames(table)


def table_files(folders: Sequence[Path], settings: Settings) -> tuple[Path, ...]:
    """Return the existing files of the setting `model-types`.

    They contain the table of model types, and are in the first models folder that has
    any of them. Many projects have none.
    """
    for folder in folders:
        paths = [folder / name for name in settings.model_types_files]
        existing_paths = tuple(path for path in paths if path.is_file())
        if existing_paths:
            return existing_paths
    return ()


def configuration_files(
    folders: Sequence[Path], pattern: str = IN_MODEL_FOLDERS
) -> Iterator[Path]:
    """Yield the files that may define configuration classes, folder by folder."""
    for folder in folders:
        for path in model_paths(folder, pattern):
            if path.name.startswith((MODULAR, "configuration_")):
                yield path


def model_paths(folder: Path, pattern: str) -> list[Path]:
    """Return the Python files of the models in a models folder, sorted.

    Args:
        folder: The models folder.
        pattern: The pattern of the paths in this folder.
    """
    if pattern != IN_MODEL_FOLDERS:
        return sorted(folder.glob(pattern))
    paths: list[Path] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_folder_to_search(entry):
                paths += Path(entry.path).glob("*.py")
    return sorted(paths)


def is_folder_to_search(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry of a folder is a subfolder in which to search for files.

    A link to another folder counts as well, unless it leads to the folder itself or to a
    folder above it: there, the same files would be found again.
    """
    # `os.path` follows links. It is slow, so the entry itself is asked first.
    if entry.is_dir(follow_symlinks=False):
        return True
    if not os.path.isdir(entry.path):
        return False
    # Both paths end with a separator, so that `/models` does not contain `/models_old`.
    target = os.path.join(os.path.realpath(entry.path), "")
    folder = os.path.join(os.path.realpath(os.path.dirname(entry.path)), "")
    leads_upwards = folder.startswith(target)
    return not leads_upwards
