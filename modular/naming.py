"""Where a table of cased names is read from: the files of the setting `model-types`, or the configuration classes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from modular.rules.cased_names import CasedNames, read_table, table_from_classes
from modular.settings import Settings


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
    """Read the cased names of all models below some folders."""
    if files := table_files(folders, settings):
        texts = (path.read_text(encoding="utf-8") for path in files)
        return CasedNames(read_table(texts, settings.model_types_variable))
    found = (path.read_text(encoding="utf-8", errors="replace") for path in configuration_files(folders))
    return CasedNames(table_from_classes(found))
