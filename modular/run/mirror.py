"""A temporary folder that looks like the project to a formatter: its settings, its folders, and the texts to format."""

import errno
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from modular.rules.settings import LARGEST, SettingsError, parse_toml
from modular.run.interrupts import shielded
from modular.run.locking import exclusive, is_free
from modular.source import safe_paths
from modular.source.reading import read_bytes
from modular.source.walking import walk


_PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", _PYPROJECT)
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_HAS_FORMATTER = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)
_EXTEND = re.compile(r"^([ \t]*extend[ \t]*=[ \t]*)([\"'])(.+?)\2", re.MULTILINE)
_PREFIX = "modular-mirror-"
_ABANDONED = 60.0
"""Seconds after which a mirror that nobody holds is one that a killed run has left."""

_DELETIONS = 10
_PAUSE = 0.05
"""How often a mirror is deleted until it is gone, and the seconds between."""

_TOML = ".toml"
_MOST_EXTENDED = 20
"""Settings files that may extend each other."""


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """Make a mirror of the project at ``root`` with texts by path, and delete it in the end.

    Raises OSError, and `settings.SettingsError` where the formatter's settings are none.
    """
    for path in texts:
        if problem := safe_paths.problem(path):
            raise OSError(errno.EINVAL, problem, path)
    _delete_abandoned()
    name = None
    try:
        with shielded():
            name = tempfile.mkdtemp(prefix=_PREFIX)
        with exclusive(Path(name)):
            place = Path(name).resolve() / "root"
            _furnish(root, place, texts)
            yield place
    finally:
        with shielded():
            if name is not None:
                _delete(name)


def _furnish(root: Path, place: Path, texts: Mapping[str, str]) -> None:
    """Put into a mirror what the formatter is to see."""
    folders = {PurePosixPath(path).parent for path in texts}
    parents = {PurePosixPath(".")} | {parent for folder in folders for parent in (folder, *folder.parents)}
    for above in _configured_above(root):
        _copy_configs(above, place.parent)
    for folder in sorted(parents):
        (place / folder).mkdir(parents=True, exist_ok=True)
        _copy_configs(root / folder, place / folder)
    fill(place, texts)
    for folder in (PurePosixPath("."), PurePosixPath("src")):
        if folder in parents:
            _link_packages(root / folder, place / folder)


def fill(place: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a mirror, by path, each as a new file: nothing is written through a link. Raises OSError."""
    for path, text in texts.items():
        target = place / path
        target.unlink(missing_ok=True)
        with open(target, "x", encoding="utf-8", newline="") as file:
            file.write(text)


class Surroundings:
    """What a formatter sees around the files of a project: settings, and the names of packages. Each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._settings: dict[PurePosixPath, bytes] = {}

    def digest(self, folder: str) -> bytes:
        """Return a digest of what there is around the files of a folder."""
        path = PurePosixPath(folder)
        return self._of_project + b"".join(self._settings_of(each) for each in (path, *path.parents))

    @cached_property
    def _of_project(self) -> bytes:
        names = ["\n".join(sorted(_packages(folder))) for folder in (self._root, self._root / "src")]
        above = [_settings_digest(folder) for folder in _configured_above(self._root)]
        return blake2b("\0".join(names).encode(errors="surrogateescape"), digest_size=16).digest() + b"".join(above)

    def _settings_of(self, folder: PurePosixPath) -> bytes:
        if folder not in self._settings:
            self._settings[folder] = _settings_digest(self._root / folder)
        return self._settings[folder]


def settings_files(root: Path, folder: str) -> Iterator[Path]:
    """Yield the files that decide how files of a folder, relative to the root, are formatted; those above the root too."""
    path = PurePosixPath(folder)
    for place in (*(root / each for each in (path, *path.parents)), *_configured_above(root)):
        yield from _settings_in(place)


def _settings_in(folder: Path) -> Iterator[Path]:
    """The settings files of one folder, and what they extend."""
    for config in _configs(folder):
        yield config
        yield from _extended(config)


def _settings_digest(folder: Path) -> bytes:
    found = blake2b(digest_size=16)
    for file in _settings_in(folder):
        found.update(f"\0{file.name}\0".encode() + _read(file))
    return found.digest()


def _configs(folder: Path) -> Iterator[Path]:
    return (folder / name for name in CONFIGS if (folder / name).is_file())


def _configured_above(root: Path) -> list[Path]:
    """The nearest folder above the root with settings of a formatter, if there is one."""
    for folder in root.parents:
        if any(config.name != _PYPROJECT or _HAS_FORMATTER.search(_read(config)) for config in _configs(folder)):
            return [folder]
    return []


def _read(file: Path) -> bytes:
    """Read a settings file. Raises SettingsError."""
    try:
        return read_bytes(file, LARGEST)
    except OSError as error:
        raise SettingsError(f"{file}: {error.strerror}") from error


def _extended(config: Path) -> Iterator[Path]:
    """The settings that a settings file extends, and those that these extend. Raises SettingsError."""
    for number, file in enumerate(walk([config], _directly_extended)):
        if number > _MOST_EXTENDED:
            raise SettingsError(f"{config}: more than {_MOST_EXTENDED} settings files extend each other")
        if number:
            yield file


def _directly_extended(file: Path) -> list[Path]:
    """The settings file that another one names, if it is there. Raises SettingsError if it is something else."""
    named = _extends(file, _read(file))
    if named is None or not (found := file.parent / named).exists():
        return []
    if Path(os.path.realpath(found)).suffix != _TOML:
        raise SettingsError(f"{file}: `extend` names `{named}`, which is not a settings file (`{_TOML}`)")
    return [found]


def _extends(file: Path, data: bytes) -> str | None:
    """Return which file a settings file extends, as it is named there. Raises SettingsError."""
    try:
        named = _extend_in(data, file.name == _PYPROJECT)
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    if named is not None and (named.startswith("~") or "$" in named or not named.isprintable()):
        raise SettingsError(f"{file}: `extend` names `{named}`: what begins with `~`, or has a `$`, is not followed")
    return named


@lru_cache(maxsize=256)
def _extend_in(data: bytes, is_pyproject: bool) -> str | None:
    """Return the setting `extend` of a file. Raises ValueError."""
    table: object = parse_toml(data)
    for key in ("tool", "ruff") if is_pyproject else ():
        table = table.get(key, {}) if isinstance(table, dict) else {}
    found = table.get("extend") if isinstance(table, dict) else None
    return found if isinstance(found, str) else None


def _copy_configs(folder: Path, place: Path) -> None:
    """Copy settings; what they extend stays where it is. Raises SettingsError."""

    def absolute(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}{(folder / match[3]).as_posix()}{match[2]}"

    for config in _configs(folder):
        data = _read(config)
        list(_extended(config))
        copied = _EXTEND.sub(absolute, data.decode("utf-8", errors="surrogateescape"))
        data, named = copied.encode("utf-8", errors="surrogateescape"), _extends(config, data)
        if named is not None and _extends(config, data) != (folder / named).as_posix():
            raise SettingsError(f'{config}: `extend` must stand in a line of its own, as in `extend = "ruff.toml"`')
        (place / config.name).write_bytes(data)


def _packages(folder: Path) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and (entry.name.endswith((".py", ".pyi")) or entry.is_dir()):
                yield entry.name


def _link_packages(folder: Path, place: Path) -> None:
    """Import sorting asks which packages stand in the project; links to them answer."""
    for name in _packages(folder):
        if not os.path.lexists(place / name):
            (place / name).symlink_to(folder / name)


def _delete(folder: str) -> None:
    """Delete a mirror, though a formatter that was ended may still be writing into it."""
    for _ in range(_DELETIONS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(_PAUSE)


def _delete_abandoned() -> None:
    """Delete the mirrors of killed runs. What cannot be deleted is left to whoever cleans the temporary folder."""
    before = time.time() - _ABANDONED
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with suppress(OSError, RecursionError):
                    _delete_if_abandoned(entry, before)


def _delete_if_abandoned(entry: os.DirEntry[str], before: float) -> None:
    state = entry.stat(follow_symlinks=False)
    is_ours = not hasattr(os, "getuid") or state.st_uid == os.getuid()
    if is_ours and state.st_mtime < before and entry.is_dir(follow_symlinks=False) and is_free(Path(entry.path)):
        shutil.rmtree(entry.path, ignore_errors=True)
