"""Where a table of cased names is read from: the files of the setting `model-types`, or the configuration classes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from modular.rules.names.cased_names import CasedNames, read_table, table_from_classes
from modular.rules.settings import Settings, SettingsError
from modular.source.loading import load


MODULAR = "modular_"


def table_files(folders: Sequence[Path], settings: Settings) -> tuple[Path, ...]:
    """Return the files that hold the table itself: those of the first models folder that has any; none is usual."""
    for folder in folders:
        files = tuple(folder / name for name in settings.model_types_files)
        if existing := tuple(path for path in files if path.is_file()):
            return existing
    return ()


def configuration_files(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the files whose configuration classes stand in for the table, folder by folder, sorted."""
    for folder in folders:
        for path in sorted(folder.glob("*/*.py")):
            if path.name.startswith((MODULAR, "configuration_")):
                yield path


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
            message = f"the table `{settings.model_types_variable}` cannot be read: {error}"
            raise SettingsError(f"{path}: {message}") from error
    return CasedNames(table)
