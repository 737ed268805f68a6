"""A temporary folder that looks like the project to a formatter: its settings, its folders, and the texts to format."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from modular.run.locking import exclusive, is_free


_PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", _PYPROJECT)
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_HAS_FORMATTER = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)
_EXTEND = re.compile(r"^([ \t]*extend[ \t]*=[ \t]*)([\"'])(.+?)\2", re.MULTILINE)
_PREFIX = "modular-mirror-"
_ABANDONED = 60.0
"""Seconds after which a mirror that nobody holds is one that a killed run has left."""


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """Make a mirror of the project at ``root`` with texts by path, and delete it in the end. Raises OSError."""
    _delete_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, exclusive(Path(name)):
        place = Path(name).resolve() / "root"
        folders = {PurePosixPath(path).parent for path in texts}
        parents = {PurePosixPath(".")} | {parent for folder in folders for parent in (folder, *folder.parents)}
        for above in _configured_above(root):
            _copy_configs(above, place.parent)
        for folder in sorted(parents):
            (place / folder).mkdir(parents=True, exist_ok=True)
            _copy_configs(root / folder, place / folder)
        for folder in (PurePosixPath("."), PurePosixPath("src")):
            if folder in parents:
                _link_packages(root / folder, place / folder)
        fill(place, texts)
        yield place


def fill(place: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a mirror, by path. Raises OSError."""
    for path, text in texts.items():
        (place / path).write_text(text, encoding="utf-8", newline="")


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
        found.update(f"\0{file.name}\0".encode() + file.read_bytes())
    return found.digest()


def _configs(folder: Path) -> Iterator[Path]:
    return (folder / name for name in CONFIGS if (folder / name).is_file())


def _configured_above(root: Path) -> list[Path]:
    """The nearest folder above the root with settings of a formatter, if there is one."""
    for folder in root.parents:
        if any(config.name != _PYPROJECT or _HAS_FORMATTER.search(config.read_bytes()) for config in _configs(folder)):
            return [folder]
    return []


def _extended(config: Path) -> Iterator[Path]:
    """The settings that a settings file extends, and those that these extend."""
    seen = {config}
    waiting = [config]
    while waiting:
        current = waiting.pop()
        for _, _, name in _EXTEND.findall(current.read_text(encoding="utf-8", errors="replace")):
            path = current.parent / name
            if path not in seen and path.is_file():
                seen.add(path)
                waiting.append(path)
                yield path


def _copy_configs(folder: Path, place: Path) -> None:
    """Copy settings; what they extend stays where it is."""

    def absolute(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}{(folder / match[3]).as_posix()}{match[2]}"

    for config in _configs(folder):
        text = config.read_text(encoding="utf-8", errors="surrogateescape")
        with open(place / config.name, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(_EXTEND.sub(absolute, text))


def _packages(folder: Path) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and (entry.name.endswith((".py", ".pyi")) or entry.is_dir()):
                yield entry.name


def _link_packages(folder: Path, place: Path) -> None:
    """Import sorting asks which packages stand in the project; links to them answer."""
    for name in _packages(folder):
        if not (place / name).exists():
            (place / name).symlink_to(folder / name)


def _delete_abandoned() -> None:
    """Delete the mirrors of killed runs."""
    before = time.time() - _ABANDONED
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.stat(follow_symlinks=False).st_mtime < before:
                if entry.is_dir(follow_symlinks=False) and is_free(Path(entry.path)):
                    shutil.rmtree(entry.path, ignore_errors=True)
