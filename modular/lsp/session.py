"""A session with one editor: it tells the process that works on projects what the editor says, and asks it.

Where that process ends, whatever it died of, another one is started when the editor says something more, and is told what
is open.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

from modular.lsp.process import Message, Process
from modular.lsp.protocol import Diagnostic, Document
from modular.lsp.worker import Urgency


_PAUSE = 0.3
"""Seconds without a change after which what depends on a file is looked at."""

_SHORT = 5.0
"""Seconds: a process that ends within them may have been ended by what is open."""

_MOST = 3
"""Processes that may end so soon, one after the other, before it takes as long until there is another."""


class UnansweredError(Exception):
    """A question that could not be answered. Why is logged where it was to be."""


class Session:
    """What is open in an editor. ``publish`` is called with what there is to say about a file.

    ``process`` is one that was started already, and was told nothing so far.
    """

    def __init__(
        self, publish: Callable[[str, list[Diagnostic], int | None], None], process: Process | None = None
    ) -> None:
        self._publish = publish
        self._process = process
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_over = False
        self._encoding = "utf-16"
        self._folders: tuple[str, ...] = ()
        self._open: dict[str, Document] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._numbers = count()
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._began = self._ended = 0.0
        self._short_lives = 0

    def start(self, encoding: str, folders: Iterable[str]) -> None:
        """Begin, with the encoding in whose units the editor counts columns, and the folders that are open in it."""
        self._loop = asyncio.get_running_loop()
        self._encoding, self._folders = encoding, tuple(folders)
        self._begin(self._process or Process())

    def stop(self) -> None:
        """Say nothing more: the process ends."""
        self._is_over = True
        if self._process is not None:
            self._process.stop()

    def wait(self) -> None:
        """Wait until the process has ended."""
        if self._process is not None:
            self._process.wait()

    def _begin(self, process: Process) -> None:
        """Tell a process that knows nothing what is open."""
        loop, self._process = self._loop, process
        self._began = monotonic()
        assert loop is not None, "the editor says something after the session was started"

        def pass_on(call: Callable[..., None], *arguments: object) -> None:
            with suppress(RuntimeError):  # the session is over
                loop.call_soon_threadsafe(call, *arguments)

        process.listen(lambda message: pass_on(self._hear, message), lambda: pass_on(self._lose, process))
        process.say("count_columns", self._encoding)
        process.say("set_folders", self._folders)
        for document in self._open.values():
            process.say("opened", document)

    def _lose(self, process: Process) -> None:
        """A process has ended."""
        if process is self._process:
            self._process, self._ended = None, monotonic()
            self._short_lives = self._short_lives + 1 if self._ended - self._began < _SHORT else 0
            for number in list(self._asked):
                self._hear(("failed", (number,)))

    def _say(self, name: str, *arguments: object) -> bool:
        """Say something to the process, or to another if it has ended; return whether there is one."""
        is_tired = self._short_lives >= _MOST and monotonic() - self._ended < _SHORT
        if self._process is None and not self._is_over and not is_tired:
            self._begin(Process())
        if self._process is not None and not self._is_over:
            self._process.say(name, *arguments)
            return True
        return False

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is looked at."""
        self._folders = tuple(uris)
        self._say("set_folders", self._folders)

    def opened(self, document: Document) -> None:
        """A file is open."""
        self._open[document.uri] = document
        self._say("opened", document)

    def changed(self, document: Document) -> None:
        """The text of an open file has changed."""
        self._open[document.uri] = document
        self._say("changed", document)
        self._settle_later(document.uri)

    def closed(self, uri: str) -> None:
        """A file is not open any more: what is on disk counts."""
        self._open.pop(uri, None)
        self._say("closed", uri)
        self._settle_later(uri)

    def changed_on_disk(self, uris: Iterable[str]) -> None:
        """Files came, went or changed."""
        self._say("changed_on_disk", tuple(uris))

    async def ask(self, uri: str, question: str, *arguments: object, urgency: Urgency = Urgency.NOW) -> Any:
        """Ask about a file, by the name of a method of `Questions`; the answer is None for files that are in no project.

        What has time (`Urgency.LATER`) is answered when all modular files were read. Raises UnansweredError.
        """
        return await self._answer("ask", uri, question, arguments, urgency)

    async def convert(self, uri: str) -> tuple[list[Path], str] | None:
        """Write what is generated from a file's model; return which files were written, and what there is to say.

        The answer is None for a file that belongs to no model. Raises UnansweredError.
        """
        written: tuple[list[Path], str] | None = await self._answer("convert", uri)
        return written

    async def _answer(self, name: str, *arguments: object) -> Any:
        number = next(self._numbers)
        if not self._say(name, number, *arguments):
            raise UnansweredError
        future = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            return await future
        except asyncio.CancelledError:
            self._asked.pop(number, None)
            self._say("cancel", number)
            raise

    def _hear(self, message: Message) -> None:
        """Take what the process says."""
        name, arguments = message
        if name == "publish":
            self._publish(*arguments)
        elif (future := self._asked.pop(arguments[0], None)) is not None and not future.done():
            if name == "answered":
                future.set_result(arguments[1])
            else:
                future.set_exception(UnansweredError())

    def _settle_later(self, uri: str) -> None:
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(_PAUSE, self._settle, uri)

    def _settle(self, uri: str) -> None:
        self._timers.pop(uri, None)
        self._say("settle", uri)
