"""Builds pages by several processes, and says how far it is."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from typing import Any

from modular.run.engine import Progress
from modular.traceback.review.index_page import Summary
from modular.traceback.review.pages import Pages


_WORTH_PROCESSES = 8
"""Pages below which other processes cost more than they give."""

_Apply = Callable[[Callable[[str], Any], Sequence[str]], Iterable[Any]]
"""The function `map`, of this process or of several."""

_pages: Pages | None = None
"""The pages that a process builds, as it found them when it was forked."""


def build(
    pages: Pages, modulars: Sequence[str], expected: int, jobs: int, progress: Progress | None
) -> tuple[list[Summary], list[str]]:
    """Write the pages of models, then those of all files that their lines come from; of these there will be ``expected``.

    Return what the start page says of the models, in the order given, and the paths of the files, sorted.
    """
    if jobs < 2 or len(modulars) < _WORTH_PROCESSES or "fork" not in get_all_start_methods():
        _enter(pages)
        return _build(map, modulars, expected, progress)
    if pages.blamer.engine.cache is not None:
        pages.blamer.engine.cache.close()  # each process opens it for itself
    with ProcessPoolExecutor(jobs, get_context("fork"), _enter, (pages,)) as pool:
        return _build(pool.map, modulars, expected, progress)


def _enter(pages: Pages) -> None:
    global _pages
    _pages = pages


def _build(
    apply: _Apply, modulars: Sequence[str], expected: int, progress: Progress | None
) -> tuple[list[Summary], list[str]]:
    summaries = []
    for each in apply(_write_model, modulars):
        summaries.append(each)
        _show(progress, len(summaries), len(modulars) + expected)
    sources = sorted({path for each in summaries for path in each.parents})
    for done, _ in enumerate(apply(_write_source, sources), start=len(summaries) + 1):
        _show(progress, done, len(modulars) + len(sources))
    return summaries, sources


def _show(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _write_model(modular: str) -> Summary:
    assert _pages is not None
    return _pages.write_model(modular)


def _write_source(path: str) -> None:
    assert _pages is not None
    _pages.write_source(path)
