"""Deletes the files that killed processes left beside the files that they wrote.

Each process that stages files records their folders in the cache folder, and holds a
lock as long as it runs. A record without a lock is that of a process that was killed.
"""

import atexit
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from modular.system.cache_folder import cache_folder
from modular.system.reading import read_bytes


if TYPE_CHECKING:
    from filelock import BaseFileLock

STAGED_SUFFIX = ".modular-tmp"
"""The end of the names of staged files."""

_RECORD_SUFFIX = ".jsonl"
_LOCK_SUFFIX = ".lock"

_MAX_RECORD_BYTES = 20_000_000
"""The size of a record with a hundred thousand folders."""


def staged_path(target: Path) -> Path:
    """Return a new path beside a target, at which its new content can be written first.

    The folder of the path is added to the record of this process, a file in the cache
    folder. If the process is killed, a later run finds the record, and deletes the files
    that were left in these folders.

    Args:
        target: The file that the staged one will replace. Its folder exists.

    Returns:
        A path with a random name, so that nobody can put a link there in advance.
    """
    process_id = os.getpid()
    if process_id not in _records:
        _records[process_id] = _Record()
    record = _records[process_id]
    record.add_folder(target.parent)
    return target.with_name(f".{record.token}{os.urandom(8).hex()}{STAGED_SUFFIX}")


def delete_leftovers() -> None:
    """Delete the temporary files of processes that were killed while they wrote.

    Each process that writes keeps a record of the folders, and locks it while it runs.
    """
    paths: list[Path] = []
    with suppress(OSError):
        paths.extend(_records_folder().glob(f"*{_RECORD_SUFFIX}"))
    if not paths:
        return

    from filelock import FileLock, Timeout  # slow to import, and seldom needed

    for path in paths:
        # While the process of a record runs, the lock times out and its files stay.
        lock_path = path.with_suffix(_LOCK_SUFFIX)
        with suppress(OSError, Timeout), FileLock(lock_path, timeout=0):
            for staged in _staged_files(path):
                delete_if_possible(staged)
            delete_if_possible(path)
            delete_if_possible(lock_path)


def _staged_files(record: Path) -> Iterator[Path]:
    """Yield the staged files that exist in the folders of a record."""
    for line in read_bytes(record, _MAX_RECORD_BYTES).split(b"\n"):
        with suppress(ValueError, RecursionError):  # a line may be incomplete
            folder = json.loads(line)
            if isinstance(folder, str) and os.path.isabs(folder):
                yield from Path(folder).glob(f".{record.stem}*{STAGED_SUFFIX}")


class _Record:
    """The folders in which this process stages files, and the lock on the record.

    Without a cache folder to write to there is no record.
    """

    def __init__(self) -> None:
        """Create the record of this process, which is not written yet."""
        self.process_id = os.getpid()
        self.token = os.urandom(8).hex()
        self._path = _records_folder() / f"{self.token}{_RECORD_SUFFIX}"
        self._folders: set[Path] = set()
        self._lock: BaseFileLock | None = None

    def add_folder(self, folder: Path) -> None:
        """Append a folder to the record on disk, unless it is already there."""
        if folder in self._folders:
            return
        self._folders.add(folder)
        # If the record cannot be written, only the clean-up after a kill is lost.
        with suppress(OSError):
            if self._lock is None:
                self._lock = self._acquire_lock()
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(f"{json.dumps(str(folder))}\n")

    def _acquire_lock(self) -> "BaseFileLock":
        """Acquire the lock of the record, and hold it until this process ends."""
        from filelock import FileLock  # slow to import, and seldom needed

        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._path.with_suffix(_LOCK_SUFFIX), thread_local=False)
        lock.acquire()
        atexit.register(self._close)
        return lock

    def _close(self) -> None:
        """Delete the record, as this process left nothing."""
        if self._lock is not None and self.process_id == os.getpid():
            delete_if_possible(self._path)
            self._lock.release()
            delete_if_possible(self._path.with_suffix(_LOCK_SUFFIX))


_records: dict[int, _Record] = {}
"""The record of this process, by process id.

A forked process also inherits the record of its parent process. The inherited record is
kept, because deleting its `FileLock` would release the lock of the parent process.
"""


def _records_folder() -> Path:
    """Return the folder of the records of all processes."""
    return cache_folder() / "staged"


def delete_if_possible(path: Path) -> None:
    """Delete a file, or leave it where that fails."""
    with suppress(OSError):
        path.unlink()
