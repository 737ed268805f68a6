"""Puts staged files in place, those of a model back to back, in a process of its own that outlives this one."""

import gc
import json
import os
import shutil
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO, NoReturn


SUFFIX = ".modular-tmp"
"""What the names of staged files end with."""

_Moves = Sequence[tuple[str, str]]
"""The staged files of a model, and where they go."""

_Failure = tuple[str, str]
"""A path that could not be written, and why."""


class Committer:
    """Puts staged files in place, in a process that goes on when this one is killed.

    Where no such process can be started, it does so in this one.
    """

    def __init__(self) -> None:
        self._pipes: tuple[BinaryIO, BinaryIO] | None = None

    def __enter__(self) -> "Committer":
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
        delete(staged for staged, _ in moves[done:])
        failed = done if len(kept) in (0, len(moves)) else len(kept)
        return moves[failed][1], error.strerror or str(error)
    finally:
        delete(filter(None, kept))
    return None


def _keep(staged: str, target: str) -> str:
    """Give an old file a second name, so that it can be had back; return that name, empty if there is no old file."""
    name = f"{staged.removesuffix(SUFFIX)}.old{SUFFIX}"
    delete([name])
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


def delete(paths: Iterable[str]) -> None:
    """Delete files. What is not there, or cannot be deleted, is left."""
    for path in paths:
        with suppress(OSError):
            os.unlink(path)
