"""Which paths below a project's root are safe to write."""

from pathlib import PurePosixPath, PureWindowsPath


MAX_PATH_CHARS = 1_000
MAX_PATH_PARTS = 32
"""Python can walk and delete trees of this depth."""


def problem(path: str) -> str:
    """Describe why a path below a project's root must not be written.

    A path that leads out of the root on any platform is wrong on all of them.

    Args:
        path: A path relative to the root, with ``/``.

    Returns:
        The end of a sentence that begins with the path; empty if the path is safe.
    """
    posix = PurePosixPath(path)
    windows = PureWindowsPath(path)
    if not path.isprintable():
        return "has characters that cannot be printed"
    if posix.is_absolute() or windows.drive or windows.root:
        return "points outside the project's root"
    if ".." in posix.parts or ".." in windows.parts:
        return "points outside the project's root"
    if any(part.startswith("-") for part in posix.parts):
        return "has a part that begins with `-`, as options do"
    if len(path) > MAX_PATH_CHARS or len(posix.parts) > MAX_PATH_PARTS:
        most = f"{MAX_PATH_CHARS} characters and {MAX_PATH_PARTS} folders"
        return f"is too long: at most {most} are allowed"
    return ""
