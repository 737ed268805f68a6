"""Bounded reading of regular files, and of settings files as tables."""

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, cast


MAX_SETTINGS_BYTES = 250_000
"""The size of a settings file. The largest ones of real projects have a tenth of it."""

MAX_SETTINGS_LINE_BYTES = 10_000
"""A key with thousands of parts would take more memory than there is."""


def open_ordinary(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    A project from a stranger could have a pipe or device in the place of a file, which
    would block a reader for ever.

    Raises:
        OSError: The file cannot be opened, or is not a regular file.
    """
    return _open_ordinary(path, os.O_RDONLY, "rb")


def open_for_appending(path: Path) -> BinaryIO:
    """Open a regular file, or a new one, to write at its end.

    Raises:
        OSError: The file cannot be opened, is a link, or is not a regular file.
    """
    # A stranger may have planted a link to another file. Windows lacks the flag.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    return _open_ordinary(path, flags, "ab")


def _open_ordinary(path: Path, flags: int, mode: str) -> BinaryIO:
    """Open a regular file, without waiting for a pipe or a device in its place.

    Args:
        path: The file.
        flags: The flags of `os.open`.
        mode: The mode of `open` that corresponds to the flags.

    Raises:
        OSError: The file cannot be opened, or is not a regular file.
    """
    # Opening must not wait for the other end of a pipe. Windows lacks these flags.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        return cast(BinaryIO, open(descriptor, mode))
    except BaseException:
        os.close(descriptor)
        raise


def read_at_most(file: BinaryIO, max_bytes: int) -> bytes:
    """Read an open file up to a maximum number of bytes."""
    # It is faster to ask for the size of the file than for the maximum. One more byte
    # shows whether the file has grown meanwhile.
    size = os.fstat(file.fileno()).st_size
    data = file.read(min(max_bytes, size + 1))
    has_grown = len(data) > size
    if has_grown:
        data += file.read(max_bytes - len(data))
    return data


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Read a regular file.

    Raises:
        OSError: The file cannot be read, or has more than `max_bytes` bytes.
    """
    with open_ordinary(path) as file:
        data = read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        message = f"the file is too large: more than {max_bytes} bytes"
        raise OSError(errno.EFBIG, message, str(path))
    return data


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse the contents of a settings file.

    Raises:
        ValueError: It is not TOML, not UTF-8, or more than a parser can take.
    """
    import tomllib  # a conversion of a project without settings does not need it

    longest_line = max(len(line) for line in data.split(b"\n"))
    if longest_line > MAX_SETTINGS_LINE_BYTES:
        raise ValueError(
            f"more than {MAX_SETTINGS_LINE_BYTES} bytes in a line are too many"
        )
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply to be read") from error
