"""Reads commits and differences from a git repository, without running its programs.

A repository's configuration is not trusted. It can name programs for signatures,
filters, hooks, monitors, differences and transports. Missing objects can make git fetch
them. All of this is turned off here, and only this module starts git.

The results do not depend on a person's settings, such as `diff.relative`, nor on the
variables that git sets for a hook: the repository is the one that contains the folder.
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
from typing import BinaryIO, NamedTuple, cast

from modular.source.loading import MAX_SOURCE_BYTES
from modular.source.module import normalize_text
from modular.system.errors import ModularError
from modular.system.machine import find_program


MAX_COMMIT_BYTES = 256_000_000
"""Maximum size in bytes of all files of one commit that are read."""

MAX_OUTPUT_BYTES = 200_000_000
"""Maximum size in bytes of what git prints, and of a file that it merges."""

_MAX_ERROR_BYTES = 2_000
_GIT_TIMEOUT_S = 120

_MAIN_BRANCHES = ("main", "origin/main", "master", "origin/master")
"""Names of the main branch; the first that exists is used."""
_MAX_CONFLICTS = 127
"""Highest number of conflicts that `git merge-file` returns as its exit code."""

_OPTIONS = ("--no-pager", "--no-optional-locks")

_SAFE_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "log.showSignature=false",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
)
"""Settings that keep git from writing and from starting programs.

They also refuse a bare repository that is only a folder of another repository.
"""

_FIXED_SETTINGS = (
    f"core.attributesFile={os.devnull}",
    "core.autocrlf=false",
    "core.checkStat=default",
    f"core.excludesFile={os.devnull}",
    "core.trustctime=true",
    "core.useReplaceRefs=true",
    "diff.autoRefreshIndex=true",
    f"diff.orderFile={os.devnull}",
    "diff.relative=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.follow=false",
    "log.showRoot=true",
)
"""Settings that would change what git prints, with the values that are used.

Most values are git's defaults. Files that only a person's settings ignore count as
untracked, and a file whose time was set back as changed: one path too many costs time,
one too few hides a change.
"""

_KEPT_VARIABLES = (
    "GIT_CONFIG_",
    "GIT_EXEC_PATH",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)
"""Beginnings of the variables `GIT_...` that git may inherit.

They tell where git's settings and programs are, and where to search for a repository.
All others are removed. In a hook, `GIT_DIR` without `GIT_WORK_TREE` makes git take the
folder in which it runs for the top of the repository. `GIT_ICASE_PATHSPECS` and
`GIT_NO_REPLACE_OBJECTS` change what git prints, and `GIT_TRACE` lets it write files.
"""

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Variables that forbid all protocols, so that git fetches no missing objects.

They override the repository's `protocol.NAME.allow`.
"""

SHALLOW_HINT = (
    "the clone is shallow: `git fetch --unshallow`, or `fetch-depth: 0` for "
    "actions/checkout, gets all commits"
)


class GitError(ModularError):
    """Git is missing or failed; the message says why."""


class GitStatusError(GitError):
    """Git ended with an exit code other than 0.

    Attributes:
        status: The exit code.
    """

    def __init__(self, message: str, status: int) -> None:
        """Create the error with the message and the exit code of git."""
        super().__init__(message)
        self.status = status


class TreeEntry(NamedTuple):
    """A file of a commit: its mode, and the hash of its content (its blob)."""

    mode: str
    blob: str


def run_git(root: Path, *arguments: str, index: Path | None = None) -> str:
    """Run git in a folder and return its output.

    Args:
        root: The folder.
        arguments: The subcommand and its arguments.
        index: A file that git uses in place of the repository's index.

    Raises:
        GitError: Git is missing, failed, took too long or printed too much.
    """
    # A repository is not trusted, so git must not start the programs that it names.
    options = _options_without_programs(root)
    with _git_output(root, *options, *arguments, index=index) as output:
        return _read_output(output)


def resolve_commit(root: Path, ref: str) -> str:
    """Return the hash of the commit that a branch, tag or other name refers to.

    Raises:
        GitError: There is no such commit, or git failed.
    """
    command = ("rev-parse", "--quiet", "--verify", "--end-of-options")
    try:
        return run_git(root, *command, f"{ref}^{{commit}}").strip()
    except GitError as error:
        message = f"{root}: no commit `{ref}`"
        if is_shallow(root):
            message += f"; {SHALLOW_HINT}"
        raise GitError(message) from error


def is_shallow(root: Path) -> bool:
    """Return whether a clone lacks a part of its history.

    Raises:
        GitError: The folder is not in a repository, or git failed.
    """
    return run_git(root, "rev-parse", "--is-shallow-repository") == "true\n"


def list_files(root: Path, commit: str) -> dict[str, TreeEntry]:
    """Return the mode and the blob of each file in a commit.

    Args:
        root: A folder of the repository.
        commit: The hash of the commit.

    Returns:
        The entries by the paths of the files, from the top of the repository.

    Raises:
        GitError: Git failed.
    """
    output = run_git(root, "ls-tree", "-r", "-z", "--full-tree", commit)
    entries = {}
    for line in output.split("\0"):
        if line:
            attributes, _, path = line.partition("\t")
            mode, _, blob = attributes.split()
            entries[path] = TreeEntry(mode, blob)
    return entries


def path_in_repository(root: Path) -> str:
    """Return the path of a folder relative to the top of its repository.

    Returns:
        The path with a `/` at its end, or an empty string for the top.

    Raises:
        GitError: The folder is not in a repository, or git failed.
    """
    return run_git(root, "rev-parse", "--show-prefix").strip("\n")


def find_git_folder(root: Path) -> Path:
    """Return the `.git` folder of a repository, which all its worktrees share.

    Raises:
        GitError: The folder is not in a repository, or git failed.
    """
    output = run_git(root, "rev-parse", "--git-common-dir")
    return root / output.removesuffix("\n")


def read_blobs(root: Path, names: Sequence[str]) -> Iterator[bytes | None]:
    """Yield the contents of files in a repository, one at a time.

    Args:
        root: A folder of the repository.
        names: Names of blobs: their hashes, or `COMMIT:PATH`.

    Yields:
        The content of each file. None for a file that does not exist or is larger than
        a source file may be.

    Raises:
        GitError: The files are larger than `MAX_COMMIT_BYTES` together, or git failed.
    """
    total = 0
    request = os.fsencode("".join(f"{name}\n" for name in names))
    command = (*_options_without_programs(root), "cat-file", "--batch")
    with _git_output(root, *command, request=request) as output:
        for _ in names:
            # A header such as `HASH blob 42`, or `NAME missing` without a content.
            header = re.fullmatch(rb"[0-9a-f]+ (\w+) (\d+)\n", output.readline())
            if header is None:
                yield None
                continue
            # Git prints a line end after each content, so one byte more is read.
            size = int(header[2])
            if header[1] != b"blob" or size > MAX_SOURCE_BYTES:
                _skip(output, size + 1)
                yield None
                continue
            total += size
            if total > MAX_COMMIT_BYTES:
                raise GitError(
                    f"{root}: the files of the commit are too large: more than "
                    f"{MAX_COMMIT_BYTES:,} bytes"
                )
            yield output.read(size + 1)[:-1]


def hash_content(root: Path, content: bytes) -> str:
    """Return the hash that a repository gives to a content.

    Raises:
        GitError: The folder is in no repository, or git failed.
    """
    command = (*_options_without_programs(root), "hash-object", "--stdin")
    with _git_output(root, *command, request=content) as output:
        return _read_output(output).strip()


def _skip(output: BinaryIO, size: int) -> None:
    """Skip a number of bytes of git's output, or all that are left."""
    while size > 0:
        skipped = output.read(min(size, MAX_SOURCE_BYTES))
        if not skipped:
            return
        size -= len(skipped)


def read_texts_at(root: Path, ref: str, paths: Iterable[str]) -> dict[str, str]:
    r"""Return the texts that files had in a commit, with `\n` as line ends.

    Args:
        root: A folder of the repository.
        ref: The name of the commit.
        paths: The files relative to ``root``.

    Returns:
        The texts by path. Files that the commit does not have are missing.

    Raises:
        GitError: There is no such commit, or git failed.
    """
    commit = resolve_commit(root, ref)
    folder = path_in_repository(root)
    # Git reads one name from each line, so a path with a line end cannot be named.
    readable_paths = [path for path in paths if "\n" not in path]
    names = []
    for path in readable_paths:
        names.append(f"{commit}:{posixpath.normpath(folder + path)}")
    texts = {}
    for path, data in zip(readable_paths, read_blobs(root, names), strict=True):
        if data is not None:
            texts[path] = normalize_text(data.decode("utf-8", "replace"))
    return texts


def changed_since(root: Path, ref: str) -> tuple[str, ...]:
    """Return the files of a repository that changed since a commit.

    Deleted files are among them, and untracked files below ``root``.

    Args:
        root: A folder of the repository.
        ref: The name of the commit.

    Returns:
        The sorted paths relative to ``root``.

    Raises:
        GitError: There is no such commit, or git failed.
    """
    tracked_changes = _diff_tracked_files(root, resolve_commit(root, ref))
    folder = path_in_repository(root) or "."
    paths = untracked_files(root)
    for path in tracked_changes.split("\0"):
        if path:
            paths.add(posixpath.relpath(path, folder))
    paths.update(_hidden_files(root, folder))
    return tuple(sorted(paths))


def untracked_files(root: Path) -> set[str]:
    """Return the files below a folder that are neither in git's index nor ignored.

    Args:
        root: A folder of the repository.

    Returns:
        The paths relative to ``root``.

    Raises:
        GitError: The folder is not in a repository, or git failed.
    """
    return _list_by_index(root, "--others", "--exclude-standard")


def unstaged_files(root: Path) -> set[str]:
    """Return the files below a folder that differ from git's index, or are deleted.

    Args:
        root: A folder of the repository.

    Returns:
        The paths relative to ``root``.

    Raises:
        GitError: The folder is not in a repository, or git failed.
    """
    return _list_by_index(root, "--modified")


def _list_by_index(root: Path, *options: str) -> set[str]:
    """Return the files below a folder that `git ls-files` lists for the index in use."""
    index = _index_of_hook(root)
    output = run_git(root, "ls-files", *options, "-z", index=index)
    return {path for path in output.split("\0") if path}


def _index_of_hook(root: Path) -> Path | None:
    """Return the index of the commit in progress if this process is a hook of it.

    `git commit FILE` makes the commit from another index than that of the repository.

    Args:
        root: A folder of the repository.

    Returns:
        The index; None if this process is not a hook of the repository.
    """
    name = os.environ.get("GIT_INDEX_FILE")
    if not name:
        return None
    index_of_hook = Path(name).resolve()
    index_path = run_git(root, "rev-parse", "--git-path", "index").removesuffix("\n")
    index = (root / index_path).resolve()
    # A hook of another repository, such as one that contains this one, has another folder.
    is_of_repository = index_of_hook.parent == index.parent
    return index_of_hook if is_of_repository and index_of_hook.is_file() else None


def _hidden_files(root: Path, folder: str) -> Iterator[str]:
    """Yield the files whose changes git ignores, relative to a folder.

    These are files marked by `git update-index --assume-unchanged`, or by the setting
    `core.ignoreStat`, and files outside a sparse checkout that exist nevertheless.

    Args:
        root: The folder.
        folder: Its path from the top of the repository; `.` for the top.
    """
    output = run_git(root, "ls-files", "-v", "--full-name", "-z", "--", ":/")
    for line in output.split("\0"):
        # A line is `H models/owl/modular_owl.py`: a tag, and the path.
        tag, _, path = line.partition(" ")
        if not path:
            continue
        relative_path = posixpath.relpath(path, folder)
        is_assumed_unchanged = tag.islower()
        is_outside_sparse_checkout = tag == "S"
        if is_assumed_unchanged:
            yield relative_path
        elif is_outside_sparse_checkout and os.path.lexists(root / relative_path):
            yield relative_path


def _diff_tracked_files(root: Path, commit: str) -> str:
    r"""Return the paths of the tracked files that differ from a commit, each before `\0`.

    Git writes to its index while it compares. It gets a copy of the index, because
    reading a repository must not change the repository.
    """
    index_path = run_git(root, "rev-parse", "--git-path", "index").removesuffix("\n")
    options = (
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "-z",
    )
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        with suppress(FileNotFoundError):
            # The copy keeps its time, by which git knows which files to read.
            shutil.copy2(root / index_path, index)
        return run_git(root, "diff", *options, commit, "--", index=index)


class Merge(NamedTuple):
    """The result of a three-way merge.

    Attributes:
        content: The merged file. Conflicts are marked in it.
        has_conflicts: Whether there are any.
    """

    content: bytes
    has_conflicts: bool


def merge_files(ours: Path, base: Path, theirs: Path) -> Merge:
    """Merge the changes between two versions of a file into a third version.

    This is git's three-way merge. No file is written. The marks of conflicts have the
    style of the person's setting `merge.conflictStyle`.

    Args:
        ours: The version that gets the changes.
        base: The version without the changes.
        theirs: The version with the changes.

    Raises:
        GitError: Git is missing or failed, or the result is too large.
    """
    folder = ours.resolve().parent
    files = [str(path.resolve()) for path in (ours, base, theirs)]
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    command = ("merge-file", "--stdout", "--quiet", *labels, "--", *files)
    content = b""
    try:
        with _git_output(
            folder, *_options_without_programs(folder), *command
        ) as output:
            content = _read_bytes(output)
    except GitStatusError as error:
        # The exit status is the number of conflicts; higher ones are errors.
        if error.status > _MAX_CONFLICTS:
            raise
        return Merge(content, has_conflicts=True)
    return Merge(content, has_conflicts=False)


def find_fork_point(root: Path) -> str:
    """Return the commit at which the current branch left the main branch.

    The script `utils/check_modular_conversion.py` calls it.

    Args:
        root: A folder of the repository.

    Raises:
        GitError: There is no main branch, or git failed.
    """
    for branch in _MAIN_BRANCHES:
        with suppress(GitError):
            return run_git(root, "merge-base", branch, "HEAD").strip()
    raise GitError(
        f"the repository at {root} has none of the branches {', '.join(_MAIN_BRANCHES)}"
    )


def _read_output(output: BinaryIO) -> str:
    """Return the output of git as text. Raises GitError if it is too long."""
    return os.fsdecode(_read_bytes(output))


def _read_bytes(output: BinaryIO) -> bytes:
    """Return the output of git. Raises GitError if it is too long."""
    data = output.read(MAX_OUTPUT_BYTES + 1)
    if len(data) > MAX_OUTPUT_BYTES:
        raise GitError(f"git printed more than {MAX_OUTPUT_BYTES:,} bytes")
    return data


def _options_without_programs(root: Path) -> list[str]:
    """Return options that keep git from starting programs that a repository names.

    The configuration of a repository is not trusted. Each of its filters and hooks can
    name a program, and is turned off by an option `-c NAME=VALUE`.

    Raises:
        GitError: The name of a filter or hook contains `=`. No option can turn it off.
    """
    with _git_output(root, "config", "--null", "--name-only", "--list") as output:
        names = _read_output(output).split("\0")
    options = []
    for name in names:
        if not name.startswith(("filter.", "hook.")):
            continue
        if "=" in name:
            raise GitError(
                f"{root}: the repository has a filter or hook with `=` in its name"
            )
        if name.startswith("filter."):
            # The program of `filter.lfs.clean` becomes an empty command.
            options += ["-c", f"{name}="]
        else:
            # The hook with `hook.lint.command` is turned off by `hook.lint.enabled`.
            hook = name.rpartition(".")[0]
            options += ["-c", f"{hook}.enabled=false"]
    return options


def _inherited_variables() -> dict[str, str]:
    """Return the environment variables that git may inherit."""
    variables = {}
    for name, value in os.environ.items():
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES):
            variables[name] = value
    return variables


@contextmanager
def _git_output(
    root: Path, *arguments: str, request: bytes = b"", index: Path | None = None
) -> Iterator[BinaryIO]:
    """Run git and yield its output, which must be read to its end.

    Args:
        root: The folder in which git runs.
        arguments: The subcommand and its arguments.
        request: The standard input of git.
        index: A file that git uses in place of the repository's index.

    Raises:
        GitError: Git is missing, failed or took too long.
    """
    program = find_program("git")
    if program is None:
        raise GitError("git cannot be run: it is not on the `PATH`")
    command = [program, *_OPTIONS]
    for setting in (*_SAFE_SETTINGS, *_FIXED_SETTINGS):
        command += ["-c", setting]
    command += ["-C", str(root), *arguments]
    environment = {**_inherited_variables(), **_ENVIRONMENT}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)

    # With pipes, git and this process could wait for each other.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(request)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
            )
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}") from error
        timer = threading.Timer(_GIT_TIMEOUT_S, process.kill)
        with process:
            timer.start()
            try:
                yield cast(BinaryIO, process.stdout)
                status = process.wait()
            finally:
                timer.cancel()
                timer.join()
                process.kill()

        if status < 0:
            raise GitError(
                f"git was killed, or did not answer within {_GIT_TIMEOUT_S} seconds"
            )
        if status > 0:
            stderr.seek(0)
            message = os.fsdecode(stderr.read(_MAX_ERROR_BYTES)).strip()
            raise GitStatusError(message.removeprefix("fatal: "), status)
