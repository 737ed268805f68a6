"""Safe writing: files that belong together change together, and only below the root.

This is the one place that replaces files of a project, where a stranger may have
planted links, and where people save files meanwhile. New contents are staged beside
their targets, under random names that are created exclusively, and then swapped with
them. What was replaced is compared with what the caller expected. If it is something
else, it is put back.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from modular.system.interrupts import shielded
from modular.system.leftovers import delete_if_possible, staged_path
from modular.system.reading import read_bytes


BACKUP_SUFFIX = ".modular-backup"
"""The end of the names of backups that are kept, because restoring them failed."""

EXCHANGE_EVENT = "modular.exchange"
"""The audit event of a swap. Python's own events name all other changes of files."""

_MAX_RECOGNIZED_BYTES = 50_000_000
"""Files of ours are shorter, so a longer one is somebody else's."""

_NOT_SUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)
"""Errors of a system, or of a file system, that cannot swap two files."""


class OutsideRootError(OSError):
    """A file cannot be written because a link leads from it out of the root."""


class ChangedFileError(OSError):
    """A file was not replaced because it changed after it was read."""


class ForeignFileError(OSError):
    """A file was not replaced because this tool has not written it."""


class NotRestoredError(OSError):
    """A write failed, and files that were already replaced could not be restored.

    Attributes:
        changed: For each file that has its new content, as the caller named it, the
            file that holds its old content; None if there was no old file.
    """

    changed: Mapping[Path, Path | None] = {}


@dataclass(frozen=True, slots=True)
class Ours:
    """An expectation: there is no file, or one that this tool has written.

    Attributes:
        recognizes: Tells whether this tool has written a content. None: the file is in a
            folder of this tool, so whatever is there may be replaced.
    """

    recognizes: Callable[[bytes], bool] | None


IN_OWN_FOLDER = Ours(recognizes=None)
"""The expectation for files in the cache folder."""


@dataclass(frozen=True, slots=True)
class NewFile:
    """The new content of a file, and what may be replaced by it.

    Attributes:
        data: The new content.
        expected: Exactly the content that the file must have, or None if there must be no
            file, or `Ours` for any file that this tool has written.
        replaces_link: Whether a link in the place of the file is replaced, and what it
            points to is left alone. Otherwise the link stays, and the file that it
            leads to is replaced.
    """

    data: bytes
    expected: bytes | Ours | None
    replaces_link: bool = False


@dataclass(slots=True)
class _StagedFile:
    """A file to replace.

    Attributes:
        path: The path as the caller named it.
        new: Its new content.
        target: The path to write, to which links lead from ``path``.
        temporary: The file with the new content, which will be moved to ``target``.
        backup: The file with the old content; None before the old content is saved, and
            if there was no file.
        is_created: Whether the new file is in its place, where no file was before.
        is_backup_kept: Whether the backup stays, because it could not be restored.
    """

    path: Path
    new: NewFile
    target: Path
    temporary: Path
    backup: Path | None = None
    is_created: bool = False
    is_backup_kept: bool = False


def write_file(path: Path, new: NewFile, root: Path) -> None:
    """Write one file and create its folder. See `write_files`.

    Args:
        path: The file.
        new: The new content, and what is expected in its place.
        root: The folder that links below it must not lead out of.

    Raises:
        OSError: The file cannot be written; it is as before.
    """
    write_files({path: new}, root)


def write_files(files: Mapping[Path, NewFile], root: Path) -> None:
    """Write files that belong together and create their folders: all files or none.

    Each file is compared with what the caller expects immediately before it is replaced,
    and the replaced file is compared again. So a file that somebody saves meanwhile is
    kept. A kill between two replacements can leave some files new and some old.

    Args:
        files: The new content of each file, and what is expected in its place.
        root: The folder that links below it must not lead out of. Files outside of it
            are written where the caller says.

    Raises:
        OutsideRootError: A link leads out of the root; nothing was changed.
        ChangedFileError: A file does not have the expected content; nothing was changed.
        ForeignFileError: A file was not written by this tool; nothing was changed.
        NotRestoredError: A replacement failed, and so did restoring the files before
            it. The attribute ``changed`` names these files.
        OSError: A file cannot be written; nothing was changed. In all these errors
            ``filename`` is the path of the file, as the caller named it.
    """
    staged_files: list[_StagedFile] = []
    # Signals such as Ctrl-C have to wait.
    with shielded():
        try:
            # All new contents are on the disk before the first file is replaced.
            for path, new in files.items():
                _stage(path, new, root, staged_files)
            for file in staged_files:
                _refuse_unexpected(file, file.target)
            _replace_all(staged_files)
        finally:
            for file in staged_files:
                _delete_temporary_files(file)


def _stage(
    path: Path, new: NewFile, root: Path, staged_files: list[_StagedFile]
) -> None:
    """Write the new content of a file into a temporary file beside the file.

    Args:
        path: The file.
        new: Its new content.
        root: The folder that links below it must not lead out of.
        staged_files: The file is added to this list. The caller deletes the temporary
            files of the list, also if this function fails.
    """
    try:
        target = _target(path, root, follow_link=not new.replaces_link)
        target.parent.mkdir(parents=True, exist_ok=True)
        file = _StagedFile(path, new, target, temporary=staged_path(target))
        with open(file.temporary, "xb") as stream:
            # From here on, the temporary file exists, also if writing fails.
            staged_files.append(file)
            stream.write(new.data)
        with suppress(FileNotFoundError):
            state = os.lstat(target)
            if stat.S_ISREG(state.st_mode):
                _refuse_second_name(file, state)
                _copy_owner_and_mode(state, file.temporary)
    except OSError as error:
        raise _with_filename(error, path) from error


def _target(path: Path, root: Path, *, follow_link: bool) -> Path:
    """Return the path to write for a file, after links in its path are followed.

    If the path of the file leads into the root, the target must be in the root. Other
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


def _refuse_second_name(file: _StagedFile, state: os.stat_result) -> None:
    """Raise OSError if a file that a person wrote has another name, a hard link.

    The new content would be found under one of the names only.
    """
    is_handwritten = isinstance(file.new.expected, bytes) and not file.new.replaces_link
    if is_handwritten and state.st_nlink > 1:
        message = "the file has a second name (a hard link); remove one of them"
        raise OSError(errno.EMLINK, message, str(file.path))


def _copy_owner_and_mode(state: os.stat_result, temporary: Path) -> None:
    """Give a temporary file the owner, the group and the permissions of an old file.

    Only root can give a file to another owner.

    Args:
        state: The state of the old file.
        temporary: The temporary file.
    """
    new_state = os.lstat(temporary)
    old_owner = (state.st_uid, state.st_gid)
    has_old_owner = (new_state.st_uid, new_state.st_gid) == old_owner
    if not has_old_owner:
        with suppress(OSError):
            os.chown(temporary, *old_owner)
            has_old_owner = True
    mode = stat.S_IMODE(state.st_mode)
    if not has_old_owner:
        # `setuid` and `setgid` would lend the rights of the new owner.
        mode &= 0o777
    os.chmod(temporary, mode)


def _refuse_unexpected(file: _StagedFile, place: Path) -> None:
    """Raise an error if a file to replace is not what the caller expects.

    The caller expects one of three things: exactly some content (`bytes`), no file or one
    that this tool has written (`Ours`), or no file (`None`).

    Args:
        file: The file to replace.
        place: The path at which its old content is now.

    Raises:
        ChangedFileError: Somebody has changed the file since it was read.
        ForeignFileError: This tool has not written the file.
    """
    try:
        mode = os.lstat(place).st_mode
    except FileNotFoundError:
        # Somebody has deleted the file since it was read.
        if isinstance(file.new.expected, bytes):
            raise _changed(file.path) from None
        return
    if stat.S_ISDIR(mode):
        message = os.strerror(errno.EISDIR)
        raise IsADirectoryError(errno.EISDIR, message, str(file.path))
    if stat.S_ISLNK(mode):
        # If links are not replaced, they were followed. So this link is new.
        if not file.new.replaces_link:
            raise _changed(file.path)
        return
    _refuse_unexpected_content(file, place)


def _refuse_unexpected_content(file: _StagedFile, place: Path) -> None:
    """Raise an error if a file does not have the content that the caller expects.

    The arguments and errors are those of `_refuse_unexpected`.
    """
    match file.new.expected:
        case None:
            # Somebody has created the file.
            raise _changed(file.path)
        case Ours() as ours:
            if not _is_ours(ours, place):
                message = "the file was not written by modular, so it is not replaced"
                raise ForeignFileError(errno.EEXIST, message, str(file.path))
        case bytes(content):
            if not _has_content(place, content):
                raise _changed(file.path)


def _is_ours(expected: Ours, place: Path) -> bool:
    """Return whether this tool has written a file.

    Args:
        expected: Tells how the files of this tool are recognized.
        place: The file. A special file, such as a pipe, is never ours.
    """
    if expected.recognizes is None:
        return True
    try:
        return expected.recognizes(read_bytes(place, _MAX_RECOGNIZED_BYTES))
    except OSError:
        return False


def _has_content(place: Path, content: bytes) -> bool:
    """Return whether a path is a regular file with exactly some content."""
    try:
        # This raises an `OSError` if the file is longer.
        return read_bytes(place, len(content)) == content
    except OSError:
        return False


def _changed(path: Path) -> ChangedFileError:
    """Return the error about a file that changed after it was read."""
    message = "it changed after it was read"
    return ChangedFileError(errno.EBUSY, message, str(path))


def _replace_all(staged: Sequence[_StagedFile]) -> None:
    """Move new files into place; if that fails for a file, restore those before it.

    Raises:
        ChangedFileError: A file does not have its expected content.
        ForeignFileError: A file was not written by this tool.
        NotRestoredError: A file cannot be replaced, and another cannot be restored.
        OSError: A file cannot be replaced.
    """
    touched: list[_StagedFile] = []
    for file in staged:
        touched.append(file)
        try:
            _create(file)
            if not file.is_created:
                _swap(file)
                # The old content is compared where nobody can replace it any more.
                _refuse_unexpected(file, file.backup or file.target)
        except OSError as error:
            still_changed = _restore(touched)
            if still_changed:
                failure = NotRestoredError(error.errno, error.strerror, str(file.path))
                # This tells the caller which files have new content, and their backups.
                failure.changed = still_changed
                raise failure from error
            raise _with_filename(error, file.path) from error


def _create(file: _StagedFile) -> None:
    """Move a new file into its place, unless an old file is there.

    Raises:
        ChangedFileError: There is an old file that may not be replaced, or it is missing.
        OSError: The file cannot be created.
    """
    _refuse_unexpected(file, file.target)
    if os.path.lexists(file.target):
        return
    try:
        # In contrast to a rename, a hard link never replaces a file.
        os.link(file.temporary, file.target)
    except FileExistsError:
        # Somebody has created the file in this moment.
        _refuse_unexpected(file, file.target)
        return
    except (OSError, NotImplementedError):  # not every file system has hard links
        os.rename(file.temporary, file.target)
    file.is_created = True
    # A file that people write must not keep a second name if this process is killed.
    delete_if_possible(file.temporary)


def _swap(file: _StagedFile) -> None:
    """Replace a file with its new one, and keep the old one as its backup."""
    try:
        _exchange(file.temporary, file.target)
        file.backup = file.temporary
        return
    except FileNotFoundError:
        # Somebody has deleted the file since it was compared.
        raise _changed(file.path) from None
    except OSError as error:
        if error.errno not in _NOT_SUPPORTED:
            raise
    _back_up(file)
    _refuse_unexpected(file, file.target)
    os.replace(file.temporary, file.target)


def _exchange(first: Path, second: Path) -> None:
    """Swap two files in one step, in which no other process sees or changes them.

    Raises:
        OSError: The files cannot be swapped. Its number is among `_NOT_SUPPORTED` if the
            system cannot do it: it is not Linux, or an old file system.
    """
    import ctypes  # slow to import, and only needed for a file that is replaced

    sys.audit(EXCHANGE_EVENT, first, second)
    current_folder, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of Linux
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    first_name, second_name = os.fsencode(first), os.fsencode(second)
    if rename(current_folder, first_name, current_folder, second_name, exchange) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(second))


def _back_up(file: _StagedFile) -> None:
    """Keep the old file under a second name, from which it can be restored.

    A hard link needs no disk space. A file system without hard links gets a copy.
    """
    backup = staged_path(file.target)
    try:
        os.link(file.target, backup, follow_symlinks=False)
        file.backup = backup
    except (OSError, NotImplementedError):  # not every file system has hard links
        with open(backup, "xb") as stream:
            file.backup = backup
            stream.write(file.target.read_bytes())
        _copy_owner_and_mode(os.lstat(file.target), backup)


def _restore(touched: Iterable[_StagedFile]) -> dict[Path, Path | None]:
    """Restore the old content of replaced files.

    Args:
        touched: The files that were replaced, or may have been.

    Returns:
        The files that cannot be restored, each with its backup; None if it has none.
    """
    not_restored = {}
    for file in touched:
        # A file with another content was not replaced, or somebody has saved it since.
        if not _has_content(file.target, file.new.data):
            continue
        try:
            if file.is_created:
                os.unlink(file.target)
            elif file.backup is not None:
                os.replace(file.backup, file.target)
        except OSError:
            not_restored[file.path] = _keep_backup(file)
    return not_restored


def _keep_backup(file: _StagedFile) -> Path | None:
    """Rename the backup of a file that cannot be restored, so that no run deletes it.

    Returns:
        The path of the backup; None if there is none.
    """
    backup = file.backup
    if backup is None:
        return None
    file.is_backup_kept = True
    permanent_backup = backup.with_suffix(BACKUP_SUFFIX)
    try:
        os.rename(backup, permanent_backup)
    except OSError:
        return backup
    return permanent_backup


def _delete_temporary_files(file: _StagedFile) -> None:
    """Delete the temporary file and the backup of a file, unless its backup stays."""
    # After a swap, both are the same file.
    if not file.is_backup_kept:
        delete_if_possible(file.temporary)
        if file.backup is not None:
            delete_if_possible(file.backup)


def _with_filename(error: OSError, path: Path) -> OSError:
    """Return an error of the same type that names the caller's path."""
    return type(error)(error.errno, error.strerror or str(error), str(path))
