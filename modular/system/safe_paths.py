"""Which paths below a project's root are safe to write: short, flat, inside, and no option to any command."""

from pathlib import PurePosixPath, PureWindowsPath


LONGEST = 1_000
"""Characters of a path."""

DEEPEST = 32
"""Folders that a path may go down: what deletes or walks a tree is not to go deeper than Python can."""


def problem(path: str) -> str:
    """Return what is wrong with a path, relative to the root and with ``/``; nothing if it may be written.

    Whatever leads out of the root on any platform is wrong on all of them.
    """
    posix, windows = PurePosixPath(path), PureWindowsPath(path)
    if not path.isprintable():
        return "has characters that cannot be printed"
    if (
        posix.is_absolute()
        or windows.drive
        or windows.root
        or ".." in (*posix.parts, *windows.parts)
    ):
        return "points outside the project's root"
    if any(part.startswith("-") for part in posix.parts):
        return "has a part that begins with `-`, as options do"
    if len(path) > LONGEST or len(posix.parts) > DEEPEST:
        return f"is too long: {LONGEST} characters and {DEEPEST} folders are the most"
    return ""
