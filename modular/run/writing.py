"""Writes the files of models: for each model all new or, where anything goes wrong, all old.

New files are staged beside the old ones. Those of a model are then put in place back to back, by a process of its own
that outlives this one: a run that is killed never leaves a model half written.
"""

import gc
import json
import os
import shutil
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from modular.run.interrupts import shielded
from modular.source import safe_paths
from modular.source.diagnostics import Diagnostic, Place, Problem


if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_SUFFIX = ".modular-tmp"
_BATCH = 32
"""Models that are staged at a time: it bounds how much more of the disk is taken for a while."""

_THREADS = 8
"""Threads that stage files: they mostly wait for the disk."""

_numbers = count()

_Moves = Sequence[tuple[str, str]]
"""The staged files of a model, and where they go."""

_Failure = tuple[str, str]
"""A path that could not be written, and why."""


def write_models(root: Path, models: Mapping[str, Mapping[str, str]]) -> dict[str, Diagnostic]:
    """Replace or create the files of models: for each its texts by path, relative to ``root``.

    Return, for the models that were not written, what kept them from it. Whoever calls this holds the lock of the root.
    """
    from concurrent.futures import ThreadPoolExecutor

    problems: dict[str, Diagnostic] = {}
    waiting = iter(models.items())
    with _Committer() as committer, ThreadPoolExecutor(_THREADS) as threads:
        while some := list(islice(waiting, _BATCH)):
            with shielded():
                problems.update(_write(_stage(root, some, threads), committer))
    return problems


def _write(batch: Sequence[tuple[str, "_Staged"]], committer: "_Committer") -> Iterator[tuple[str, Diagnostic]]:
    """Put what was staged in place; yield what kept models from it. Nothing that was staged is left."""
    try:
        for model, files in batch:
            if (problem := files.problem or files.commit(committer)) is not None:
                yield model, problem
    finally:
        for _, files in batch:
            files.discard()


def _stage(
    root: Path, models: Sequence[tuple[str, Mapping[str, str]]], threads: "ThreadPoolExecutor"
) -> list[tuple[str, "_Staged"]]:
    """Stage the files of some models at once."""
    staged = threads.map(lambda texts: _Staged(root, texts), [texts for _, texts in models])
    return [(model, files) for (model, _), files in zip(models, staged, strict=True)]


def _target(root: Path, path: str) -> Path:
    """Return what is replaced: folders may be links, but a link in the place of the file is replaced itself."""
    place = root / path
    return Path(os.path.realpath(place.parent)) / place.name


def clear_leftovers(root: Path, folders: Iterable[str]) -> None:
    """Delete what killed runs have left in folders, relative to ``root``. Whoever calls this holds the lock of the root."""
    for folder in folders:
        place = Path(os.path.realpath(root / folder))
        if not place.is_relative_to(root):
            continue
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX) and entry.name.startswith("."):
                    Path(entry.path).unlink(missing_ok=True)


def replace_text(file: Path, text: str) -> None:
    """Write a file that somebody asked for by its name, its folder included: all of it or nothing. Raises OSError."""
    staged = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        staged.write_text(text, encoding="utf-8", newline="\n")
        os.replace(staged, file)
    finally:
        with suppress(OSError):
            staged.unlink()


@dataclass
class _Staged:
    """The new files of one model, staged beside their targets; or the problem why they are not."""

    root: Path
    texts: Mapping[str, str]
    problem: Diagnostic | None = None
    paths: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for path, text in sorted(self.texts.items()):
            if safe_paths.problem(path) or not (target := _target(self.root, path)).is_relative_to(self.root):
                self.problem = _problem(Problem.OUTSIDE_ROOT, path, "the path leads out of the project's root")
                break
            try:
                self._stage(path, target, text)
            except OSError as error:
                self.problem = _problem(Problem.CANNOT_WRITE, path, f"cannot be written: {error.strerror or error}")
                break
        if self.problem is not None:
            self.discard()

    def _stage(self, path: str, target: Path, text: str) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f".{target.name}.{os.getpid()}-{next(_numbers)}{_SUFFIX}")
        staged.unlink(missing_ok=True)
        self.paths[str(target)] = path
        self.moves.append((str(staged), str(target)))
        with open(staged, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            state = os.lstat(target)
            if stat.S_ISREG(state.st_mode):
                os.chmod(staged, state.st_mode & 0o777)

    def commit(self, committer: "_Committer") -> Diagnostic | None:
        """Put the files in place."""
        failure = committer.commit(self.moves)
        if failure is None:
            return None
        return _problem(Problem.CANNOT_WRITE, self.paths[failure[0]], f"cannot be written: {failure[1]}")

    def discard(self) -> None:
        """Delete what was staged and is not in place."""
        _delete(staged for staged, _ in self.moves)


def _problem(code: Problem, path: str, message: str) -> Diagnostic:
    return Diagnostic(code, Place(path), message, "nothing of this model was changed")


class _Committer:
    """Puts staged files in place, in a process that goes on when this one is killed.

    Where no such process can be started, it does so in this one.
    """

    def __init__(self) -> None:
        self._pipes: tuple[BinaryIO, BinaryIO] | None = None

    def __enter__(self) -> "_Committer":
        if hasattr(os, "fork"):
            with suppress(OSError):
                self._pipes = _start_committer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        """Let the process end and wait for it: what it was told, it does."""
        if self._pipes is not None:
            requests, replies = self._pipes
            self._pipes = None
            with suppress(OSError):
                requests.close()
            with replies:
                replies.read()

    def commit(self, moves: _Moves) -> _Failure | None:
        """Put the files of one model in place; return what failed: then all are as before, and the staged ones are gone."""
        if self._pipes is not None:
            requests, replies = self._pipes
            with suppress(OSError, ValueError):
                requests.write(json.dumps(moves).encode() + b"\n")
                requests.flush()
                failure = json.loads(replies.readline())
                return None if failure is None else (failure[0], failure[1])
            self._end()
        return _put_in_place([move for move in moves if os.path.exists(move[0])])


def _start_committer() -> tuple[BinaryIO, BinaryIO]:
    """Start the process; return where requests go and where replies come from.

    It is a grandchild with a session of its own, so that nobody who ends this process with all its children meets it. It
    keeps the standard streams: whoever waits for their end waits for it too, and then finds no file that still changes.
    """
    their_requests, requests = os.pipe()
    replies, their_replies = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads do not matter to a child that only renames
        child = os.fork()
    if child == 0:
        _become_committer((requests, replies), their_requests, their_replies)
    os.close(their_requests)
    os.close(their_replies)
    os.waitpid(child, 0)
    return open(requests, "wb"), open(replies, "rb")


def _become_committer(not_ours: Iterable[int], requests: int, replies: int) -> NoReturn:
    """Serve requests in a second child and leave, in the first and in the second."""
    try:
        gc.disable()
        os.setsid()
        if os.fork() == 0:
            for descriptor in not_ours:
                os.close(descriptor)
            _serve(requests, replies)
    finally:
        os._exit(0)


def _serve(requests: int, replies: int) -> None:
    with open(requests, "rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                os.write(replies, json.dumps(_put_in_place(json.loads(line))).encode() + b"\n")


def _put_in_place(moves: _Moves) -> _Failure | None:
    """Rename files to their places. Return what failed; then the places are as before and the files to rename are gone."""
    kept: list[str] = []
    done = 0
    try:
        for staged, target in moves if len(moves) > 1 else ():
            kept.append(_keep(staged, target))
        for staged, target in moves:
            os.replace(staged, target)
            done += 1
    except OSError as error:
        for old, (_, target) in zip(kept, moves[:done], strict=False):
            _restore(old, target)
        _delete(staged for staged, _ in moves[done:])
        failed = done if len(kept) in (0, len(moves)) else len(kept)
        return moves[failed][1], error.strerror or str(error)
    finally:
        _delete(filter(None, kept))
    return None


def _keep(staged: str, target: str) -> str:
    """Give an old file a second name, so that it can be had back; return that name, empty if there is no old file."""
    name = f"{staged.removesuffix(_SUFFIX)}.old{_SUFFIX}"
    _delete([name])
    try:
        os.link(target, name, follow_symlinks=False)
    except FileNotFoundError:
        return ""
    except OSError:
        shutil.copy2(target, name, follow_symlinks=False)
    return name


def _restore(old: str, target: str) -> None:
    with suppress(OSError):
        if old:
            os.replace(old, target)
        else:
            os.unlink(target)


def _delete(paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(OSError):
            os.unlink(path)
