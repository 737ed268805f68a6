"""Signals: a request to end runs all cleanup, and waits while files are replaced."""

import os
import signal
import sys
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
        """Create the error of a signal, given its number."""
        super().__init__(128 + number)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Raise `Ended` when a signal asks this process to end, so that cleanup code runs.

    Worker processes are terminated at once. Ctrl-C raises KeyboardInterrupt, as usual.
    Signals that already have a handler, or are ignored, stay as they are.

    Yields:
        Nothing. The handlers are removed when the block ends.
    """

    def end(number: int, frame: FrameType | None) -> None:
        """End the worker processes and this process."""
        _terminate_workers()
        raise Ended(number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        """End the worker processes, and raise KeyboardInterrupt."""
        if os.isatty(2):
            # A signal can interrupt `print`, which must not be called twice at once.
            os.write(2, b"\nstopping\n")
        _terminate_workers()
        raise KeyboardInterrupt

    # Python allows only the main thread to set handlers of signals.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handlers = {}
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler in (signal.SIG_DFL, signal.default_int_handler):
            old_handlers[number] = handler
    try:
        for number, handler in old_handlers.items():
            is_ctrl_c = handler is signal.default_int_handler
            signal.signal(number, interrupt if is_ctrl_c else end)
        yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def _terminate_workers() -> None:
    """Terminate the worker processes, which would finish their models otherwise."""
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for process in active_children():
            process.terminate()


@contextmanager
def shielded() -> Iterator[None]:
    """Delay signals until the end of the block, which must not be interrupted.

    Yields:
        Nothing. After the block, the first of the delayed signals is raised again.
    """
    # Only the main thread gets signals.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        """Remember a signal for the end of the block."""
        received.append(number)

    handlers = {}
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        # Only a function can be replaced: ignored signals stay ignored, and a signal with
        # the default action ends the process at once.
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
