"""Runs git: careful of what a repository's own configuration would have it run."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from modular.source.machine import find_program


_CAREFUL = (
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "protocol.allow=never"),
)
"""What keeps git from writing, from what a repository's own configuration would have it run, and from a repository that is
only a folder of another one's files."""

_PATIENCE = 120
"""Seconds that git may take."""


class ChangesError(Exception):
    """Git is not there, the root is in no repository, or there is no such commit. The message says which."""


def git(root: Path, *arguments: str, index: Path | None = None) -> str:
    """Return what git prints in a folder. ``index`` is a file to take for the repository's own index.

    Raises ChangesError.
    """
    return os.fsdecode(_output(root, *arguments, index=index))


def commit_of(root: Path, ref: str) -> str:
    """Return the hash of the commit that a name stands for. Raises ChangesError."""
    return git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}").strip()


def contents(root: Path, names: Sequence[str]) -> Iterator[bytes | None]:
    """Yield the bytes of files in the repository, by their names for git; None for each that is not there.

    Raises ChangesError.
    """
    stream = BytesIO(_output(root, "cat-file", "--batch", given=os.fsencode("".join(f"{name}\n" for name in names))))
    for _ in names:
        words = stream.readline().split()
        if len(words) != 3 or not words[2].isdigit():
            yield None
            continue
        data = stream.read(int(words[2]) + 1)[:-1]
        yield data if words[1] == b"blob" else None


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
