"""A process that loads what converts while this one still finds out what there is to convert.

LibCST takes longer to load than a model takes to convert. The process is a copy of this one, made before it loads anything
itself; where there is more than one model to convert, it makes a copy of itself when all is loaded. Where processes cannot be
copied, there is none.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

from modular.run.pipes import Pipes


_MOST = 2
"""Processes that there may be: this one waits while they convert."""

_started: "Early | None" = None


class Early:
    """The process and the copy that it makes of itself where there is work for two, as this one sees them."""

    def __init__(self, process: int, channels: Sequence[Pipes]) -> None:
        self._process: int | None = process
        self._channels = channels

    def channels(self, wanted: int) -> Sequence[Pipes]:
        """Return channels to as many processes, or to as many as there may be. They are there once LibCST is loaded."""
        chosen = self._channels[:wanted]
        with suppress(OSError):
            chosen[0].send(len(chosen))
        for each in self._channels[wanted:]:
            each.close()
        return chosen

    def join(self) -> None:
        """End the processes, whatever they are at: they hold nothing that would be lost."""
        if self._process is not None:
            os.killpg(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = None


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
        ours, theirs = zip(*(_pipes() for _ in range(_MOST)))
        if process := os.fork():
            _lead_a_group(process)
            for each in theirs:
                each.close()
            _started = Early(process, ours)
            return
        try:
            _lead_a_group(0)
            for each in ours:
                each.close()
            _convert(theirs)
        finally:
            os._exit(0)  # nothing of what it is a copy of is to happen twice


def _pipes() -> tuple[Pipes, Pipes]:
    """Make both ends of a channel."""
    to_read, requests = os.pipe()
    results, to_write = os.pipe()
    ours = Pipes(os.fdopen(results, "rb"), os.fdopen(requests, "wb"))
    return ours, Pipes(os.fdopen(to_read, "rb"), os.fdopen(to_write, "wb"))


def _lead_a_group(process: int) -> None:
    """Let a process be ended together with its copy. Both sides do this, because either may come first."""
    with suppress(OSError):
        os.setpgid(process, process)


def _convert(channels: Sequence[Pipes]) -> None:
    """Convert what the other process asks for, until it is gone. Nothing is printed: that one says what went wrong."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    from modular.run.converting import serve

    own, *others = channels
    with suppress(EOFError, OSError):
        for each in channels[1 : own.recv()]:
            if not os.fork():
                own, others = each, [other for other in channels if other is not each]
                break
        serve(own, copied=others)


def take() -> Early | None:
    """Return the process, if there is one, to the first that asks."""
    global _started
    taken, _started = _started, None
    return taken


def stop() -> None:
    """End the process if nobody took it."""
    if (early := take()) is not None:
        early.join()
