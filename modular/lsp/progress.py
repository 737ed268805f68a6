"""Shows the progress of background work in the editor."""

from uuid import uuid4

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from modular.lsp.workspace import Steps


class ProgressBar:
    """A progress bar of the editor, which appears once the editor agrees to show it."""

    def __init__(self, server: LanguageServer, title: str) -> None:
        """Create a bar with a title, which is not shown yet."""
        self._progress = server.work_done_progress
        self._title = title
        self._token = str(uuid4())
        self._percentage = 0
        self._is_shown = False
        self._is_finished = False

    def start(self) -> None:
        """Ask the editor to show the bar."""
        self._progress.create(self._token, self._show)

    def _show(self, _: None) -> None:
        """Show the bar, unless the work is finished already."""
        if not self._is_finished:
            begin = lsp.WorkDoneProgressBegin(self._title, percentage=self._percentage)
            self._progress.begin(self._token, begin)
            self._is_shown = True

    def update(self, percentage: int) -> None:
        """Show which part of the work is done.

        Args:
            percentage: From 0 to 100.
        """
        if self._is_shown and percentage != self._percentage:
            report = lsp.WorkDoneProgressReport(percentage=percentage)
            self._progress.report(self._token, report)
        self._percentage = percentage

    def finish(self) -> None:
        """Remove the bar."""
        self._is_finished = True
        if self._is_shown:
            self._progress.end(self._token, lsp.WorkDoneProgressEnd())


def show_progress(
    server: LanguageServer, title: str, step_count: int, steps: Steps
) -> Steps:
    """Do work in steps, and show a progress bar meanwhile.

    Args:
        server: The server.
        title: The title of the progress bar.
        step_count: The number of steps.
        steps: The work.

    Yields:
        None after each step, so that the server can answer the editor.
    """
    bar = ProgressBar(server, title)
    bar.start()
    try:
        for number, step in enumerate(steps, start=1):
            bar.update(min(100, 100 * number // step_count))
            yield step
    finally:
        bar.finish()
