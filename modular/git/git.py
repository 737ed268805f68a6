"""Asks git what was and what has changed: the one place where it is started, with everything off that lets a repository start a program.

A repository's own configuration is a stranger's. It may name programs for signatures, filters, hooks, monitors, differences
and transports, and its objects may be missing so that git would fetch them.
"""

import os
import posixpath
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from modular.source.loading import LARGEST
from modular.source.module import normalised
from modular.system.errors import ModularError
from modular.system.machine import find_program


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

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
"""No protocol is allowed, whatever `protocol.NAME.allow` says, so nothing is fetched that is missing."""

_PATIENCE = 120
"""Seconds that git may take."""

_LONGEST_ANSWER = 200_000_000
"""Bytes that git may print in one go."""

_LONGEST_PROBLEM = 2_000

MOST = 256_000_000
"""Bytes that the files of one commit may have together."""


_SHALLOW = "the clone is shallow: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout, gets all commits"


class ChangesError(ModularError):
    """Git is not there, the root is in no repository, or there is no such commit. The message says which."""


def git(root: Path, *arguments: str, index: Path | None = None) -> str:
    """Return what git prints in a folder. ``index`` is a file to take for the repository's own index.

    Raises ChangesError.
    """
    with _running(root, *_without_programs(root), *arguments, index=index) as stream:
        return _read(stream)


def commit_of(root: Path, ref: str) -> str:
    """Return the hash of the commit that a name refers to. Raises ChangesError."""
    try:
        return git(
            root,
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            f"{ref}^{{commit}}",
        ).strip()
    except ChangesError as error:
        is_shallow = git(root, "rev-parse", "--is-shallow-repository") == "true\n"
        raise ChangesError(
            f"{root}: no commit `{ref}`" + f"; {_SHALLOW}" * is_shallow
        ) from error


def tree(
    root: Path, commit: str, folders: Iterable[str] = ()
) -> dict[str, tuple[str, str]]:
    """Return the files of a commit, or of folders in it: their modes and git's names for their contents, by path.

    Paths and folders are given from the top of the repository. Raises ChangesError.
    """
    listed = git(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders)
    files = {}
    for line in filter(None, listed.split("\0")):
        about, _, path = line.partition("\t")
        mode, _, name = about.split()
        files[path] = mode, name
    return files


def prefix_of(root: Path) -> str:
    """Return the path of a folder from the top of its repository, with a `/` at the end; nothing at the top."""
    return git(root, "rev-parse", "--show-prefix").strip("\n")


def contents(
    root: Path, names: Sequence[str], most: int = MOST
) -> Iterator[bytes | None]:
    """Yield the bytes of files in the repository, by their names for git.

    None is returned for each that is not there, and for each that is larger than a source file may be. One is held in memory at
    a time. Raises ChangesError, also if the files have more than ``most`` bytes together.
    """
    total = 0
    asked = os.fsencode("".join(f"{name}\n" for name in names))
    with _running(
        root, *_without_programs(root), "cat-file", "--batch", given=asked
    ) as output:
        for _ in names:
            match = re.fullmatch(rb"[0-9a-f]+ (\w+) (\d+)\n", output.readline())
            size = int(match[2]) if match is not None else -1
            if match is None or match[1] != b"blob" or size > LARGEST:
                _skip(output, size + 1)
                yield None
                continue
            total += size
            if total > most:
                raise ChangesError(
                    f"{root}: the files of the commit are too large: more than {most:,} bytes"
                )
            yield output.read(size + 1)[:-1]


def _skip(output: BinaryIO, size: int) -> None:
    while size > 0:
        size -= len(output.read(min(size, LARGEST))) or size


def changed_since(root: Path, ref: str) -> tuple[str, ...]:
    """Return the files of the repository that differ from those of a commit, deleted ones included, and untracked ones.

    Paths are relative to ``root``, of those that are not below it too. Raises ChangesError.
    """
    commit = commit_of(root, ref)
    tracked = _differing(root, commit)
    untracked = git(
        root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z"
    )
    top = prefix_of(root) or "."
    return tuple(
        sorted(
            {
                posixpath.relpath(path, top)
                for path in (tracked + untracked).split("\0")
                if path
            }
        )
    )


def _differing(root: Path, commit: str) -> str:
    """Ask which tracked files differ. Git notes in its index what it finds out, so it is given a copy of it."""
    index = root / git(root, "rev-parse", "--git-path", "index").removesuffix("\n")
    options = (
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "-z",
    )
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "index"
        with suppress(FileNotFoundError):
            shutil.copy2(
                index, copy
            )  # with its time: files that changed since then are looked into
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
    return {
        path: normalised(data.decode("utf-8", "replace"))
        for path, data in files
        if data is not None
    }


def fork_point(
    root: Path,
    branches: Sequence[str] = ("main", "origin/main", "master", "origin/master"),
) -> str:
    """Return the commit at which the current branch left the first of some branches that is there.

    Raises ChangesError if none is.
    """
    for branch in branches:
        with suppress(ChangesError):
            return git(root, "merge-base", branch, "HEAD").strip()
    raise ChangesError(
        f"the repository at {root} has none of the branches {', '.join(branches)}"
    )


def _read(stream: BinaryIO) -> str:
    output = stream.read(_LONGEST_ANSWER + 1)
    if len(output) > _LONGEST_ANSWER:
        raise ChangesError(f"git printed more than {_LONGEST_ANSWER:,} bytes")
    return os.fsdecode(output)


def _without_programs(root: Path) -> Iterator[str]:
    """The options that turn off the filters and the hooks that a repository configures: these can have any names."""
    with _running(root, "config", "--null", "--name-only", "--list") as stream:
        names = _read(stream).split("\0")
    for name in names:
        if not name.startswith(("filter.", "hook.")):
            continue
        if "=" in name:
            raise ChangesError(
                f"{root}: the repository has a filter or hook with `=` in its name"
            )
        is_filter = name.startswith("filter.")
        yield from (
            "-c",
            f"{name}=" if is_filter else f"{name.rpartition('.')[0]}.enabled=false",
        )


@contextmanager
def _running(
    root: Path, *arguments: str, given: bytes = b"", index: Path | None = None
) -> Iterator[BinaryIO]:
    """Start git in a folder for a limited time, and give the stream of what it prints, which has to be read to its end.

    ``given`` is what it reads; ``index`` replaces the repository's own index. Raises ChangesError.
    """
    program = find_program("git")
    if program is None:
        raise ChangesError("git cannot be run: there is none on the `PATH`")
    command = [program, *_OPTIONS, "-C", str(root), *arguments]
    environment = {
        **os.environ,
        **_ENVIRONMENT,
        **({} if index is None else {"GIT_INDEX_FILE": str(index)}),
    }
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as problems:
        asked.write(given)
        asked.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=problems,
                env=environment,
            )
        except OSError as error:
            raise ChangesError(f"git cannot be run: {error.strerror}") from error
        timer = threading.Timer(_PATIENCE, process.kill)
        with process:
            timer.start()
            try:
                yield cast(BinaryIO, process.stdout)
                status = process.wait()
            finally:
                timer.cancel()
                timer.join()
                process.kill()
        problems.seek(0)
        if status < 0:
            raise ChangesError(
                f"git was ended, or did not answer within {_PATIENCE} seconds"
            )
        if status:
            raise ChangesError(
                os.fsdecode(problems.read(_LONGEST_PROBLEM))
                .strip()
                .removeprefix("fatal: ")
            )
