"""What git says has changed."""

import os
import posixpath
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from modular.git.git import ChangesError, commit_of, contents, git, prefix_of
from modular.source.module import normalised
from modular.source.system.reading import read_bytes


_LARGEST_INDEX = 500_000_000


def changed_since(root: Path, ref: str) -> tuple[str, ...]:
    """Return the files of the repository that differ from those of a commit, deleted ones included, and untracked ones.

    Paths are relative to ``root``, of those that are not below it too. Raises ChangesError.
    """
    commit = commit_of(root, ref)
    tracked = _differing(root, commit)
    untracked = git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
    top = prefix_of(root) or "."
    return tuple(sorted({posixpath.relpath(path, top) for path in (tracked + untracked).split("\0") if path}))


def _differing(root: Path, commit: str) -> str:
    """Ask which tracked files differ. Git notes in its index what it finds out, so it is given a copy of it."""
    index = root / git(root, "rev-parse", "--git-path", "index").removesuffix("\n")
    options = ("--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "-z")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        with suppress(FileNotFoundError):
            copy.write_bytes(read_bytes(index, _LARGEST_INDEX))
            os.utime(copy, ns=(0, index.stat().st_mtime_ns))  # files changed since are looked into
        return git(root, "diff", *options, commit, "--", index=copy)


def texts_at(root: Path, ref: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts that files, given relative to ``root``, had in a commit; those that it does not have are left out.

    Line ends are ``\\n``. Raises ChangesError.
    """
    commit = commit_of(root, ref)
    top = prefix_of(root)
    wanted = [path for path in paths if "\n" not in path]
    names = [f"{commit}:{posixpath.normpath(top + path)}" for path in wanted]
    files = zip(wanted, contents(root, names), strict=True)
    return {path: normalised(data.decode("utf-8", "replace")) for path, data in files if data is not None}


def fork_point(root: Path, branches: Sequence[str] = ("main", "origin/main", "master", "origin/master")) -> str:
    """Return the commit at which the current branch left the first of some branches that is there.

    Raises ChangesError if none is.
    """
    for branch in branches:
        try:
            return git(root, "merge-base", branch, "HEAD").strip()
        except ChangesError:
            continue
    raise ChangesError(f"the repository at {root} has none of the branches {', '.join(branches)}")
