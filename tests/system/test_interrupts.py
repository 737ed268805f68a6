"""Signals that ask a process to end run its cleanup code, and wait while files are replaced."""

import signal
import sys

import pytest

from modular.system.interrupts import Ended, ending_in_order, shielded


pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows ends a process without a signal"
)


def test_a_request_to_end_runs_cleanup_code() -> None:
    before = signal.getsignal(signal.SIGTERM)
    events = []
    with pytest.raises(Ended) as error, ending_in_order():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            events.append("cleanup")
    assert events == ["cleanup"]
    assert error.value.code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_signal_waits_until_the_end_of_a_shielded_block() -> None:
    events = []
    with pytest.raises(Ended), ending_in_order():
        with shielded():
            signal.raise_signal(signal.SIGTERM)
            events.append("files replaced")
        events.append("never reached")
    assert events == ["files replaced"]
