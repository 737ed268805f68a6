"""Runs git: the one place where it is started, with everything off that lets a repository start a program.

A repository's own configuration is a stranger's. It may name programs for signatures, filters, hooks, monitors, differences
and transports, and its objects may be missing so that git would fetch them.
"""

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from modular.source.errors import ModularError
from modular.source.loading import LARGEST
from modular.source.system.machine import find_program


_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "protocol.allow=never"),
)
"""What keeps git from writing, from starting programs, and from a repository that is only a folder of another one's files."""

_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
"""No protocol is allowed, whatever `protocol.NAME.allow` says, so nothing is fetched that is missing."""

_PATIENCE = 120
"""Seconds that git may take."""

_LONGEST_ANSWER = 200_000_000
"""Bytes that git may print in one go."""

_LONGEST_PROBLEM = 2_000

_BATCH = 32_000_000
"""Bytes of files that git is asked for in one go."""

MOST = 256_000_000
"""Bytes that the files of one commit may have together."""


_SHALLOW = (
    "; the clone is shallow: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout, gets all commits"
)


class ChangesError(ModularError):
    """Git is not there, the root is in no repository, or there is no such commit. The message says which."""


def git(root: Path, *arguments: str, index: Path | None = None) -> str:
    """Return what git prints in a folder. ``index`` is a file to take for the repository's own index.

    Raises ChangesError.
    """
    return os.fsdecode(_output(root, *arguments, index=index))


def commit_of(root: Path, ref: str) -> str:
    """Return the hash of the commit that a name stands for. Raises ChangesError."""
    return git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}").strip()


def contents(root: Path, names: Sequence[str], most: int = MOST) -> Iterator[bytes | None]:
    """Yield the bytes of files in the repository, by their names for git.

    None stands for each that is not there, and for each that is larger than a source file may be. Only some are held in
    memory at a time. Raises ChangesError, also if the files have more than ``most`` bytes together.
    """
    asked = _output(root, "cat-file", "--batch-check", given=_lines(names))
    blobs = [_blob(line) for line in asked.split(b"\n")[: len(names)]]
    if sum(blob.size for blob in blobs if blob is not None) > most:
        raise ChangesError(f"{root}: the files of the commit are too large: more than {most:,} bytes")
    for batch in _batches(blobs):
        found = [blob for blob in batch if blob is not None]
        stream = BytesIO(_output(root, "cat-file", "--batch", given=_lines(blob.name for blob in found)))
        for blob in batch:
            yield None if blob is None else _read(stream)


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file's content in the repository: its hash, and its size in bytes."""

    name: str
    size: int


def _lines(names: Sequence[str] | Iterator[str]) -> bytes:
    return os.fsencode("".join(f"{name}\n" for name in names))


def _blob(line: bytes) -> _Blob | None:
    """Read a line that `cat-file --batch-check` prints; None for what is no file, or too large to be a source."""
    match = re.fullmatch(rb"([0-9a-f]+) blob (\d+)", line)
    return _Blob(match[1].decode(), int(match[2])) if match is not None and int(match[2]) <= LARGEST else None


def _batches(blobs: Sequence[_Blob | None]) -> Iterator[list[_Blob | None]]:
    batch: list[_Blob | None] = []
    size = 0
    for blob in blobs:
        batch.append(blob)
        size += 0 if blob is None else blob.size
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _read(stream: BytesIO) -> bytes:
    size = int(stream.readline().split()[2])
    return stream.read(size + 1)[:-1]


def _is_shallow(root: Path) -> bool:
    return _start(root, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


def _output(root: Path, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
    """Return what git prints; ``given`` is what it reads. Raises ChangesError."""
    done = _start(root, *_without_programs(root), *arguments, given=given, index=index)
    if done.returncode:
        problem = os.fsdecode(done.stderr).strip().removeprefix("fatal: ")
        problem = problem or f"{root}: no commit `{arguments[-1].removesuffix('^{commit}')}`"
        raise ChangesError(problem + _SHALLOW * _is_shallow(root))
    return done.stdout


def _without_programs(root: Path) -> Iterator[str]:
    """The options that turn off the filters and the hooks that a repository configures: these can have any names."""
    listed = _start(root, "config", "--null", "--name-only", "--get-regexp", r"^(filter|hook)\.").stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if "=" in name:
            raise ChangesError(f"{root}: the repository has a filter or hook with `=` in its name")
        is_filter = name.startswith("filter.")
        yield from ("-c", f"{name}=" if is_filter else f"{name.rpartition('.')[0]}.enabled=false")


def _start(
    root: Path, *arguments: str, given: bytes = b"", index: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, for a limited time and with limited output. ``index`` replaces the repository's own index."""
    program = find_program("git")
    if program is None:
        raise ChangesError("git cannot be run: there is none on the `PATH`")
    command = [program, *_OPTIONS, "-C", str(root), *arguments]
    environment = {**os.environ, **_ENVIRONMENT, **({} if index is None else {"GIT_INDEX_FILE": str(index)})}
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as problems:
        asked.write(given)
        asked.seek(0)
        try:
            output, status = _run(
                subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE, stderr=problems, env=environment)
            )
        except OSError as error:
            raise ChangesError(f"git cannot be run: {error.strerror}") from error
        problems.seek(0)
        return subprocess.CompletedProcess(command, status, output, problems.read(_LONGEST_PROBLEM))


def _run(process: subprocess.Popen[bytes]) -> tuple[bytes, int]:
    """Return what a process prints, and its exit status."""
    timer = threading.Timer(_PATIENCE, process.kill)
    with process:
        timer.start()
        try:
            output = process.stdout.read(_LONGEST_ANSWER + 1) if process.stdout is not None else b""
            if len(output) > _LONGEST_ANSWER:
                raise ChangesError(f"git printed more than {_LONGEST_ANSWER:,} bytes")
            status = process.wait()
        finally:
            timer.cancel()
            timer.join()
            process.kill()
    if status < 0:
        raise ChangesError(f"git was ended, or did not answer within {_PATIENCE} seconds")
    return output, status
