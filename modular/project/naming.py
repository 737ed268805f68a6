"""Where a table of cased names is read from: the files of the setting `model-types`, or the configuration classes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from modular.rules.names.cased_names import CasedNames, read_table, table_from_classes
from modular.settings.settings import Settings, SettingsError
from modular.source.loading import load


MODULAR = "modular_"


def table_files(folders: Sequence[Path], settings: Settings) -> tuple[Path, ...]:
    """Return the files that hold the table itself: those of the first models folder that has any; none is usual."""
    named = (
        [folder / name for name in settings.model_types_files] for folder in folders
    )
    existing = ([path for path in paths if path.is_file()] for paths in named)
    return tuple(next(filter(None, existing), ()))


def configuration_files(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the files whose configuration classes stand in for the table, folder by folder, sorted."""
    paths = (path for folder in folders for path in sorted(folder.glob("*/*.py")))
    return (path for path in paths if path.name.startswith((MODULAR, "configuration_")))


def read_names(folders: Sequence[Path], settings: Settings) -> CasedNames:
    """Read the cased names of all models below some folders. Raises SettingsError if the table cannot be read.

    A configuration class that cannot be read gives no name.
    """
    if not (files := table_files(folders, settings)):
        texts = (load(path, path.name).text for path in configuration_files(folders))
        return CasedNames(table_from_classes(texts))
    table: dict[str, str] = {}
    for path in files:
        loaded = load(path, path.name)
        if loaded.problem is not None:
            raise SettingsError(f"{path}: {loaded.problem.message}")
        try:
            table = read_table(loaded.text, settings.model_types_variable, table)
        except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
            variable = settings.model_types_variable
            raise SettingsError(
                f"{path}: the table `{variable}` cannot be read: {error}"
            ) from error
    return CasedNames(table)
