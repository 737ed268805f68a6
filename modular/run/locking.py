"""One run at a time writes the files of a project: the lock is a file in the cache folder, by the name of the root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from modular.cache.result_cache import digest, folder
from modular.source.diagnostics import Diagnostic, Place, Problem


PATIENCE = 120.0
"""Seconds that a run waits for another one."""


class BusyError(Exception):
    """Another run held the lock all the time. The message names the folder."""

    @property
    def problem(self) -> Diagnostic:
        """This as a diagnostic."""
        hint = "wait for it to end, or end it; nothing was changed"
        return Diagnostic(Problem.CANNOT_WRITE, Place("."), str(self), hint)


@contextmanager
def exclusive(root: Path, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of a root folder. Raises BusyError if it was not free for ``patience`` seconds (`PATIENCE` if None).

    Without a cache folder to write to there is no lock, and nobody waits.
    """
    lock = _lock(root, PATIENCE if patience is None else patience)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _lock(root: Path, patience: float) -> FileLock | None:
    place = folder() / "locks" / f"{digest(os.fsencode(root.resolve()))}.lock"
    lock = FileLock(place, timeout=patience)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise BusyError(f"another run has been writing files below {root} for {patience:.0f} seconds") from error
    except OSError:
        return None
    return lock
