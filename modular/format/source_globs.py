"""Finds the folders that match patterns of ruff's setting `src`, in bounded time."""

import os
import stat
from collections.abc import Iterable
from fnmatch import filter as matching_names
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from modular.project.project import join_path


MAX_SOURCE_FOLDERS = 1_000
"""Folders that one pattern may match; others are ignored."""

MAX_COMPARED_NAMES = 50_000
"""Names of folders that are compared with the patterns; then the search ends."""


class _FolderIdentity(NamedTuple):
    """The device and the inode of a folder, which are equal for all links to it."""

    device: int
    inode: int


class SourceGlobs:
    """The folders of a project that match patterns such as `packages/*`.

    Each folder is listed once. A folder that several links lead to is found once, because
    ruff finds the same modules on all paths to it. Without this, a link to `.` would
    double the paths with each `*` of a pattern.
    """

    def __init__(self, root: Path) -> None:
        """Create globs for a project, of which no folder is listed yet."""
        self._root = root
        self._listed: dict[str, dict[str, _FolderIdentity]] = {}
        self._remaining_names = 0

    def expand(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """Return the folders that match some patterns.

        A pattern without wildcards is returned unchanged. Of the folders that match
        another pattern, the first `MAX_SOURCE_FOLDERS` are returned.

        Args:
            patterns: Paths relative to the root. They may have wildcards.
        """
        folders: list[str] = []
        # `_matching_subfolders` counts down, and finds nothing any more at 0.
        self._remaining_names = MAX_COMPARED_NAMES
        for pattern in patterns:
            if has_magic(pattern):
                folders.extend(self._matches(pattern)[:MAX_SOURCE_FOLDERS])
            else:
                folders.append(pattern)
        return tuple(folders)

    def _matches(self, pattern: str) -> list[str]:
        """Return the folders that match a pattern, each with only one of its paths.

        A folder has several paths if links lead to it.
        """
        folders = ["."]
        # For `packages/*`, find `packages`, and then its subfolders.
        for part in PurePosixPath(pattern).parts:
            paths_by_identity: dict[_FolderIdentity, str] = {}
            for folder in folders:
                for name, identity in self._matching_subfolders(folder, part):
                    path = join_path(folder, name)
                    paths_by_identity.setdefault(identity, path)
            folders = sorted(paths_by_identity.values())
        return folders

    def _matching_subfolders(
        self, folder: str, part: str
    ) -> list[tuple[str, _FolderIdentity]]:
        """Return the subfolders of a folder that match a part of a pattern, such as `*`.

        A part matches a name with a leading dot only if it begins with a dot, too. After
        `MAX_COMPARED_NAMES` names nothing matches any more, so that the patterns of a
        stranger's project do not take for ever.
        """
        if self._remaining_names <= 0:
            return []
        if not has_magic(part):
            self._remaining_names -= 1
            identity = _identify(self._root / folder / part)
            return [] if identity is None else [(part, identity)]

        if folder not in self._listed:
            self._listed[folder] = _list_subfolders(self._root / folder)
        subfolders = self._listed[folder]
        self._remaining_names -= len(subfolders) + 1
        matches = []
        for name in matching_names(subfolders, part):
            is_hidden = name.startswith(".")
            if not is_hidden or part.startswith("."):
                matches.append((name, subfolders[name]))
        return matches


def _identify(path: Path) -> _FolderIdentity | None:
    """Return the identity of a folder, or None if there is no folder at the path."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISDIR(state.st_mode):
        return None
    return _FolderIdentity(state.st_dev, state.st_ino)


def _list_subfolders(folder: Path) -> dict[str, _FolderIdentity]:
    """Return the subfolders of a folder by name, in alphabetical order."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    subfolders = {}
    for name in names:
        identity = _identify(folder / name)
        if identity is not None:
            subfolders[name] = identity
    return subfolders
