"""Ctrl-C and requests to end: they let a run clean up, and wait while something is made or deleted as a whole."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
)


class Ended(SystemExit):
    """The process was asked to end. The exit code is that of a process that the signal has ended."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let a request to end this process raise `Ended`, so that nothing is left lying about."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Ended(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = [
        number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL
    ]
    try:
        for number in changed:
            signal.signal(number, end)
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def shielded() -> Iterator[None]:
    """Put off what would interrupt the main thread until the end of the block. Other threads are not interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        for number, handler in before.items():
            if callable(handler):
                signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            if callable(handler):
                signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
