"""What git says has changed."""

import os
import posixpath
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from modular.source.machine import find_program
from modular.source.reading import read_bytes


_CAREFUL = (
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "protocol.allow=never"),
)
"""What keeps git from writing, from what a repository's own configuration would have it run, and from a repository that is
only a folder of another one's files."""

_LARGEST_INDEX = 500_000_000
_PATIENCE = 120
"""Seconds that git may take."""


class ChangesError(Exception):
    """Git is not there, the root is in no repository, or there is no such commit. The message says which."""


def changed_since(root: Path, ref: str) -> tuple[str, ...]:
    """Return the files of the repository that differ from those of a commit, deleted ones included, and untracked ones.

    Paths are relative to ``root``, of those that are not below it too. Raises ChangesError.
    """
    commit = _commit(root, ref)
    tracked = _differing(root, commit)
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
    prefix = _git(root, "rev-parse", "--show-prefix").strip("\n")
    found = {path for path in (tracked + untracked).split("\0") if path}
    return tuple(sorted(posixpath.relpath(path, prefix or ".") for path in found))


def _differing(root: Path, commit: str) -> str:
    """Ask which tracked files differ. Git notes in its index what it finds out, so it is given a copy of it."""
    index = root / _git(root, "rev-parse", "--git-path", "index").removesuffix("\n")
    options = ("--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty", "-z")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        with suppress(FileNotFoundError):
            copy.write_bytes(read_bytes(index, _LARGEST_INDEX))
            os.utime(copy, ns=(0, index.stat().st_mtime_ns))  # files changed since are looked into
        return _git(root, "diff", *options, commit, "--", index=copy)


def texts_at(root: Path, ref: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts that files, given relative to ``root``, had in a commit; those that it does not have are left out.

    Line ends are ``\\n``. Raises ChangesError.
    """
    commit = _commit(root, ref)
    prefix = _git(root, "rev-parse", "--show-prefix").strip("\n")
    wanted = [path for path in paths if "\n" not in path]
    names = "".join(f"{commit}:{posixpath.normpath(prefix + path)}\n" for path in wanted)
    stream = BytesIO(_output(root, "cat-file", "--batch", given=os.fsencode(names)))
    found = {}
    for path in wanted:
        words = stream.readline().split()
        if len(words) != 3 or not words[2].isdigit():
            continue
        text = stream.read(int(words[2]) + 1)[:-1]
        if words[1] == b"blob":
            found[path] = text.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return found


def _commit(root: Path, ref: str) -> str:
    return _git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}").strip()


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


def _git(root: Path, *arguments: str, index: Path | None = None) -> str:
    return os.fsdecode(_output(root, *arguments, index=index))


def _output(root: Path, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
    """Run git, with a configuration under which it runs no other program; ``given`` is what it reads.

    ``index`` is a file to take for the repository's own index.
    """
    filters = _call(root, *_CAREFUL, "config", "--null", "--name-only", "--get-regexp", r"^filter\.").stdout
    names = [name for name in os.fsdecode(filters).split("\0") if name]
    if any("=" in name for name in names):
        raise ChangesError(f"{root}: the repository has a filter with `=` in its name")
    without_filters = (each for name in names for each in ("-c", f"{name}="))
    done = _call(root, *_CAREFUL, *without_filters, *arguments, given=given, index=index)
    if done.returncode:
        problem = os.fsdecode(done.stderr).strip().removeprefix("fatal: ")
        raise ChangesError(problem or f"{root}: no commit `{arguments[-1].removesuffix('^{commit}')}`")
    return done.stdout


def _call(
    root: Path, *arguments: str, given: bytes = b"", index: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    program = find_program("git")
    if program is None:
        raise ChangesError("git cannot be run: there is none on the `PATH`")
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        return subprocess.run(
            [program, "-C", str(root), *arguments],
            input=given,
            capture_output=True,
            check=False,
            env=environment,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise ChangesError(f"git did not answer within {_PATIENCE} seconds") from error
    except OSError as error:
        raise ChangesError(f"git cannot be run: {error.strerror}") from error
