"""Safe writing: files that belong together change together, and only below the root.

This is the one place that replaces files of a project, where a stranger may have
planted links. New contents are staged beside their targets, under random names that
are created exclusively, and then renamed into place.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from modular.system.interrupts import shielded
from modular.system.leftovers import STAGED_SUFFIX, delete_if_possible, staged_path
from modular.system.reading import read_bytes


BACKUP_SUFFIX = ".modular-backup"
"""The end of the names of backups that are kept, because restoring them failed."""


class OutsideRootError(OSError):
    """A file cannot be written because a link leads from it out of the root."""


class ChangedFileError(OSError):
    """A file was not replaced because it changed after it was read."""


class NotRestoredError(OSError):
    """A write failed, and files that were already replaced could not be restored.

    Attributes:
        changed: For each file that has its new content, as the caller named it, the
            file that holds its old content; None if there was no old file.
    """

    changed: Mapping[Path, Path | None] = {}


@dataclass(slots=True)
class _StagedFile:
    """A file to replace.

    Attributes:
        path: The path as the caller named it.
        target: The path to write, to which links lead from ``path``.
        temporary: The file with the new content, which will be renamed to ``target``.
        backup: The file with the old content; None before the old content is saved.
    """

    path: Path
    target: Path
    temporary: Path
    backup: Path | None = None


def write_file(path: Path, data: bytes, root: Path) -> None:
    """Write one file and create its folder. See `write_files`.

    Raises:
        OSError: The file cannot be written; it is as before.
    """
    write_files({path: data}, root)


def write_files(
    files: Mapping[Path, bytes],
    root: Path,
    *,
    expected: Mapping[Path, bytes | None] | None = None,
) -> None:
    """Write files that belong together and create their folders: all files or none.

    A link in the place of a file is replaced and not followed, except for the files in
    ``expected``: these belong to their author, and a link to another file below the
    root stays a link. A kill between two replacements can leave some files new and
    some old.

    Args:
        files: The new content of each file.
        root: The folder that links below it must not lead out of. Files outside of it
            are written where the caller says.
        expected: For each file that a person wrote, its content when it was read, or
            None if it did not exist. Each is compared immediately before the
            replacement. Its paths are among those of ``files``.

    Raises:
        OutsideRootError: A link leads out of the root; nothing was changed.
        ChangedFileError: A file differs from ``expected``; nothing was changed.
        NotRestoredError: A replacement failed, and so did restoring the files before
            it. The attribute ``changed`` names these files.
        OSError: A file cannot be written; nothing was changed. In all these errors
            ``filename`` is the path of the file, as the caller named it.
    """
    expected = expected or {}
    staged_files: list[_StagedFile] = []
    # Signals such as Ctrl-C have to wait.
    with shielded():
        try:
            # All new contents are on the disk before the first file is replaced.
            for path, data in files.items():
                follow_link = path in expected
                _stage(path, data, root, staged_files, follow_link=follow_link)
            for file in staged_files:
                _refuse_changed(file, expected)
            _replace_all(staged_files, expected)
        finally:
            for file in staged_files:
                delete_if_possible(file.temporary)
                if file.backup is not None:
                    delete_if_possible(file.backup)


def clear_staged(root: Path, folders: Iterable[str]) -> None:
    """Delete the temporary files that killed processes left in some folders.

    Args:
        root: The project's root. The caller holds its lock.
        folders: Folders relative to the root. Those outside of it are skipped.
    """
    for folder in folders:
        path = Path(os.path.realpath(root / folder))
        if path.is_relative_to(root):
            for staged in path.glob(f".*{STAGED_SUFFIX}"):
                delete_if_possible(staged)


def _stage(
    path: Path,
    data: bytes,
    root: Path,
    staged_files: list[_StagedFile],
    *,
    follow_link: bool,
) -> None:
    """Write the new content of a file into a temporary file beside the target.

    The file is added to ``staged_files``, whose temporary files the caller deletes.
    """
    try:
        target = _target(path, root, follow_link=follow_link)
        target.parent.mkdir(parents=True, exist_ok=True)
        file = _StagedFile(path, target, temporary=staged_path(target))
        with open(file.temporary, "xb") as stream:
            # From here on, the temporary file exists, also if writing fails.
            staged_files.append(file)
            stream.write(data)
        # The new file gets the permissions of the old one.
        with suppress(FileNotFoundError):
            state = os.lstat(target)
            if stat.S_ISREG(state.st_mode):
                os.chmod(file.temporary, stat.S_IMODE(state.st_mode) & 0o777)
    except OSError as error:
        raise _with_filename(error, path) from error


def _target(path: Path, root: Path, *, follow_link: bool) -> Path:
    """Return the path to write, after links to its folders are followed.

    If one of the folders of a path is inside the root, the target must be, too. All other
    paths, such as `/tmp/x.py`, are not checked.

    Args:
        path: The file as the caller named it.
        root: The project's root.
        follow_link: Whether to follow a link in the place of the file, too. Otherwise
            the link is replaced.

    Raises:
        OutsideRootError: A link leads out of the root.
    """
    absolute = Path(os.path.abspath(path))
    real_root = os.path.realpath(root)
    if follow_link:
        target = Path(os.path.realpath(absolute))
    else:
        target = Path(os.path.realpath(absolute.parent)) / absolute.name

    # A link outside of the root can lead into the root, so links are followed here, too.
    enters_root = any(
        Path(os.path.realpath(folder)).is_relative_to(real_root)
        for folder in absolute.parents
    )
    # If `root/a` is a link to `/etc`, the target of `root/a/x.py` is in `/etc`.
    ends_in_root = target.parent.is_relative_to(real_root)
    if enters_root and not ends_in_root:
        message = f"a link points outside {root}; remove the link"
        raise OutsideRootError(errno.EPERM, message, str(path))
    return target


def _refuse_changed(file: _StagedFile, expected: Mapping[Path, bytes | None]) -> None:
    """Raise ChangedFileError if a person has changed a file since it was read.

    Args:
        file: The file to replace.
        expected: The content of a file when it was read, or None if it did not exist.
            Files that are not listed are replaced without a comparison.
    """
    if file.path not in expected:
        return
    content = expected[file.path]
    max_bytes = 0 if content is None else len(content)
    try:
        # This raises an `OSError` if the file is longer than before.
        is_unchanged = read_bytes(file.target, max_bytes) == content
    except FileNotFoundError:
        is_unchanged = content is None
    except OSError:
        is_unchanged = False
    if not is_unchanged:
        message = "it changed after it was read"
        raise ChangedFileError(errno.EBUSY, message, str(file.path))


def _replace_all(
    staged: Sequence[_StagedFile], expected: Mapping[Path, bytes | None]
) -> None:
    """Rename new files into place; if one fails, restore the files replaced before it.

    Raises:
        ChangedFileError: A file does not have its expected content.
        NotRestoredError: A file cannot be replaced, and another cannot be restored.
        OSError: A file cannot be replaced.
    """
    replaced: list[_StagedFile] = []
    for file in staged:
        try:
            # Files are restored from backups if a later file fails. So a single file,
            # after which no other can fail, needs none.
            if len(staged) > 1:
                _back_up(file)
            _refuse_changed(file, expected)
            os.replace(file.temporary, file.target)
        except OSError as error:
            still_changed = _restore(replaced)
            if still_changed:
                failure = NotRestoredError(error.errno, error.strerror, str(file.path))
                # This tells the caller which files have new content, and their backups.
                failure.changed = still_changed
                raise failure from error
            raise _with_filename(error, file.path) from error
        replaced.append(file)


def _back_up(file: _StagedFile) -> None:
    """Keep the old file under a second name, from which it can be restored.

    A hard link needs no disk space. A file system without hard links gets a copy.
    """
    try:
        state = os.lstat(file.target)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(state.st_mode):
        # The replacement of a folder fails later, with a message that names it.
        return
    backup = staged_path(file.target)
    try:
        os.link(file.target, backup, follow_symlinks=False)
        file.backup = backup
    except (OSError, NotImplementedError):  # not every file system has hard links
        with open(backup, "xb") as stream:
            file.backup = backup
            stream.write(file.target.read_bytes())
        os.chmod(backup, stat.S_IMODE(state.st_mode) & 0o777)


def _restore(replaced: Iterable[_StagedFile]) -> dict[Path, Path | None]:
    """Restore the old content of replaced files.

    Returns:
        The files that cannot be restored, each with its backup; None if it has none.
    """
    failed = {}
    for file in replaced:
        try:
            if file.backup is None:
                # The file did not exist before.
                os.unlink(file.target)
            else:
                os.replace(file.backup, file.target)
        except OSError:
            failed[file.path] = _keep_backup(file)
    return failed


def _keep_backup(file: _StagedFile) -> Path | None:
    """Rename the backup of a file that cannot be restored, so that no run deletes it.

    Returns:
        The path of the backup; None if there is none.
    """
    backup = file.backup
    if backup is None:
        return None
    file.backup = None
    kept = backup.with_suffix(BACKUP_SUFFIX)
    try:
        os.rename(backup, kept)
    except OSError:
        return backup
    return kept


def _with_filename(error: OSError, path: Path) -> OSError:
    """Return an error of the same type that names the caller's path."""
    return type(error)(error.errno, error.strerror or str(error), str(path))
