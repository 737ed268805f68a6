"""Work that is shared out over processes: conversions, indexes and pages are all made in this pool."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from modular.source.system.machine import collect_rarely


Item = TypeVar("Item")
Done = TypeVar("Done")
Work = Callable[..., Done]
"""What is done with an item: it gets what its process began with, the item, and what all items of a call have in common."""

_SHARES = 4
"""Chunks for each process: few enough that neighbours stay together, and enough that all processes end at about the same time."""

_OBJECTS = 1_000_000
"""New objects between two looks for garbage, of which there is little."""

_begun: Any = None
"""What this process, one of a pool, began with."""


class Pool(Generic[Item, Done]):
    """Processes that each begin with the result of ``begin(*arguments)``, and then do what they are asked for.

    Where processes can be copied, they are copies of this one; else functions and arguments have to be what `pickle` takes.
    """

    def __init__(self, jobs: int, begin: Callable[..., object], *arguments: object) -> None:
        self._jobs = jobs
        self._initial = (begin, arguments)
        self._executor: ProcessPoolExecutor | None = None

    def run(self, work: Work[Done], items: Sequence[Item], *common: object) -> Iterator[tuple[Item, Done | None]]:
        """Do work with items; yield each with its result, as they are done. Neighbours meet in the same process.

        Where a process is killed, what was not done is done again one at a time, in another process: the result is None for
        an item on which that one is killed, too.
        """
        size = -(-len(items) // (self._jobs * _SHARES))
        chunks = [items[start : start + size] for start in range(0, len(items), size)] if items else []
        unfinished: list[Item] = []
        futures: dict[Future[list[Done]], Sequence[Item]] = {}
        for chunk in chunks:
            try:
                futures[self._started(self._jobs).submit(_do, work, chunk, common)] = chunk
            except BrokenProcessPool:
                unfinished += chunk
        for future in as_completed(futures):
            try:
                yield from zip(futures[future], future.result(), strict=True)
            except BrokenProcessPool:
                unfinished += futures[future]
        if unfinished:
            self.close()
            yield from self._one_by_one(work, unfinished, common)

    def _one_by_one(
        self, work: Work[Done], items: Iterable[Item], common: Sequence[object]
    ) -> Iterator[tuple[Item, Done | None]]:
        for item in items:
            try:
                (done,) = self._started(1).submit(_do, work, [item], common).result()
            except BrokenProcessPool:
                self.close()
                yield item, None
            else:
                yield item, done
        self.close()

    def _started(self, jobs: int) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(jobs, _context(), _begin, self._initial)
        return self._executor

    def close(self) -> None:
        """End the processes, when they have done what they are at."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None


def _context() -> BaseContext:
    """How processes start: as copies where that can be done and no other thread could be copied half-way, else anew.

    A Python that is started anew must not look into the current folder, which may be a stranger's project.
    """
    if "fork" in get_all_start_methods() and sys.platform != "darwin" and threading.active_count() == 1:
        return get_context("fork")
    os.environ["PYTHONSAFEPATH"] = "1"
    return get_context("spawn")


def _begin(begin: Callable[..., object], arguments: Sequence[object]) -> None:
    """Begin in a process of the pool, which ends when the one that has started it does, and by nothing else."""
    global _begun
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    collect_rarely(_OBJECTS)
    _begun = begin(*arguments)


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _do(work: Work[Done], items: Iterable[Item], common: Sequence[object]) -> list[Done]:
    return [work(_begun, item, *common) for item in items]
