"""What a formatter sees around the files of a project: its settings, in any folder, and the names of packages.

A mirror, a temporary folder, shows it all that around texts that are not on disk.
"""

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from modular.settings.settings import SettingsError
from modular.source.walking import walk
from modular.system import safe_paths
from modular.system.interrupts import shielded
from modular.system.reading import LARGEST, parse_toml, read_bytes


PYPROJECT = "pyproject.toml"
CONFIGS = ("ruff.toml", ".ruff.toml", PYPROJECT)
"""Files that a formatter reads its settings from, in any folder down to that of the file it formats."""

_HAS_FORMATTER = re.compile(rb"^[ \t]*\[tool\.(?:ruff|black)\b", re.MULTILINE)

_TOML = ".toml"
_MOST_EXTENDED = 20
"""Settings files that may extend each other."""


class FormatterConfig:
    """What a formatter sees around the files of a project: settings, and the names of packages. Each is looked at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Path, tuple[Path, ...]] = {}

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

    @cached_property
    def packages(self) -> tuple[tuple[str, ...], ...]:
        """The names of what may be a package of the project, in its root and in `src`: the sorting of imports asks for them."""
        return tuple(
            tuple(sorted(_packages(folder)))
            for folder in (self._root, self._root / "src")
        )


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
    named = _table_of(file, *(("tool", "ruff") if file.name == PYPROJECT else ())).get(
        "extend"
    )
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


def _table_of(file: Path, *keys: str) -> dict[str, Any]:
    """Return a table of a settings file, empty if it has none of that name. Raises SettingsError."""
    try:
        table: Any = parse_toml(_read(file))
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _packages(folder: Path) -> Iterator[str]:
    """The names of what may be a package or a module in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and (
                entry.name.endswith((".py", ".pyi")) or entry.is_dir()
            ):
                yield entry.name


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
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
    try:
        yield _populate_mirror(root, Path(folder.name).resolve(), texts)
    finally:
        with shielded():
            folder.cleanup()


def _populate_mirror(root: Path, top: Path, texts: Mapping[str, str]) -> Path:
    """Put into a folder what the formatter is to see, each file where it is seen from the others; return where the project is.

    So settings that name files or folders relative to themselves mean the same ones.
    """
    (top / PYPROJECT).write_text(_no_settings(root), encoding="utf-8")
    config = FormatterConfig(root)
    folders = {".", *(str(PurePosixPath(path).parent) for path in texts)}
    files = {file for folder in folders for file in config.settings(folder)}
    above = os.path.commonpath([root, *(file.parent for file in files)])
    place = top / "root" / root.relative_to(above)
    for file in files:
        copy = top / "root" / file.relative_to(above)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(_read(file))
    for folder in folders:
        (place / folder).mkdir(parents=True, exist_ok=True)
    fill(place, texts)
    for folder in (".", "src"):
        if (place / folder).is_dir():
            _link_packages(root / folder, place / folder)
    return place


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


def _link_packages(folder: Path, place: Path) -> None:
    """Import sorting asks which packages are in the project; links to them answer."""
    for name in _packages(folder):
        if not os.path.lexists(place / name):
            (place / name).symlink_to(folder / name)
