"""A progress bar for runs that take long: on a terminal only, and gone when the run is done."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from modular.run.batches import Progress


if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 1.0
"""Seconds that a run may take before there is a bar."""


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Give what `api.Options.progress` takes; None if errors do not go to a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    display = _Display(time.monotonic() + PATIENCE)
    try:
        yield display.show
    finally:
        display.remove()


class _Display:
    """The bar, which is made when it is first needed: most runs end before."""

    def __init__(self, not_before: float) -> None:
        self._not_before = not_before
        self._bar: Bar | None = None

    def show(self, done: int, total: int) -> None:
        """Show how many models are done."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total, refresh=True)
        elif time.monotonic() >= self._not_before:
            self._bar = _start_bar(done, total)

    def remove(self) -> None:
        """Take the bar off the terminal."""
        if self._bar is not None:
            self._bar.stop()


def _start_bar(done: int, total: int) -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    # It draws only when told to: a thread that draws would be copied half-way into the processes that convert.
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    bar.add_task("models", completed=done, total=total)
    bar.start()
    return bar
