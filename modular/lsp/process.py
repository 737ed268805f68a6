"""The process that works on projects, as the server sees it: started, told, listened to, ended.

It is another Python, so that both load at the same time what they need, and the server answers whatever is computed.
"""

import subprocess
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from modular.run.pipes import Pipes


_PROGRAM = "import gc, sys; gc.disable(); sys.path[:] = sys.argv[1:]; from modular.lsp.analysis import main; main()"
"""It looks for modules where this process does, and not in the current folder, which may be a stranger's."""

_PATIENCE = 5.0
"""Seconds within which it has to end once nobody tells it anything more."""

Message = tuple[str, tuple[Any, ...]]
"""What is to be done, as a method is called, and with what."""


class Process:
    """The process. It ends when this one does: then there is nothing more to read for it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *sys.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._pipes = Pipes(self._process.stdout, self._process.stdin)
        self._said: SimpleQueue[Message | None] = SimpleQueue()
        Thread(target=self._write, name="modular-said", daemon=True).start()

    def listen(self, heard: Callable[[Message], None], ended: Callable[[], None]) -> None:
        """Let functions be called with each message, and when there will be no more, in a thread of their own."""
        Thread(target=self._read, args=(heard, ended), name="modular-heard", daemon=True).start()

    def say(self, name: str, *arguments: object) -> None:
        """Tell it something, without waiting until it listens."""
        self._said.put((name, arguments))

    def stop(self) -> None:
        """Say nothing more: it ends."""
        self._said.put(None)

    def wait(self) -> None:
        """Wait until it has ended, but not for ever."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self) -> None:
        try:
            while (message := self._said.get()) is not None:
                self._pipes.send(message)
        except OSError:
            pass  # it is gone, which the other thread sees as well
        finally:
            self._pipes.finish()

    def _read(self, heard: Callable[[Message], None], ended: Callable[[], None]) -> None:
        try:
            while True:
                heard(self._pipes.recv())
        except (EOFError, OSError):
            self._process.wait()
            ended()
