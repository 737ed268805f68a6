"""Writes the files of models, in one run at a time: for each model all files or none.

The lock is a file in the cache folder, named after the project's root.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from modular.cache.fingerprints import MAX_COMPARED_BYTES, digest
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.system import safe_paths
from modular.system.cache_folder import cache_folder
from modular.system.reading import read_bytes
from modular.system.writing import (
    ChangedFileError,
    NewFile,
    NotRestoredError,
    OutsideRootError,
    write_files,
)


LOCK_TIMEOUT_S = 120.0
"""Seconds that a run waits for another one."""

_NOTHING_CHANGED = "no file of this model was changed"
_POINTS_OUTSIDE = "the path points outside the project's root"


class BusyError(Exception):
    """Another run held the lock all the time. The message names the folder."""

    @property
    def problem(self) -> Diagnostic:
        """The error as a diagnostic."""
        hint = "nothing was changed; wait until it ends, or stop it"
        return Diagnostic(Problem.CANNOT_WRITE, Place("."), str(self), hint)


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Hold the lock of a root folder, so that no other run writes meanwhile.

    Without a cache folder to write to there is no lock, and nobody waits.

    Yields:
        Nothing, while the lock is held.

    Raises:
        BusyError: Another run held the lock for `LOCK_TIMEOUT_S` seconds.
    """
    from filelock import FileLock, Timeout  # slow to import, and `check` needs no lock

    lock_name = f"{digest(os.fsencode(root.resolve()))}.lock"
    lock_file = cache_folder() / "locks" / lock_name
    # The stack is empty, and so releases nothing, if there is no cache folder.
    with ExitStack() as held_lock:
        try:
            lock_file.parent.mkdir(parents=True, exist_ok=True)
            held_lock.enter_context(FileLock(lock_file, timeout=LOCK_TIMEOUT_S))
        except Timeout as error:
            raise BusyError(
                f"another run has been writing files below {root} "
                f"for {LOCK_TIMEOUT_S:.0f} seconds"
            ) from error
        except OSError:
            # The cache folder cannot be written to.
            pass
        yield


def replace_handwritten(old: str | None, new: str) -> NewFile:
    """Return the new content of a file that a person writes.

    Args:
        old: The text that the file must still have, byte for byte (`Loaded.source`), or
            None if there must be no file.
        new: The new text, with its line ends.
    """
    return NewFile(new.encode(), expected=None if old is None else old.encode())


def read_generated(root: Path, path: str) -> bytes | None:
    """Return the content of a generated file on disk.

    Args:
        root: The project's root.
        path: The file, relative to the root.

    Returns:
        The content. None if the file does not exist, or is a link, which will be
        replaced without a change of the file that it points to.
    """
    place = root / path
    if place.is_symlink():
        return None
    with suppress(OSError):
        return read_bytes(place, MAX_COMPARED_BYTES)
    return None


def replace_generated(old: bytes | None, new: str) -> NewFile:
    """Return the new content of a generated file.

    Args:
        old: The content that the file must still have, or None if there must be no file,
            or a link.
        new: The new text.
    """
    return NewFile(new.encode(), expected=old, replaces_link=True)


def write_alone(
    root: Path, models: Mapping[str, Mapping[str, NewFile]]
) -> dict[str, Diagnostic]:
    """Write the files of models while no other run writes below the root.

    If one file of a model cannot be written, none of its files changes.

    Args:
        root: The project's root.
        models: For each model the new contents of its files, by path from the root.

    Returns:
        For each model that was not written, the reason.
    """
    problems = {}
    try:
        with exclusive(root):
            for model, files in models.items():
                problem = write_model(root, files)
                if problem is not None:
                    problems[model] = problem
    except BusyError as error:
        return dict.fromkeys(models, error.problem)
    return problems


def write_model(root: Path, files: Mapping[str, NewFile]) -> Diagnostic | None:
    """Replace or create the files of a model, or other files that belong together.

    If a file cannot be written, or does not have the content that the caller expects,
    none of the files changes.

    Args:
        root: The project's root. The caller holds its lock.
        files: The new contents by path from the root.

    Returns:
        The reason if the files were not written.
    """
    for path in sorted(files):
        reason = safe_paths.problem(path)
        if reason:
            message = f"the path {reason}"
            return Diagnostic(
                Problem.OUTSIDE_ROOT, Place(path), message, _NOTHING_CHANGED
            )

    # An error has the absolute path of a file. Its diagnostic needs the relative one.
    path_of_file = {root / path: path for path in sorted(files)}
    new_files = {file: files[path] for file, path in path_of_file.items()}
    try:
        write_files(new_files, root)
    except OSError as error:
        return _write_problem(error, path_of_file)
    return None


def _write_problem(error: OSError, path_of_file: Mapping[Path, str]) -> Diagnostic:
    """Return the diagnostic of files that were not written.

    Args:
        error: The error, which names a file on disk.
        path_of_file: The path of each file from the project's root.
    """
    place = Place(path_of_file[Path(error.filename)])
    if isinstance(error, OutsideRootError):
        return Diagnostic(
            Problem.OUTSIDE_ROOT, place, _POINTS_OUTSIDE, _NOTHING_CHANGED
        )
    if isinstance(error, ChangedFileError):
        message = "the file changed after it was read"
        hint = "nothing was changed; run the command again"
        return Diagnostic(Problem.CANNOT_WRITE, place, message, hint)

    message = f"cannot be written: {error.strerror}"
    hint = _NOTHING_CHANGED
    if isinstance(error, NotRestoredError):
        changed = []
        for file, backup in error.changed.items():
            if backup is None:
                changed.append(f"`{path_of_file[file]}` (it was created)")
            else:
                old_content = f"its old content is in `{backup.name}`"
                changed.append(f"`{path_of_file[file]}` ({old_content})")
        hint = f"these files changed and could not be restored: {', '.join(changed)}"
    return Diagnostic(Problem.CANNOT_WRITE, place, message, hint)
