"""Finds the files that decide how a formatter treats the files of a project."""

import os
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from modular.format.source_globs import SourceGlobs
from modular.project.project import join_path
from modular.settings.settings import SettingsError
from modular.source.import_statements import absolute_modules
from modular.source.walking import walk
from modular.system.reading import MAX_SETTINGS_BYTES, parse_toml, read_bytes


PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", PYPROJECT)
"""Settings files of formatters. They apply to their folder and all folders below."""

MAX_EXTENDED_FILES = 20
"""Settings files that may extend each other."""

_FORMATTER_TABLE = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)


class FormatterConfig:
    """The settings files and modules of a project that a formatter looks up.

    Every file and folder is looked up once. Folders and modules are given as paths
    relative to the root.
    """

    def __init__(self, root: Path) -> None:
        """Create the configuration below a root, of which nothing is read yet."""
        self._root = root
        self._source_globs = SourceGlobs(root)
        # Each of these keeps the results of the method or function that is named like it.
        self._settings: dict[str, tuple[Path, ...]] = {}
        self._source_entries: dict[Path, list[str]] = {}
        self._source_patterns: dict[tuple[Path, ...], tuple[str, ...]] = {}
        self._source_folders: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._module_suffixes: dict[str, str | None] = {}

    def settings(self, folder: str) -> tuple[Path, ...]:
        """Return the settings files that apply to the files of a folder.

        These are the files in the folder and in all folders above it, and the files
        that they extend. Above the root, only the nearest folder with settings counts.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read, or
                extends a file that is not followed.
        """
        if folder not in self._settings:
            files = self._find_files(self._root / folder)
            path = PurePosixPath(folder)
            if path.parents:
                files += self.settings(str(path.parent))
            elif self._nearest_folder_above_root is not None:
                files += self._find_files(self._nearest_folder_above_root)
            self._settings[folder] = files
        return self._settings[folder]

    def _find_files(self, folder: Path) -> tuple[Path, ...]:
        """Return the settings files in a folder, and those that they extend."""
        reached = walk(_settings_files(folder), _extended_files)
        # One more than allowed shows that there are too many.
        files = tuple(islice(reached, MAX_EXTENDED_FILES + 1))
        if len(files) > MAX_EXTENDED_FILES:
            raise SettingsError(
                f"{folder}: more than {MAX_EXTENDED_FILES} settings files extend each "
                "other"
            )
        return files

    @cached_property
    def _nearest_folder_above_root(self) -> Path | None:
        """The nearest folder above the root with formatter settings, or None."""
        for folder in self._root.parents:
            for file in _settings_files(folder):
                # A `pyproject.toml` counts only if it is about the formatter.
                if file.name != PYPROJECT:
                    return folder
                if _FORMATTER_TABLE.search(read_settings(file)):
                    return folder
        return None

    def source_patterns(self, folder: str) -> tuple[str, ...]:
        """Return the folders in which ruff searches for first-party modules.

        These are, for each settings file that applies to a folder, its own folder, `src`
        in it, and the folders of its setting `src`, which can have wildcards.

        Args:
            folder: The folder of the files that import the modules.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read.
        """
        files = self.settings(folder)
        if files in self._source_patterns:
            return self._source_patterns[files]
        patterns = []
        for file in files:
            if file not in self._source_entries:
                self._source_entries[file] = _source_entries(file)
            for entry in self._source_entries[file]:
                pattern = file.parent / entry
                # Windows has no relative path to another drive.
                if pattern.anchor == self._root.anchor:
                    relative = os.path.relpath(pattern, self._root)
                    patterns.append(Path(relative).as_posix())
        self._source_patterns[files] = tuple(dict.fromkeys(patterns))
        return self._source_patterns[files]

    def source_folders(self, folder: str) -> tuple[str, ...]:
        """Return the folders in which ruff searches for modules, without wildcards.

        A pattern with wildcards, such as `packages/*`, is replaced by the folders that
        match.

        Args:
            folder: The folder of the files that import the modules.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read.
        """
        patterns = self.source_patterns(folder)
        if patterns not in self._source_folders:
            self._source_folders[patterns] = self._source_globs.expand(patterns)
        return self._source_folders[patterns]

    def look_up_modules(self, folder: str, text: str) -> dict[str, str | None]:
        """Search for the modules that a file imports, and for its packages, as ruff does.

        Ruff sorts imports of modules that it finds in the project after those of
        installed packages. Some fixes, such as that of relative imports, depend on the
        packages that contain the file.

        Args:
            folder: The folder of the file.
            text: The text of the file.

        Returns:
            A map from each path at which a module can be to the suffix that it has
            there: `{"src/acme/utils": ".py", "src/torch": None}`. The suffix is `.py`,
            `.pyi`, an empty string for a folder, or None if nothing is there.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read.
        """
        names = set()
        for module in absolute_modules(text):
            # Newer releases search for the module, older ones for its package.
            names.add(module.replace(".", "/"))
            names.add(module.partition(".")[0])

        suffixes = {}
        for source in self.source_folders(folder):
            for name in sorted(names):
                stem = join_path(source, name)
                suffixes[stem] = self.module_suffix(stem)
        for stem in self._package_stems(folder):
            suffixes[stem] = self.module_suffix(stem)
        return suffixes

    def _package_stems(self, folder: str) -> Iterator[str]:
        """Yield the paths, without `.py`, at which ruff looks for packages of a folder.

        For `src/acme/models`, these are `src/acme/models/__init__`, `src/acme/__init__`
        and `src/__init__`. They end at the first folder that is not a package. The root is
        left out, because it has another name in the mirror.
        """
        path = PurePosixPath(folder)
        for package in (path, *path.parents):
            if package.name in ("", ".."):
                return
            stem = f"{package}/__init__"
            yield stem
            if self.module_suffix(stem) != ".py":
                return

    def module_suffix(self, stem: str) -> str | None:
        """Return the suffix of a module's file, such as `.py`.

        Args:
            stem: The path of the module without suffix, such as `src/acme/utils`.

        Returns:
            `.py`, `.pyi`, an empty string for a folder, or None if the module does not
            exist.
        """
        if stem not in self._module_suffixes:
            path = str(self._root / stem)
            suffix = None
            if os.path.isdir(path):
                suffix = ""
            elif os.path.isfile(f"{path}.py"):
                suffix = ".py"
            elif os.path.isfile(f"{path}.pyi"):
                suffix = ".pyi"
            self._module_suffixes[stem] = suffix
        return self._module_suffixes[stem]


def read_table(file: Path, *keys: str) -> dict[str, Any]:
    """Return a table of a TOML file.

    Args:
        file: The file.
        keys: The keys that lead to the table.

    Returns:
        The table; empty if the file has none.

    Raises:
        modular.settings.settings.SettingsError: The file cannot be read.
    """
    try:
        table: Any = parse_toml(read_settings(file))
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _settings_files(folder: Path) -> list[Path]:
    """Return the settings files in a folder."""
    return [folder / name for name in CONFIGS if (folder / name).is_file()]


def read_settings(file: Path) -> bytes:
    """Read a settings file.

    Raises:
        modular.settings.settings.SettingsError: The file cannot be read or is too long.
    """
    try:
        return read_bytes(file, MAX_SETTINGS_BYTES)
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error


def _read_ruff_table(file: Path) -> dict[str, Any]:
    """Return the settings of ruff in a settings file."""
    if file.name == PYPROJECT:
        return read_table(file, "tool", "ruff")
    return read_table(file)


def _extended_files(file: Path) -> list[Path]:
    """Return the file that a settings file of ruff names in `extend`, if it exists.

    Raises:
        modular.settings.settings.SettingsError: The file cannot be read, or names a
            file that is not followed.
    """
    extended = _read_ruff_table(file).get("extend")
    if not isinstance(extended, str):
        return []
    if extended.startswith("~") or "$" in extended or not extended.isprintable():
        raise SettingsError(
            f"{file}: `extend` names `{extended}`: paths with a leading `~` or a `$` "
            "are not followed"
        )
    path = Path(os.path.normpath(file.parent / extended))
    if not path.exists():
        return []
    # A link could lead to any file of the machine. If such a file is not TOML, the message
    # of the error would quote its content.
    if Path(os.path.realpath(path)).suffix != ".toml":
        raise SettingsError(
            f"{file}: `extend` names `{extended}`, which is not a settings file "
            "(`.toml`)"
        )
    return [path]


def _source_entries(file: Path) -> list[str]:
    """Return the folders in which ruff searches for modules, as one settings file says.

    The folders are relative to the file. A folder of the setting `src` can have wildcards.
    """
    entries = [".", "src"]  # the defaults of ruff
    setting = _read_ruff_table(file).get("src")
    if isinstance(setting, list):
        for entry in setting:
            if isinstance(entry, str) and entry.isprintable():
                entries.append(os.path.expanduser(os.path.expandvars(entry)))
    return entries
