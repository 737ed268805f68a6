"""A temporary folder that looks like the project to a formatter: its settings, its folders, and the texts to format."""

import errno
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from modular.format.formatter_config import (
    PYPROJECT,
    configs,
    configured_above,
    extended,
    extends,
    packages,
    read,
    table_of,
)
from modular.rules.settings import SettingsError
from modular.source.system import safe_paths
from modular.source.system.interrupts import shielded


_EXTEND = re.compile(r"^([ \t]*extend[ \t]*=[ \t]*)([\"'])(.+?)\2", re.MULTILINE)
_PREFIX = "modular-mirror-"
_ABANDONED = 3600.0
"""Seconds after which a mirror is one that a killed run has left: formatters are given less time than that."""


@contextmanager
def mirror(root: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """Make a mirror of the project at ``root`` with texts by path, and delete it in the end.

    Raises OSError, and `settings.SettingsError` where the formatter's settings are not valid.
    """
    for path in texts:
        if problem := safe_paths.problem(path):
            raise OSError(errno.EINVAL, problem, path)
    _delete_abandoned()
    name = None
    try:
        with shielded():
            name = tempfile.mkdtemp(prefix=_PREFIX)
        place = Path(name).resolve() / "above" / "root"
        _furnish(root, place, texts)
        yield place
    finally:
        with shielded():
            if name is not None:
                shutil.rmtree(name, ignore_errors=True)


def _furnish(root: Path, place: Path, texts: Mapping[str, str]) -> None:
    """Put into a mirror what the formatter is to see."""
    folders = {PurePosixPath(path).parent for path in texts}
    parents = {PurePosixPath(".")} | {parent for folder in folders for parent in (folder, *folder.parents)}
    place.mkdir(parents=True)
    (place.parent.parent / PYPROJECT).write_text(_no_settings(root), encoding="utf-8")
    for above in configured_above(root):
        _copy_configs(above, place.parent)
    for folder in sorted(parents):
        (place / folder).mkdir(parents=True, exist_ok=True)
        _copy_configs(root / folder, place / folder)
    fill(place, texts)
    for folder in (PurePosixPath("."), PurePosixPath("src")):
        if folder in parents:
            _link_packages(root / folder, place / folder)


def _no_settings(root: Path) -> str:
    """Settings without a setting: a formatter that finds none looks further up, and the temporary folder is not ours.

    Where nothing is set, the Python version that the project requires still counts.
    """
    required = table_of(root / PYPROJECT, "project").get("requires-python") if (root / PYPROJECT).is_file() else None
    quoted = json.dumps(required, ensure_ascii=False)
    table = f"[project]\nrequires-python = {quoted}\n" if isinstance(required, str) else ""
    return f"{table}[tool.ruff]\n[tool.black]\n"


def fill(place: Path, texts: Mapping[str, str]) -> None:
    """Write texts into a mirror, by path, each as a new file: nothing is written through a link. Raises OSError."""
    for path, text in texts.items():
        target = place / path
        target.unlink(missing_ok=True)
        with open(target, "x", encoding="utf-8", newline="") as file:
            file.write(text)


def _copy_configs(folder: Path, place: Path) -> None:
    """Copy settings; what they extend stays where it is. Raises SettingsError."""

    def absolute(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}{(folder / match[3]).as_posix()}{match[2]}"

    for config in configs(folder):
        data = read(config)
        list(extended(config))
        copied = _EXTEND.sub(absolute, data.decode("utf-8", errors="surrogateescape"))
        data, named = copied.encode("utf-8", errors="surrogateescape"), extends(config, data)
        if named is not None and extends(config, data) != (folder / named).as_posix():
            raise SettingsError(f'{config}: `extend` must be on a line of its own, as in `extend = "ruff.toml"`')
        (place / config.name).write_bytes(data)


def _link_packages(folder: Path, place: Path) -> None:
    """Import sorting asks which packages stand in the project; links to them answer."""
    for name in packages(folder):
        if not os.path.lexists(place / name):
            (place / name).symlink_to(folder / name)


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
    if is_ours and state.st_mtime < before and entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
