"""Work that is shared out over processes: conversions, indexes and pages are all made in this pool."""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from modular.system.machine import collect_rarely


Item = TypeVar("Item")
Done = TypeVar("Done")

_SHARES = 4
"""Chunks for each process: few enough that neighbours stay together, and enough that all processes end at about the same time."""

_begun: Any = None
"""What this process, one of a pool, began with."""


class Pool:
    """Processes that each begin with the result of ``begin(*arguments)``, and then do what they are asked for.

    Where processes can be copied, they are copies of this one; else functions and arguments have to be what `pickle` takes.
    """

    def __init__(
        self, jobs: int, begin: Callable[..., object], *arguments: object
    ) -> None:
        self._jobs = jobs
        self._initial = (begin, arguments)
        self._executor: ProcessPoolExecutor | None = None

    def run(
        self, work: Callable[..., Done], items: Sequence[Item], *common: object
    ) -> Iterator[tuple[Item, Sequence[Done]]]:
        """Call work with what a process began with, an item and what is common; yield each item with its result, in a list.

        They come as they are done; neighbours meet in the same process. Where a process is killed, what was not done is
        done again, each in a process of its own: the list is empty for an item on which that one is killed, too.
        """
        with TemporaryDirectory(
            prefix="modular-", ignore_cleanup_errors=True
        ) as folder:
            shared = (
                Path(folder) / "common"
            )  # each process loads it once, it does not come with every chunk
            shared.write_bytes(pickle.dumps(common))
            size = max(1, -(-len(items) // (self._jobs * _SHARES)))
            unfinished = {
                start: items[start : start + size]
                for start in range(0, len(items), size)
            }
            with suppress(BrokenProcessPool):
                submit = self._started(self._jobs).submit
                futures = {
                    submit(_do, work, chunk, shared): start
                    for start, chunk in unfinished.items()
                }
                for future in as_completed(futures):
                    results = future.result()
                    for item, done in zip(
                        unfinished.pop(futures[future]), results, strict=True
                    ):
                        yield item, [done]
            if unfinished:
                self.close()
            for item in chain.from_iterable(unfinished.values()):
                results = []
                with suppress(BrokenProcessPool):
                    results = (
                        self._started(1).submit(_do, work, [item], shared).result()
                    )
                self.close()
                yield item, results

    def _started(self, jobs: int) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                jobs, _context(), _begin, self._initial
            )
        return self._executor

    def close(self) -> None:
        """End the processes, when they have done what they are at."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None


def can_copy_processes() -> bool:
    """Whether processes begin as copies of this one: not on every platform, nor where threads do the work."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    return (
        "fork" in get_all_start_methods()
        and sys.platform != "darwin"
        and in_main_thread
    )


def _context() -> BaseContext:
    """How processes start. A Python that is started anew must not look into the current folder, a stranger's project."""
    if can_copy_processes():
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
    collect_rarely()
    _begun = begin(*arguments)


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _do(work: Callable[..., Done], items: Iterable[Item], shared: Path) -> list[Done]:
    return [work(_begun, item, *_loaded(shared)) for item in items]


@lru_cache(maxsize=1)
def _loaded(shared: Path) -> Sequence[object]:
    common: Sequence[object] = pickle.loads(shared.read_bytes())
    return common
