"""What git says has changed."""

import os
import posixpath
import subprocess
from collections.abc import Sequence
from pathlib import Path


class ChangesError(Exception):
    """Git is not there, the root is in no repository, or there is no such commit. The message says which."""


def changed_since(root: Path, ref: str) -> tuple[str, ...]:
    """Return the files of the repository that differ from those of a commit, deleted ones included, and untracked ones.

    Paths are relative to ``root``, of those that are not below it too. Raises ChangesError.
    """
    commit = _git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}").strip()
    tracked = _git(root, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit, "--")
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
    prefix = _git(root, "rev-parse", "--show-prefix").strip("\n")
    found = {path for path in (tracked + untracked).split("\0") if path}
    return tuple(sorted(posixpath.relpath(path, prefix or ".") for path in found))


def fork_point(root: Path, branches: Sequence[str] = ("main", "origin/main", "master", "origin/master")) -> str:
    """Return the commit at which the current branch left the first of some branches that is there.

    Raises ChangesError if none is.
    """
    for branch in branches:
        try:
            return _git(root, "merge-base", branch, "HEAD").strip()
        except ChangesError:
            continue
    raise ChangesError(f"the repository at {root} has none of the branches {', '.join(branches)}")


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise ChangesError(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        problem = os.fsdecode(done.stderr).strip().removeprefix("fatal: ")
        raise ChangesError(problem or f"{root}: no commit `{arguments[-1].removesuffix('^{commit}')}`")
    return os.fsdecode(done.stdout)
