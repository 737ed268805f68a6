"""One run at a time writes the files of a project.

The lock is on the root folder itself, so that it needs no file of its own and is gone with the process that holds it. Where
folders cannot be locked it is on a file in the temporary folder.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path


PATIENCE = 120.0
"""Seconds that a run waits for another one."""

_STEP = 0.05


class BusyError(Exception):
    """Another run held the lock all the time. The message names the folder."""


@contextmanager
def exclusive(folder: Path, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of a folder. Raises BusyError if it was not free for ``patience`` seconds (`PATIENCE` if None)."""
    descriptor = _open(folder)
    try:
        _wait(descriptor, folder, PATIENCE if patience is None else patience)
        yield
    finally:
        os.close(descriptor)


def is_free(folder: Path) -> bool:
    """Whether nobody holds the lock of a folder."""
    try:
        with exclusive(folder, 0):
            return True
    except BusyError:
        return False


def _wait(descriptor: int, folder: Path, patience: float) -> None:
    until = time.monotonic() + patience
    while not _try(descriptor):
        if time.monotonic() >= until:
            raise BusyError(f"another run has been writing files below {folder} for {patience:.0f} seconds")
        time.sleep(_STEP)


def _lock_file(folder: Path) -> int:
    name = blake2b(os.fsencode(folder.resolve()), digest_size=12).hexdigest()
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)  # others may have put a link there
    return os.open(Path(tempfile.gettempdir()) / f"modular-{name}.lock", flags, 0o666)


if sys.platform == "win32":
    import msvcrt

    def _open(folder: Path) -> int:
        return _lock_file(folder)

    def _try(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _open(folder: Path) -> int:
        """Open what is locked: the folder, or a file for it where its file system does not lock folders."""
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except OSError:
            return _lock_file(folder)
        try:
            _try(descriptor)
        except OSError:
            os.close(descriptor)
            return _lock_file(folder)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        return descriptor

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
