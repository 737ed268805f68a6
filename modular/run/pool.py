"""A pool of worker processes for conversions, indexes and pages."""

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
from math import ceil
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from modular.system.machine import collect_garbage_rarely


Item = TypeVar("Item")
Output = TypeVar("Output")

_CHUNKS_PER_WORKER = 4
"""Few enough that neighbouring items share a worker and what it has loaded; enough that
all workers finish at about the same time."""

_worker_state: Any = None
"""In a worker process: the value that the pool's initializer returned."""


class Pool:
    """Worker processes that share a state which each of them builds when it starts.

    Workers are forked where the platform can do that safely. Elsewhere functions and
    arguments are pickled.
    """

    def __init__(
        self, jobs: int, initialize: Callable[..., object], *arguments: object
    ) -> None:
        """Create a pool; processes start with the first work.

        Args:
            jobs: Number of worker processes.
            initialize: Builds the state of a worker.
            arguments: Arguments of ``initialize``.
        """
        self._jobs = jobs
        self._initialize = initialize
        self._arguments = arguments
        self._executor: ProcessPoolExecutor | None = None

    def run(
        self, work: Callable[..., Output], items: Sequence[Item], *common: object
    ) -> Iterator[tuple[Item, Sequence[Output]]]:
        """Run a function on items, in the workers.

        If a worker is killed, the unfinished items are processed again, each in a
        process of its own.

        Args:
            work: Called with the state of the worker, an item, and ``common``.
            items: The items; neighbours are processed by the same worker.
            common: Arguments that are the same for all items.

        Yields:
            Each item, as soon as it is finished, with a list of one output. The list is
            empty if the item's own process was killed.
        """
        chunk_count = self._jobs * _CHUNKS_PER_WORKER
        chunk_size = max(1, ceil(len(items) / chunk_count))
        # The chunks that no worker has finished, by the index of their first item.
        unfinished = {}
        for start in range(0, len(items), chunk_size):
            unfinished[start] = items[start : start + chunk_size]

        with TemporaryDirectory(
            prefix="modular-", ignore_cleanup_errors=True
        ) as folder:
            # Each worker loads this file once, instead of once for each chunk.
            common_file = Path(folder) / "common"
            common_file.write_bytes(pickle.dumps(common))

            with suppress(BrokenProcessPool):
                executor = self._start(self._jobs)
                start_by_future = {}
                for start, chunk in unfinished.items():
                    future = executor.submit(_run_chunk, work, chunk, common_file)
                    start_by_future[future] = start
                for future in as_completed(start_by_future):
                    outputs = future.result()
                    chunk = unfinished.pop(start_by_future[future])
                    for item, output in zip(chunk, outputs, strict=True):
                        yield item, [output]

            if unfinished:
                self.close()
            for chunk in unfinished.values():
                for item in chunk:
                    yield item, self._run_alone(work, item, common_file)

    def _run_alone(
        self, work: Callable[..., Output], item: Item, common_file: Path
    ) -> Sequence[Output]:
        """Run a function on one item in a process of its own. The pool must be closed.

        Returns:
            A list with the output; empty if the process was killed, for example because
            it used too much memory.
        """
        outputs: Sequence[Output] = []
        with suppress(BrokenProcessPool):
            # In a closed pool, this starts a new process.
            executor = self._start(1)
            outputs = executor.submit(_run_chunk, work, [item], common_file).result()
        # The next item must not get the same process.
        self.close()
        return outputs

    def _start(self, jobs: int) -> ProcessPoolExecutor:
        """Return the executor of the worker processes, and create it at the first call.

        Args:
            jobs: Number of worker processes of a new executor.
        """
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                max_workers=jobs,
                mp_context=_start_method(),
                initializer=_start_worker,
                initargs=(self._initialize, self._arguments),
            )
        return self._executor

    def close(self) -> None:
        """End the workers after the chunks that they are working on."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None


def can_copy_processes() -> bool:
    """Return whether workers can be forked safely from this thread."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    has_fork = "fork" in get_all_start_methods() and sys.platform != "darwin"
    return has_fork and in_main_thread


def _start_method() -> BaseContext:
    """Return how workers start."""
    if can_copy_processes():
        return get_context("fork")
    # A new Python must not import from the current folder, a stranger's project.
    os.environ["PYTHONSAFEPATH"] = "1"
    return get_context("spawn")


def _start_worker(
    initialize: Callable[..., object], arguments: Sequence[object]
) -> None:
    """Prepare a worker. It ignores Ctrl-C, and exits when its parent process does.

    Args:
        initialize: Builds the state of the worker.
        arguments: The arguments of ``initialize``.
    """
    global _worker_state
    # Ctrl-C reaches all processes of a terminal. The parent process handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A forked worker would keep the handlers of its parent.
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    collect_garbage_rarely()
    _worker_state = initialize(*arguments)


def _exit_with_parent() -> None:
    """Wait for the end of the parent process, and exit then."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run_chunk(
    work: Callable[..., Output], items: Iterable[Item], common_file: Path
) -> list[Output]:
    """Run a function on the items of a chunk, in a worker."""
    common = _load_common(common_file)
    return [work(_worker_state, item, *common) for item in items]


@lru_cache(maxsize=1)
def _load_common(common_file: Path) -> Sequence[object]:
    """Return the arguments that all items have in common; each file is read once."""
    common: Sequence[object] = pickle.loads(common_file.read_bytes())
    return common
