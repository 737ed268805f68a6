"""Reads files: regular ones only, with bounds, and without waiting for anybody to write; settings files as tables."""

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO


def open_ordinary(place: Path) -> BinaryIO:
    """Open a file. Raises OSError, for a folder, a pipe or a device too: these could keep a reader for ever."""
    descriptor = os.open(
        place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    )
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(place))
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_at_most(file: BinaryIO, most: int) -> bytes:
    """Read so many bytes, if there are as many. Room is made for what the file seems to have, which takes less time."""
    size = os.fstat(file.fileno()).st_size
    data = file.read(min(most, size + 1))
    return data if len(data) <= size else data + file.read(most - len(data))


def read_bytes(place: Path, most: int) -> bytes:
    """Read a file of at most so many bytes. Raises OSError, for a longer one too."""
    with open_ordinary(place) as file:
        data = read_at_most(file, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes are too many", str(place))
    return data


LARGEST = 250_000
"""Bytes of a settings file. A project with much in its own has a tenth of that."""

LONGEST_LINE = 10_000
"""Bytes of a line of it: a key of very many parts would take more memory than there is."""


def parse_toml(data: bytes) -> dict[str, Any]:
    """Read the text of a settings file. Raises ValueError."""
    import tomllib  # who only converts reads none

    if max(map(len, data.split(b"\n"))) > LONGEST_LINE:
        raise ValueError(f"more than {LONGEST_LINE} bytes in a line are too many")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply to be read") from error
