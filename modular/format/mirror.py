"""What a formatter sees around the files of a project: its settings, in any folder, and the modules that its files import.

A mirror, a temporary folder, shows it all that around texts that are not on disk.
"""

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from modular.settings.settings import SettingsError
from modular.source.import_statements import absolute_modules
from modular.source.walking import walk
from modular.system import safe_paths
from modular.system.interrupts import shielded
from modular.system.reading import LARGEST, parse_toml, read_bytes
from modular.system.ruff import FormatterError


PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", PYPROJECT)
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_HAS_FORMATTER = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)

_TOML = ".toml"
_BELOW_TOP = "root"
"""Folder of a mirror that stands for the outermost folder that it shows."""

_MOST_EXTENDED = 20
"""Settings files that may extend each other."""

MAX_SOURCE_FOLDERS = 1_000
"""Folders that count of those that match one pattern of ruff's setting `src`."""


class Mirror(NamedTuple):
    """A mirror of a project in the temporary folder ``top``, which shows what is in the folder ``above``, the root or one around it.

    ``root`` is where the project's root is in it, and ``modules`` the modules that ruff may find there, by the path of each text.
    """

    top: Path
    above: Path
    root: Path
    modules: Mapping[str, Mapping[str, str | None]]


class FormatterConfig:
    """The files that decide how a formatter treats the files of a project.

    These are settings in any folder, and the modules for which the sorting of imports searches the project. Every
    file and folder is looked at once.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, tuple[Path, ...]] = {}
        self._source_patterns: dict[str, tuple[str, ...]] = {}
        self._source_folders: dict[str, tuple[str, ...]] = {}
        self._suffixes: dict[str, str | None] = {}

    def settings(self, folder: str) -> Iterator[Path]:
        """Yield the files that decide how files of a folder, relative to the root, are formatted; those above the root too.

        Raises SettingsError.
        """
        path = PurePosixPath(folder)
        for place in (
            *(self._root / inside for inside in (path, *path.parents)),
            *self._above,
        ):
            if place not in self._files:
                self._files[place] = tuple(
                    islice(walk(_configs(place), _extended), _MOST_EXTENDED + 1)
                )
                if len(self._files[place]) > _MOST_EXTENDED:
                    raise SettingsError(
                        f"{place}: more than {_MOST_EXTENDED} settings files extend each other"
                    )
            yield from self._files[place]

    @cached_property
    def _above(self) -> list[Path]:
        """The nearest folder above the root with settings of a formatter, if there is one."""
        for folder in self._root.parents:
            if any(
                config.name != PYPROJECT or _HAS_FORMATTER.search(_read(config))
                for config in _configs(folder)
            ):
                return [folder]
        return []

    def source_patterns(self, folder: str) -> tuple[str, ...]:
        """Return where ruff searches for first-party modules that the files of a folder import.

        Args:
            folder: A folder, relative to the root.

        Returns:
            Paths of folders, relative to the root, or patterns with wildcards: for each settings file its own folder, `src` in
            it, and what its setting `src` names.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read.
        """
        if folder not in self._source_patterns:
            patterns = []
            for file in self.settings(folder):
                patterns += [
                    str(file.parent / entry) for entry in _source_entries(file)
                ]
            relative = [
                Path(os.path.relpath(pattern, self._root)).as_posix()
                for pattern in patterns
                if Path(pattern).anchor == self._root.anchor
            ]
            self._source_patterns[folder] = tuple(dict.fromkeys(relative))
        return self._source_patterns[folder]

    def source_folders(self, folder: str) -> tuple[str, ...]:
        """Return the same with each pattern replaced by the folders that match it. Raises SettingsError."""
        if folder not in self._source_folders:
            folders: list[str] = []
            for pattern in self.source_patterns(folder):
                if has_magic(pattern):
                    matches = iglob(pattern, root_dir=self._root)
                    for match in sorted(islice(matches, MAX_SOURCE_FOLDERS)):
                        folders.append(Path(match).as_posix())
                else:
                    folders.append(pattern)
            self._source_folders[folder] = tuple(folders)
        return self._source_folders[folder]

    def look_up_modules(self, folder: str, text: str) -> dict[str, str | None]:
        """Return what ruff may find where it searches for the modules that a file imports.

        Args:
            folder: The file's folder, relative to the root.
            text: The file's text.

        Returns:
            The suffix of each module (see `module_suffix`) by its path, without suffix, relative to the root.

        Raises:
            modular.settings.settings.SettingsError: A settings file cannot be read.
        """
        names = set()
        for module in absolute_modules(text):
            # By its release, ruff searches for the module or for the package that it is in.
            names.update([module.replace(".", "/"), module.partition(".")[0]])
        stems = [
            f"{source}/{name}" if source != "." else name
            for source in self.source_folders(folder)
            for name in sorted(names)
        ]
        return {stem: self.module_suffix(stem) for stem in stems}

    def module_suffix(self, stem: str) -> str | None:
        """Return what follows the path of a module: nothing for a folder, `.py` or `.pyi`; None if there is no such module."""
        if stem not in self._suffixes:
            place = str(self._root / stem)
            suffix = None
            if os.path.isdir(place):
                suffix = ""
            elif os.path.isfile(f"{place}.py"):
                suffix = ".py"
            elif os.path.isfile(f"{place}.pyi"):
                suffix = ".pyi"
            self._suffixes[stem] = suffix
        return self._suffixes[stem]


def _source_entries(file: Path) -> list[str]:
    """Return the folders that a settings file names for first-party modules, relative to itself, with ruff's own default."""
    entries = _ruff_table(file).get("src")
    named = (
        [entry for entry in entries if isinstance(entry, str) and entry.isprintable()]
        if isinstance(entries, list)
        else []
    )
    return [
        ".",
        "src",
        *(os.path.expanduser(os.path.expandvars(entry)) for entry in named),
    ]


def _configs(folder: Path) -> list[Path]:
    """The settings files of a formatter in a folder."""
    return [folder / name for name in CONFIGS if (folder / name).is_file()]


def _read(file: Path) -> bytes:
    """Read a settings file. Raises SettingsError."""
    try:
        return read_bytes(file, LARGEST)
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error


def _extended(file: Path) -> list[Path]:
    """The settings file that another one extends, if it is there. Raises SettingsError if it is something else."""
    named = _ruff_table(file).get("extend")
    if not isinstance(named, str):
        return []
    if named.startswith("~") or "$" in named or not named.isprintable():
        raise SettingsError(
            f"{file}: `extend` names `{named}`: paths with a leading `~` or a `$` are not followed"
        )
    place = Path(os.path.normpath(file.parent / named))
    if not place.exists():
        return []
    if Path(os.path.realpath(place)).suffix != _TOML:
        raise SettingsError(
            f"{file}: `extend` names `{named}`, which is not a settings file (`{_TOML}`)"
        )
    return [place]


def _ruff_table(file: Path) -> dict[str, Any]:
    """Return the settings of ruff in a settings file. Raises SettingsError."""
    keys = ("tool", "ruff") if file.name == PYPROJECT else ()
    return _table_of(file, *keys)


def _table_of(file: Path, *keys: str) -> dict[str, Any]:
    """Return a table of a settings file, empty if it has none of that name. Raises SettingsError."""
    try:
        table: Any = parse_toml(_read(file))
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Mirror]:
    """Make a mirror of the project at ``root`` with texts by path, and delete it in the end.

    Raises OSError, and `settings.SettingsError` where the formatter's settings are not valid.
    """
    for path in texts:
        if problem := safe_paths.problem(path):
            raise OSError(errno.EINVAL, problem, path)
    with shielded():
        folder = TemporaryDirectory(
            prefix="modular-mirror-", ignore_cleanup_errors=True
        )
    top = Path(folder.name).resolve()
    try:
        shown = _populate_mirror(root, top, texts)
        try:
            yield shown
        except FormatterError as error:
            raise FormatterError(_with_real_paths(str(error), root, shown)) from error
    finally:
        with shielded():
            folder.cleanup()


def _with_real_paths(message: str, root: Path, shown: Mirror) -> str:
    """Name the project's own files in a message of a formatter, which has seen those of the mirror."""
    message = message.replace(str(shown.top / PYPROJECT), str(root / PYPROJECT))
    for copy, original in (
        (shown.top / _BELOW_TOP, shown.above),
        (shown.top, shown.above.parent),
    ):
        message = message.replace(f"{copy}{os.sep}", str(original / "_")[:-1])
    return message


def _populate_mirror(root: Path, top: Path, texts: Mapping[str, str]) -> Mirror:
    """Put into a folder what the formatter is to see, each file where it is seen from the others; return where the project is.

    So settings that name files or folders relative to themselves mean the same ones.
    """
    (top / PYPROJECT).write_text(_no_settings(root), encoding="utf-8")
    config = FormatterConfig(root)
    folders = {".", *(str(PurePosixPath(path).parent) for path in texts)}
    files = {file for folder in folders for file in config.settings(folder)}
    sources = [
        os.path.normpath(root / source)
        for folder in folders
        for source in config.source_folders(folder)
    ]
    above = Path(os.path.commonpath([root, *(file.parent for file in files), *sources]))
    place = top / _BELOW_TOP / root.relative_to(above)
    for file in files:
        copy = top / _BELOW_TOP / file.relative_to(above)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(_read(file))
    for folder in folders:
        (place / folder).mkdir(parents=True, exist_ok=True)
    fill(place, texts)
    modules = {
        path: config.look_up_modules(str(PurePosixPath(path).parent), text)
        for path, text in texts.items()
    }
    for path in texts:
        _show_modules(place, top, modules[path])
    return Mirror(top, above, place, modules)


def _no_settings(root: Path) -> str:
    """Settings without a setting: a formatter that finds none looks further up, and the temporary folder is not ours.

    Where nothing is set, the Python version that the project requires still counts.
    """
    required = (
        _table_of(root / PYPROJECT, "project").get("requires-python")
        if (root / PYPROJECT).is_file()
        else None
    )
    quoted = json.dumps(required, ensure_ascii=False)
    table = (
        f"[project]\nrequires-python = {quoted}\n" if isinstance(required, str) else ""
    )
    return f"{table}[tool.ruff]\n[tool.black]\n"


def fill(place: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a mirror, by path, each as a new file: nothing is written through a link. Raises OSError."""
    for path, text in texts.items():
        (place / path).unlink(missing_ok=True)
        (place / path).write_text(text, encoding="utf-8", newline="")


def _show_modules(place: Path, top: Path, modules: Mapping[str, str | None]) -> None:
    """Make the modules that are there, empty, for the sorting of imports to find; ruff sees no other of the project."""
    for stem, suffix in modules.items():
        target = Path(os.path.normpath(place / f"{stem}{suffix}"))
        if suffix is None or not target.is_relative_to(top) or target.exists():
            continue
        if suffix:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        else:
            target.mkdir(parents=True)
