"""A process that loads what converts while this one still finds out what there is to convert.

LibCST takes longer to load than a model takes to convert. The process is a copy of this one, made before it loads anything
itself; where processes cannot be copied, there is none.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

from modular.run.pipes import Pipes


_started: "Early | None" = None


class Early(Pipes):
    """The process, as this one sees it."""

    def __init__(self, process: int, results: int, requests: int) -> None:
        super().__init__(os.fdopen(results, "rb"), os.fdopen(requests, "wb"))
        self._process = process

    def join(self) -> None:
        """End the process, whatever it is at: it holds nothing that would be lost."""
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def is_worthwhile(arguments: Sequence[str]) -> bool:
    """Whether a command line will convert something for sure, and looks as if that were not all models.

    Who says how many processes there may be gets no other.
    """
    if arguments[:1] not in (["convert"], ["check"]) or "--no-cache" not in arguments:
        return False
    from modular.source.machine import available_processors

    names_models = any(not each.startswith("-") for each in arguments[1:])
    says_how_many = any(each.startswith("--jobs") for each in arguments)
    return names_models and not says_how_many and hasattr(os, "fork") and available_processors() > 1


def start() -> None:
    """Start the process, unless a standard stream is closed, whose number a pipe would get. It ends when this one does."""
    global _started
    with suppress(OSError):
        for stream in range(3):
            os.fstat(stream)
        to_read, requests = os.pipe()
        results, to_write = os.pipe()
        if process := os.fork():
            os.close(to_read)
            os.close(to_write)
            _started = Early(process, results, requests)
            return
        try:
            os.close(requests)
            os.close(results)
            _convert(Pipes(os.fdopen(to_read, "rb"), os.fdopen(to_write, "wb")))
        finally:
            os._exit(0)  # nothing of what it is a copy of is to happen twice


def _convert(pipes: Pipes) -> None:
    """Convert what the other process asks for, until it is gone. Nothing is printed: that one says what went wrong."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    from modular.run.converting import serve

    serve(pipes)


def take() -> Early | None:
    """Return the process, if there is one, to the first that asks."""
    global _started
    taken, _started = _started, None
    return taken


def stop() -> None:
    """End the process if nobody took it."""
    if (early := take()) is not None:
        early.close()
        early.join()
