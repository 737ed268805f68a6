"""Several processes that build pages, and how far they are."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from typing import Any

from modular.review.folder import ReviewError
from modular.review.index_page import Summary
from modular.review.pages import Pages
from modular.run.batches import Progress


_WORTH_PROCESSES = 8
"""Models below which other processes cost more than they give."""

_CHUNK = 6
"""Pages that a process takes at a time: neighbours by name often have parents, and lines, in common."""

_Apply = Callable[[Callable[[str], Any], Sequence[str]], Iterable[Any]]
"""The function `map`, of this process or of several."""

_pages: Pages | None = None
"""The pages that a process builds, as it found them when it was forked."""


class Builders:
    """Build pages, and tell ``progress`` how many are done of all that are expected."""

    def __init__(self, apply: _Apply, expected: int, progress: Progress | None) -> None:
        self._apply = apply
        self._expected = expected
        self._progress = progress
        self._done = 0

    def models(self, modulars: Sequence[str]) -> list[Summary]:
        """Write the pages of models, and return what the start page says of them, in their order."""
        return list(self._counted(self._apply(_write_model, modulars)))

    def sources(self, paths: Sequence[str]) -> None:
        """Write the pages of files that generated lines come from: the last ones."""
        self._expected = self._done + len(paths)
        for _ in self._counted(self._apply(_write_source, paths)):
            pass

    def _counted(self, results: Iterable[Any]) -> Iterator[Any]:
        for each in results:
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, max(self._done, self._expected))
            yield each


@contextmanager
def builders(
    pages: Pages, modulars: Sequence[str], expected: int, jobs: int, progress: Progress | None
) -> Iterator[Builders]:
    """Give what builds the pages of some models and of the files that they come from: ``expected`` in all, more or less."""
    if jobs < 2 or len(modulars) < _WORTH_PROCESSES or "fork" not in get_all_start_methods():
        _enter(pages)
        try:
            yield Builders(map, expected, progress)
        finally:
            _enter(None)
        return
    pages.blamer.engine.close()  # each process opens the cache for itself
    pool = ProcessPoolExecutor(jobs, get_context("fork"), _enter_process, (pages,))
    try:
        yield Builders(partial(pool.map, chunksize=_CHUNK), expected, progress)
    except BrokenProcessPool as error:
        raise ReviewError("a process that built pages was killed: run again with `--jobs 1`") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _enter_process(pages: Pages) -> None:
    """Begin in a process of its own, which whoever has started it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pages.blamer.silence()
    _enter(pages)


def _enter(pages: Pages | None) -> None:
    global _pages
    _pages = pages


def _write_model(modular: str) -> Summary:
    assert _pages is not None
    return _pages.write_model(modular)


def _write_source(path: str) -> None:
    assert _pages is not None
    _pages.write_source(path)
