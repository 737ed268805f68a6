"""The progress bar: on a terminal, when it takes long, and gone in the end."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from modular.cli import reporting
from modular.run.api import Options


class Terminal(io.TextIOWrapper):
    """A real terminal of 80 columns, in the place of standard error."""

    def __init__(self) -> None:
        self._other_end, descriptor = os.openpty()
        super().__init__(
            os.fdopen(descriptor, "wb"), encoding="utf-8", write_through=True
        )

    def drawn(self) -> str:
        """What was written to it since this was last asked."""
        self.flush()
        os.set_blocking(self._other_end, False)
        found = b""
        with suppress(BlockingIOError):
            while True:
                found += os.read(self._other_end, 100_000)
        return found.decode()

    def close(self) -> None:
        super().close()
        os.close(self._other_end)


@contextmanager
def terminal(
    monkeypatch: pytest.MonkeyPatch, patience: float = 0.0, **variables: str
) -> Iterator[Terminal]:
    """Within this, errors go to a terminal, and a run takes long after some seconds."""
    with monkeypatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        for name, value in {
            "TERM": "xterm-256color",
            "COLUMNS": "80",
            **variables,
        }.items():
            patch.setenv(name, value)
        patch.setattr(reporting, "_PROGRESS_DELAY_S", patience)
        with closing(Terminal()) as screen:
            patch.setattr(sys, "stderr", screen)
            yield screen


def test_a_long_run_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as screen:
        with reporting.with_progress(Options()) as options:
            assert options.progress is not None
            options.progress("converting models", 3, 12)
            drawn = screen.drawn()
            assert "converting models" in drawn
            assert " 3/12" in drawn
            options.progress("converting models", 12, 12)
            assert "12/12" in screen.drawn()
            options.progress("formatting", 0, 0)
            drawn = screen.drawn()
            assert "formatting" in drawn
            assert "/" not in drawn
        assert "\x1b[2K" in screen.drawn(), "the line is erased"


@pytest.mark.parametrize("interruption", [None, KeyboardInterrupt(), SystemExit(2)])
def test_the_cursor_is_shown_again_however_a_run_ends(
    monkeypatch: pytest.MonkeyPatch, interruption: BaseException | None
) -> None:
    with terminal(monkeypatch) as screen:
        with (
            suppress(KeyboardInterrupt, SystemExit),
            reporting.with_progress(Options()) as options,
        ):
            assert options.progress is not None
            options.progress("converting models", 3, 12)
            assert screen.drawn().startswith("\r\x1b[?25l"), "click hides the cursor"
            if interruption is not None:
                raise interruption
        assert screen.drawn().endswith("\x1b[?25h")


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, patience=1.0) as screen:
        with reporting.with_progress(Options()) as options:
            assert options.progress is not None
            options.progress("converting models", 3, 12)
        assert screen.drawn() == ""


def test_there_is_none_where_errors_go_to_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with reporting.with_progress(Options()) as options:
        assert options.progress is None
