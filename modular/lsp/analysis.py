"""The process that works on projects. It is told what the editor says and asks, and answers, by its input and output."""

import gc
import logging
import os
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from modular.lsp import commands
from modular.lsp.commands import Target
from modular.lsp.projects import Projects
from modular.lsp.protocol import Diagnostic, Document
from modular.lsp.questions import Questions
from modular.lsp.worker import Urgency, Worker
from modular.run.pipes import Pipes


_LOG = logging.getLogger(__name__)


def main() -> None:
    """Do what is said until nothing more is."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints should not come between the messages
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s: %(message)s")
    gc.freeze()  # what was loaded stays, and need not be looked through
    gc.enable()
    with suppress(EOFError, OSError, KeyboardInterrupt):
        Analysis(Pipes(sys.stdin.buffer, output)).work()


class Analysis:
    """Does what it is told by the names of its methods: all work on projects in the worker's thread."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self._sending = threading.Lock()
        self._worker = Worker()
        self._projects = Projects(self._publish, self._worker)
        self._futures: dict[int, Future[Any]] = {}
        with suppress(OSError):  # the folder is gone
            self._worker.do(self._projects.expect(Path.cwd()), Urgency.LATER)  # editors start the server there

    def work(self) -> None:
        """Do what is said. Raises EOFError or OSError when nothing more is."""
        while True:
            name, arguments = self._pipes.recv()
            getattr(self, name)(*arguments)

    def count_columns(self, encoding: str) -> None:
        """Take in which encoding's units the editor counts columns."""
        self._worker.do(self._projects.count_columns(encoding), Urgency.NOW)

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is looked at."""
        self._worker.do(self._projects.set_folders(uris), Urgency.NOW)

    def opened(self, document: Document) -> None:
        """A file is open."""
        self.changed(document)
        steps = self._projects.look_further(document.uri)
        self._worker.do(steps, Urgency.SOON, f"parents of {document.uri}")

    def changed(self, document: Document) -> None:
        """The text of an open file has changed."""
        self._worker.do(self._projects.take(document), Urgency.NOW, document.uri)

    def settle(self, uri: str) -> None:
        """Nobody has typed in a file for a while: what depends on it is looked at."""
        self._worker.do(self._projects.settle(uri), Urgency.SOON, f"behind {uri}")

    def closed(self, uri: str) -> None:
        """A file is not open any more: what is on disk counts."""
        self._worker.do(self._projects.drop(uri), Urgency.NOW, uri)

    def changed_on_disk(self, uris: tuple[str, ...]) -> None:
        """Files came, went or changed."""
        self._worker.do(self._projects.look_at(uris), Urgency.NOW)

    def ask(self, number: int, uri: str, question: str, arguments: tuple[Any, ...], urgency: Urgency) -> None:
        """Answer a question about a file, by the name and arguments of a method of `Questions`; None if it is in no project.

        What has time (`Urgency.LATER`) is answered when all modular files were read.
        """

        def asked(file: Questions) -> Any:
            return getattr(file, question)(*arguments)

        future = self._future(number)
        self._worker.do(self._projects.answer(uri, asked, future, urgency is Urgency.LATER), urgency)

    def cancel(self, number: int) -> None:
        """Nobody waits any more for an answer."""
        if (future := self._futures.get(number)) is not None:
            future.cancel()

    def convert(self, number: int, uri: str) -> None:
        """Convert the model that a file belongs to, beside all else, and answer which files were written, and what to say.

        The answer is None if it belongs to none.
        """
        future, found = self._future(number), Future[Target | None]()
        found.add_done_callback(lambda found: threading.Thread(target=_convert, args=(found, future)).start())
        self._worker.do(self._projects.answer(uri, lambda file: file.target(), found, reads_all=False), Urgency.NOW)

    def _future(self, number: int) -> Future[Any]:
        future: Future[Any] = Future()
        self._futures[number] = future
        future.add_done_callback(partial(self._answer, number))
        return future

    def _answer(self, number: int, future: Future[Any]) -> None:
        del self._futures[number]
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            _LOG.error("a question could not be answered", exc_info=error)
            self._say("failed", number)
        else:
            self._say("answered", number, future.result())

    def _publish(self, uri: str, found: list[Diagnostic], version: int | None) -> None:
        self._say("publish", uri, found, version)

    def _say(self, name: str, *arguments: object) -> None:
        with self._sending, suppress(OSError):  # if nobody is there any more, that is seen where it is read
            self._pipes.send((name, arguments))


def _convert(found: Future[Target | None], future: Future[Any]) -> None:
    """Convert what was found, unless nobody waits for it any more."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        target = found.result()
        written = None if target is None else commands.convert(target)
        future.set_result(None if written is None else (written.files, written.message))
    except Exception as error:
        future.set_exception(error)
