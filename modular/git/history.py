"""The commits that changed files, and the texts that files had in them."""

from collections.abc import Iterable, Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import NamedTuple

from modular.git.repository import (
    SHALLOW_HINT,
    GitError,
    is_shallow,
    path_in_repository,
    read_blobs,
    run_git,
)
from modular.source.module import normalize_text


_FORMAT = "%x00%H%x00%cs%x00%s%x00"
"""Hash, date and title of a commit. No field can contain a null character."""


class Commit(NamedTuple):
    """A commit.

    Attributes:
        hash: Its full hash.
        date: Its date, such as `2026-05-30`.
        title: The first line of its message.
        age: How many commits of the read history are newer.
    """

    hash: str
    date: str
    title: str
    age: int


class History:
    """The history of some files up to the current commit, along first parents."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        """Read which commits changed some files.

        Args:
            root: A folder of a repository.
            paths: The files relative to ``root``.

        Raises:
            GitError: The clone is shallow, ``root`` is in no repository, or git failed.
        """
        if is_shallow(root):
            raise GitError(f"{root}: the history is incomplete: {SHALLOW_HINT}")
        self._root = root
        self._folder = path_in_repository(root)
        self._commits: dict[str, list[Commit]] = {}
        # Otherwise git would read `*` or `:` in a path as a pattern.
        pathspecs = [f":(literal){path}" for path in sorted(set(paths))]
        if not pathspecs:
            return
        options = ("--first-parent", "--name-only", "--no-renames", "-z")
        output = run_git(root, "log", *options, f"--format={_FORMAT}", "--", *pathspecs)
        for commit, changed_paths in _parse_log(output):
            for changed_path in changed_paths:
                path = changed_path.removeprefix(self._folder)
                self._commits.setdefault(path, []).append(commit)

    def commits(self, path: str) -> list[Commit]:
        """Return the commits that changed a file, the newest first."""
        return self._commits.get(path, [])

    def texts(self, path: str, commits: Iterable[Commit]) -> Iterator[str | None]:
        r"""Yield the text that a file had in each of some commits.

        Args:
            path: The path of the file.
            commits: The commits.

        Yields:
            The text with `\n` line ends. None for a commit without the file.

        Raises:
            GitError: The texts are too large together, or git failed.
        """
        names = [f"{commit.hash}:{self._folder}{path}" for commit in commits]
        for data in read_blobs(self._root, names):
            if data is None:
                yield None
            else:
                yield normalize_text(data.decode("utf-8", "replace"))


def _parse_log(output: str) -> Iterator[tuple[Commit, list[str]]]:
    r"""Yield each commit in the output of `git log` with the paths that it changed.

    Each field ends with `\0`. After an empty field, each commit has these fields::

        HASH
        DATE
        TITLE
        (empty)
        \nPATH
        PATH
        (empty)
    """
    fields = iter(output.split("\0"))
    next(fields)  # the empty field at the beginning
    # The newest commit comes first, and its age is 0.
    for age in count():
        commit_hash = next(fields, "")
        if not commit_hash:
            # There are no more commits.
            return
        date = next(fields)
        title = next(fields)
        next(fields)  # the empty field after the title
        # `takewhile` also reads the empty field after the last path.
        paths = [path.removeprefix("\n") for path in takewhile(bool, fields)]
        yield Commit(commit_hash, date, title, age), paths
