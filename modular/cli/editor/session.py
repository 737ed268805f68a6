"""A session with one editor: it queues what the editor says and asks for the worker.

What the worker needs is loaded in its thread, so that the editor is answered before.
"""

import asyncio
import gc
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from lsprotocol.types import Diagnostic
from pygls.workspace import PositionCodec

from modular.cli.editor.documents import Document
from modular.cli.editor.worker import Steps, Urgency, Worker


if TYPE_CHECKING:
    from modular.cli.editor.projects import Projects
    from modular.cli.editor.questions import Questions

_T = TypeVar("_T")

_PAUSE = 0.3
"""Seconds without a change after which what depends on a file is looked at."""


class Session:
    """What is open in an editor.

    All that is done with projects is done in the worker's thread; methods only queue it, and ``publish`` is called there.
    """

    def __init__(self, publish: Callable[[str, list[Diagnostic], int | None], None]) -> None:
        self._publish = publish
        self._worker = Worker()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    @cached_property
    def _projects(self) -> "Projects":
        from modular.cli.editor.projects import Projects

        gc.freeze()  # what was loaded stays, and need not be looked through
        gc.enable()
        return Projects(self._publish, self._worker)

    def _do(self, work: Callable[["Projects"], Steps], urgency: Urgency, key: str = "") -> None:
        def steps() -> Steps:
            yield from work(self._projects)

        self._worker.do(steps(), urgency, key)

    def start(self, codec: PositionCodec) -> None:
        """Begin, with how the editor counts columns."""
        self._do(lambda projects: projects.count_columns(codec), Urgency.NOW)

    def stop(self) -> None:
        """End the worker."""
        self._worker.stop()

    def set_folders(self, uris: Iterable[str]) -> None:
        """Take the folders that are open in the editor: nothing outside them and their projects is looked at."""
        folders = tuple(uris)
        self._do(lambda projects: projects.set_folders(folders), Urgency.NOW)

    def opened(self, document: Document) -> None:
        """A file is open."""
        self._do(lambda projects: projects.take(document), Urgency.NOW, document.uri)
        self._do(lambda projects: projects.look_further(document.uri), Urgency.SOON, f"parents of {document.uri}")

    def changed(self, document: Document) -> None:
        """The text of an open file has changed."""
        self._do(lambda projects: projects.take(document), Urgency.NOW, document.uri)
        self._settle_later(document.uri)

    def closed(self, uri: str) -> None:
        """A file is not open any more: what is on disk counts."""
        self._do(lambda projects: projects.drop(uri), Urgency.NOW, uri)
        self._settle_later(uri)

    def changed_on_disk(self, uris: Iterable[str]) -> None:
        """Files came, went or changed."""
        changed = tuple(uris)
        self._do(lambda projects: projects.look_at(changed), Urgency.NOW)

    def ask(
        self, uri: str, question: Callable[["Questions"], _T], urgency: Urgency = Urgency.NOW
    ) -> "Future[_T | None]":
        """Ask about a file; the answer is None for files that are in no project.

        What has time (`Urgency.LATER`) is answered when all modular files were read.
        """
        future: Future[_T | None] = Future()
        reads_all = urgency is Urgency.LATER
        self._do(lambda projects: projects.answer(uri, question, future, reads_all), urgency)
        return future

    def _settle_later(self, uri: str) -> None:
        if (timer := self._timers.pop(uri, None)) is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(_PAUSE, self._settle, uri)

    def _settle(self, uri: str) -> None:
        self._timers.pop(uri, None)
        self._do(lambda projects: projects.settle(uri), Urgency.SOON, f"behind {uri}")
