"""What a formatter sees around the files of a project: its settings, in any folder, and the names of packages."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from modular.rules.settings import SettingsError
from modular.source.system.reading import LARGEST, parse_toml, read_bytes
from modular.source.walking import walk


PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", PYPROJECT)
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_HAS_FORMATTER = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)

_TOML = ".toml"
_MOST_EXTENDED = 20
"""Settings files that may extend each other."""


class Surroundings:
    """What a formatter sees around the files of a project: settings, and the names of packages. Each is looked at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, tuple[Path, ...]] = {}
        self._digests: dict[Path, bytes] = {}

    def settings(self, folder: str) -> Iterator[Path]:
        """Yield the files that decide how files of a folder, relative to the root, are formatted; those above the root too."""
        for place in (*self._upwards(folder), *self._above):
            yield from self._settings_in(place)

    def digest(self, folder: str) -> bytes:
        """Return a digest of what there is around the files of a folder."""
        return self._of_project + b"".join(map(self._digest, self._upwards(folder)))

    def are_complete(self, folder: str) -> bool:
        """Whether no settings have come since those of a folder were looked at."""
        is_complete = all(set(configs(place)) <= set(self._settings_in(place)) for place in self._upwards(folder))
        return is_complete and configured_above(self._root) == self._above

    def _upwards(self, folder: str) -> Iterator[Path]:
        path = PurePosixPath(folder)
        return (self._root / each for each in (path, *path.parents))

    @cached_property
    def _above(self) -> list[Path]:
        return configured_above(self._root)

    @cached_property
    def _of_project(self) -> bytes:
        names = ["\n".join(sorted(packages(folder))) for folder in (self._root, self._root / "src")]
        above = map(self._digest, self._above)
        return blake2b("\0".join(names).encode(errors="surrogateescape"), digest_size=16).digest() + b"".join(above)

    def _settings_in(self, folder: Path) -> tuple[Path, ...]:
        """The settings files of one folder, and what they extend."""
        if folder not in self._files:
            self._files[folder] = tuple(file for config in configs(folder) for file in (config, *extended(config)))
        return self._files[folder]

    def _digest(self, folder: Path) -> bytes:
        if folder not in self._digests:
            found = blake2b(digest_size=16)
            for file in self._settings_in(folder):
                found.update(f"\0{file.name}\0".encode() + read(file))
            self._digests[folder] = found.digest()
        return self._digests[folder]


def configs(folder: Path) -> Iterator[Path]:
    """The settings files of a formatter in a folder."""
    return (folder / name for name in CONFIGS if (folder / name).is_file())


def configured_above(root: Path) -> list[Path]:
    """The nearest folder above the root with settings of a formatter, if there is one."""
    for folder in root.parents:
        if any(config.name != PYPROJECT or _HAS_FORMATTER.search(read(config)) for config in configs(folder)):
            return [folder]
    return []


def read(file: Path) -> bytes:
    """Read a settings file. Raises SettingsError."""
    try:
        return read_bytes(file, LARGEST)
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error


def extended(config: Path) -> Iterator[Path]:
    """The settings that a settings file extends, and those that these extend. Raises SettingsError."""
    for number, file in enumerate(walk([config], _directly_extended)):
        if number > _MOST_EXTENDED:
            raise SettingsError(f"{config}: more than {_MOST_EXTENDED} settings files extend each other")
        if number:
            yield file


def _directly_extended(file: Path) -> list[Path]:
    """The settings file that another one names, if it is there. Raises SettingsError if it is something else."""
    named = extends(file, read(file))
    if named is None or not (found := file.parent / named).exists():
        return []
    if Path(os.path.realpath(found)).suffix != _TOML:
        raise SettingsError(f"{file}: `extend` names `{named}`, which is not a settings file (`{_TOML}`)")
    return [found]


def extends(file: Path, data: bytes) -> str | None:
    """Return which file a settings file extends, as it is named there. Raises SettingsError."""
    named = _table(file, data, *(("tool", "ruff") if file.name == PYPROJECT else ())).get("extend")
    if not isinstance(named, str):
        return None
    if named.startswith("~") or "$" in named or not named.isprintable():
        raise SettingsError(
            f"{file}: `extend` names `{named}`: paths that begin with `~` or contain `$` are not followed"
        )
    return named


def table_of(file: Path, *keys: str) -> dict[str, object]:
    """Return a table of a settings file, empty if it has none of that name. Raises SettingsError."""
    return _table(file, read(file), *keys)


def _table(file: Path, data: bytes, *keys: str) -> dict[str, object]:
    try:
        table: object = parse_toml(data)
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def packages(folder: Path) -> Iterator[str]:
    """The names of what may be a package or a module in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and (entry.name.endswith((".py", ".pyi")) or entry.is_dir()):
                yield entry.name
