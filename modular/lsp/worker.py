"""One thread does all work on projects, the most urgent first, so that nothing needs a lock."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from enum import IntEnum
from itertools import count
from queue import PriorityQueue
from typing import TypeVar


_LOG = logging.getLogger(__name__)
_STACK = 64 * 2**20
"""Bytes of stack of the thread: parsers recurse, and some systems give a thread as little as half a megabyte."""

_PATIENCE = 5.0
"""Seconds that the current step has to end."""

Steps = Iterator[None]
"""Work in steps: between two of them more urgent work is done."""

_T = TypeVar("_T")


class Urgency(IntEnum):
    """What comes first: edits and what the user asks, then diagnostics of the edited file, then everything else."""

    NOW = 0
    SOON = 1
    LATER = 2


_Job = tuple[Urgency, int, str, Steps]
"""How urgent it is, its number, by which equals keep their order, its key, and the work."""


class Worker:
    """A thread with a priority queue. A job with a key replaces the unfinished one with the same key.

    Keys are given by one thread alone.
    """

    def __init__(self) -> None:
        self._jobs: PriorityQueue[_Job] = PriorityQueue()
        self._newest: dict[str, int] = {}
        self._numbers = count()
        self._stopped = False
        default = threading.stack_size(_STACK)
        self._thread = threading.Thread(target=self._work, name="modular-worker", daemon=True)
        self._thread.start()
        threading.stack_size(default)

    def do(self, steps: Steps, urgency: Urgency, key: str = "") -> None:
        """Queue work in steps. Whatever it raises is logged."""
        number = next(self._numbers)
        if key:
            self._newest[key] = number
        self._jobs.put((urgency, number, key, steps))

    def ask(self, question: Callable[[], _T]) -> "Future[_T]":
        """Call a function before all less urgent work, and return its result as a future, which may be cancelled."""
        future: Future[_T] = Future()
        self.do(_answer(question, future), Urgency.NOW)
        return future

    def tell(self, call: Callable[[], None]) -> None:
        """Call a function before all less urgent work. Whatever it raises is logged."""

        def steps() -> Steps:
            call()
            yield

        self.do(steps(), Urgency.NOW)

    def stop(self) -> None:
        """End the thread after the current step."""
        self._stopped = True
        self.do(iter(()), Urgency.NOW)
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        while not self._stopped:
            job = self._jobs.get()
            _, number, key, steps = job
            if key and self._newest[key] != number:
                continue
            try:
                next(steps)
                self._jobs.put(job)
            except StopIteration:
                pass
            except Exception:
                _LOG.exception("background work failed")


def _answer(question: Callable[[], _T], future: "Future[_T]") -> Steps:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(question())
        except Exception as error:
            future.set_exception(error)
    yield
