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
    not_before = time.monotonic() + PATIENCE
    bars: list[Bar] = []  # the bar is made when it is first needed: most runs end before

    def show(done: int, total: int) -> None:
        if not bars and time.monotonic() >= not_before:
            bars.append(_start_bar())
        for bar in bars:
            bar.update(bar.task_ids[0], completed=done, total=total, refresh=True)

    try:
        yield show
    finally:
        for bar in bars:
            bar.stop()


def _start_bar() -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    # It draws only when told to: a thread that draws would be copied half-way into the processes that convert.
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    bar.add_task("models")
    bar.start()
    return bar
