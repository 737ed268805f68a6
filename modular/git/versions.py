"""Reads the versions of files that a repository has: now, and in all its history."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from modular.git.repository import hash_content, path_in_repository, read_blobs, run_git
from modular.source.module import normalize_text


_COMMIT = "HEAD"

_OTHER_SIDES = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "refs/stash",
)
"""Commits that git merges with the current one, or whose changes it applies to it."""

_STAGES = (":1", ":2", ":3")
"""The versions of a file with a merge conflict, which the index has."""

_MAX_FILES_AT_ONCE = 20
"""Files whose versions are read by one call to git, which limits their total size."""


@dataclass(frozen=True)
class Versions:
    """The versions of a file from which a merge may have taken lines.

    Attributes:
        committed: The text in the current commit; None if it has no such file.
        others: The texts in the other sides of a merge, rebase or the like.
    """

    committed: str | None
    others: tuple[str, ...]


def read_versions(root: Path, paths: Iterable[str]) -> dict[str, Versions]:
    r"""Return the versions of files, with `\n` as line ends.

    Args:
        root: A folder of the repository.
        paths: The files relative to ``root``.

    Raises:
        modular.git.repository.GitError: The folder is in no repository, or git failed.
    """
    folder = path_in_repository(root)
    # Git reads one name from each line, so a path with a line end cannot be named.
    readable_paths = [path for path in paths if "\n" not in path]
    versions = {}
    for start in range(0, len(readable_paths), _MAX_FILES_AT_ONCE):
        batch = readable_paths[start : start + _MAX_FILES_AT_ONCE]
        versions.update(_read_batch(root, folder, batch))
    return versions


def _read_batch(root: Path, folder: str, paths: list[str]) -> dict[str, Versions]:
    """Return the versions of a few files, which one call of git reads.

    Git is asked for all revisions of the first file, such as `HEAD:models/a.py`, then for
    those of the second, and so on. It answers in this order.

    Args:
        root: A folder of the repository.
        folder: Its path from the top of the repository.
        paths: The files relative to ``root``.
    """
    revisions = (_COMMIT, *_OTHER_SIDES, *_STAGES)
    names = []
    for path in paths:
        path_from_top = posixpath.normpath(folder + path)
        names += [f"{revision}:{path_from_top}" for revision in revisions]
    contents = read_blobs(root, names)
    versions = {}
    for path in paths:
        # The current commit is the first revision.
        committed, *others = [_decode(next(contents)) for _ in revisions]
        existing_others = tuple(text for text in others if text is not None)
        versions[path] = Versions(committed, existing_others)
    # Git's output must be read to its end.
    for _ in contents:
        pass
    return versions


def _decode(content: bytes | None) -> str | None:
    """Return the text of a file in git; None if the commit does not have it."""
    if content is None:
        return None
    return normalize_text(content.decode("utf-8", "replace"))


def find_committed(root: Path, contents: Mapping[str, bytes]) -> set[str]:
    """Return the files whose content is committed: some commit has it at the same path.

    The commits of all branches, tags and stashes are searched, and those of git's
    reflog.

    Args:
        root: A folder of the repository.
        contents: The contents by path relative to ``root``.

    Raises:
        modular.git.repository.GitError: The folder is in no repository, or git failed.
    """
    # Otherwise git would read `*` or `:` in a path as a pattern.
    pathspecs = [f":(literal){path}" for path in contents]
    options = ("--all", "--reflog", "-m", "--raw", "--no-abbrev", "--no-renames", "-z")
    output = run_git(root, "log", *options, "--format=", "--", *pathspecs)
    blobs = set()
    for field in output.split("\0"):
        # `:100644 100644 OLD_BLOB NEW_BLOB M` describes a change. Its path comes next.
        if field.lstrip("\n").startswith(":"):
            blobs.update(field.split()[2:4])

    committed = set()
    for path, content in contents.items():
        if hash_content(root, content) in blobs:
            committed.add(path)
    return committed
