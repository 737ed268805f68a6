"""A plugin for pytest: the lines to edit are with the frames of a failure. `pytest -p modular.provenance.plugin`."""

from collections.abc import Generator
from typing import Any

import pytest

from modular.provenance.frames import Frames, annotate


_FRAMES = Frames()
_MESSAGE = "E "
_INDENT = "    "


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Add the lines to edit to the report of a test that failed."""
    report = yield
    _add_to(report.longrepr)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Add them to the report of a test file that could not be imported."""
    report = yield
    _add_to(report.longrepr)
    return report


def _add_to(shown: Any) -> None:
    """Add the lines to edit to what a report shows: a chain of tracebacks, a single one, or plain text."""
    if isinstance(text := getattr(shown, "longrepr", None), str):
        shown.longrepr = "".join(_annotated(text))
    only = [
        (traceback,)
        for traceback in [getattr(shown, "reprtraceback", None)]
        if traceback is not None
    ]
    for traceback, *_ in getattr(shown, "chain", only):
        for entry in traceback.reprentries:
            _add(entry)


def _annotated(text: str) -> list[str]:
    return list(annotate(text.splitlines(keepends=True), _FRAMES))


def _add(entry: Any) -> None:
    """Add the line to edit to what is shown of a frame, in whatever style that is."""
    if entry.style == "native":
        entry.lines = _annotated("".join(entry.lines))
        return
    place = entry.reprfileloc
    edit = None if place is None else _FRAMES.edit(place.path, place.lineno)
    if edit is None:
        return
    if entry.style == "short":
        code = next(
            (
                index
                for index, text in enumerate(entry.lines)
                if text.startswith(_MESSAGE)
            ),
            len(entry.lines),
        )
        entry.lines = [
            *entry.lines[:code],
            f"{_INDENT}{edit}: {edit.text}",
            *entry.lines[code:],
        ]
    else:  # the place comes last, and only the first line of its message is shown
        place.message = "; ".join(filter(None, (place.message, str(edit))))
