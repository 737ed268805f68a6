"""Writes files: the only place in the tool that does, for a stranger's project may have planted links where it writes.

New texts are staged beside their places under names that nobody can foresee, created exclusively, and renamed into place. No
folder below the root may lead out of it by a link; a link in the place of the file is replaced and never followed.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from modular.system.interrupts import shielded


STAGED_SUFFIX = ".modular-tmp"
"""What the names of staged files end with."""


class OutsideRootError(OSError):
    """A place cannot be written because a link leads from it out of the root."""


def write_file(place: Path, data: bytes, root: Path) -> None:
    """Write one file, its folder included: see `write_files`. Raises OSError."""
    write_files({place: data}, root)


def write_files(files: Mapping[Path, bytes], root: Path) -> None:
    """Write files that belong together, their folders included: all of them or none.

    ``root`` is the folder that links below it must not lead out of; places outside of it are somebody's own choice. A
    kill between two renames can leave some files new and some old. Raises OutsideRootError, or another OSError, whose
    ``filename`` is the place; then all is as before.
    """
    staged: dict[Path, Path] = {}
    with shielded():
        try:
            for place, data in files.items():
                _stage(place, data, root, staged)
            _put_in_place(files, staged, root)
        finally:
            _delete(staged.values())


def _stage(place: Path, data: bytes, root: Path, staged: dict[Path, Path]) -> None:
    """Write data into a new file beside a place, and note it among those that are staged."""
    try:
        target = _target(place, root)
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f".{os.urandom(8).hex()}{STAGED_SUFFIX}")
        with open(new, "xb") as file:
            staged[target] = new
            file.write(data)
        with suppress(FileNotFoundError):
            state = os.lstat(target)
            if stat.S_ISREG(state.st_mode):
                os.chmod(new, stat.S_IMODE(state.st_mode) & 0o777)
    except OSError as error:
        raise _at(place, error) from error


def _target(place: Path, root: Path) -> Path:
    """Return where a file goes when its folders' links are followed. Raises OutsideRootError."""
    absolute = Path(os.path.abspath(place))
    real_root = os.path.realpath(root)
    inside = [
        Path(os.path.realpath(folder)).is_relative_to(real_root)
        for folder in reversed(absolute.parents)
    ]
    if any(inside) and not inside[-1]:
        raise OutsideRootError(
            errno.EPERM, f"a link leads out of {root}; remove the link", str(place)
        )
    return Path(os.path.realpath(absolute.parent)) / absolute.name


def _put_in_place(
    places: Iterable[Path], staged: Mapping[Path, Path], root: Path
) -> None:
    """Rename staged files; where one cannot be renamed, put back what was in the places of those before it."""
    before: dict[Path, bytes | None] = {}
    for place, (target, new) in zip(places, staged.items(), strict=True):
        try:
            old = target.read_bytes() if len(staged) > 1 and target.is_file() else None
            os.replace(new, target)
        except OSError as error:
            _restore(before, root)
            raise _at(place, error) from error
        before[target] = old


def _restore(before: Mapping[Path, bytes | None], root: Path) -> None:
    for target, old in before.items():
        with suppress(OSError):
            if old is None:
                target.unlink()
            else:
                write_file(target, old, root)


def _at(place: Path, error: OSError) -> OSError:
    """Name the place that was asked for, not the staged file, as what cannot be written."""
    return type(error)(error.errno, error.strerror or str(error), str(place))


def clear_staged(root: Path, folders: Iterable[str]) -> None:
    """Delete what killed runs have left in folders, relative to ``root``. Whoever calls this holds the lock of the root."""
    for folder in folders:
        place = Path(os.path.realpath(root / folder))
        if place.is_relative_to(root):
            _delete(place.glob(f".*{STAGED_SUFFIX}"))


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()
