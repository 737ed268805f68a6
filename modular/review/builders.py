"""Builds pages, in this process or in several, and tells how far that is."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from modular.review.folder import ReviewError
from modular.review.pages import Pages
from modular.run.batches import Progress
from modular.run.pool import Pool, can_copy_processes


_WORTH_PROCESSES = 8
"""Models below which other processes cost more than they give."""

_Built = TypeVar("_Built")


class Builders:
    """Builds the pages of some models, then those of the files that they come from. Close it when done."""

    def __init__(self, pages: Pages, models: int, jobs: int, progress: Progress | None) -> None:
        self._pages = pages
        self._progress = progress
        self._counted = self._total = 0
        self._pool: Pool | None = None
        if jobs > 1 and models >= _WORTH_PROCESSES and can_copy_processes():
            pages.blamer.engine.batches.progress = None
            self._pool = Pool(min(jobs, models), _begin, pages)

    def run(self, work: Callable[[Pages, str], _Built], items: Sequence[str]) -> list[_Built]:
        """Write the page of each item, and return what is said of them, in their order. Raises ReviewError."""
        self._total += len(items)
        results = self._pool.run(work, items) if self._pool else ((item, [work(self._pages, item)]) for item in items)
        built: dict[str, _Built] = {}
        for item, done in results:
            if not done:
                raise ReviewError("a process that built pages was killed: run again with `--jobs 1`")
            built[item] = done[0]
            self._counted += 1
            if self._progress is not None:
                self._progress(self._counted, self._total)
        return [built[item] for item in items]

    def close(self) -> None:
        """End the other processes, if there are any."""
        if self._pool is not None:
            self._pool.close()


def _begin(pages: Pages) -> Pages:
    return pages
