"""Signals: a request to end runs all cleanup, and waits while files are replaced."""

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
    """A signal asked the process to end, whose exit code is as if it was killed."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Raise `Ended` when a signal asks this process to end, so that cleanup code runs.

    Signals that already have a handler, or are ignored, stay as they are.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise Ended(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = []
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            changed.append(number)
    try:
        for number in changed:
            signal.signal(number, end)
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def shielded() -> Iterator[None]:
    """Delay signals until the end of the block. Only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        received.append(number)

    handlers = {}
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if callable(handler):
            handlers[number] = handler
    try:
        for number in handlers:
            signal.signal(number, remember)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])
