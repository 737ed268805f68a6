"""A plugin for pytest: the lines to edit stand with the frames of a failure. `pytest -p modular.traceback.plugin`."""

from collections.abc import Generator, Iterable
from typing import Any

import pytest

from modular.traceback.frames import Frames, annotate


_FRAMES = Frames()
_MESSAGE = "E "
_INDENT = "    "


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the lines to edit to the report of a test that failed."""
    report = yield
    shown = getattr(report.longrepr, "reprtraceback", None)
    chain = [traceback for traceback, *_ in getattr(report.longrepr, "chain", ())]
    for traceback in chain or filter(None, [shown]):
        for entry in traceback.reprentries:
            _add(entry)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add them to the report of a test file that could not be imported."""
    report = yield
    text = getattr(report.longrepr, "longrepr", None)
    if isinstance(text, str):
        setattr(report.longrepr, "longrepr", "".join(_annotated(text.splitlines(keepends=True))))
    return report


def _annotated(lines: Iterable[str]) -> list[str]:
    return list(annotate(lines, _FRAMES))


def _add(entry: Any) -> None:
    """Add the line to edit to what is shown of a frame, in whatever style that is."""
    if entry.style == "native":
        entry.lines = _annotated(line for lines in entry.lines for line in lines.splitlines(keepends=True))
        return
    place = entry.reprfileloc
    edit = None if place is None else _FRAMES.edit(place.path, place.lineno)
    if edit is None:
        return
    if entry.style == "short":
        code = next((index for index, each in enumerate(entry.lines) if each.startswith(_MESSAGE)), len(entry.lines))
        entry.lines = [*entry.lines[:code], f"{_INDENT}{edit}: {edit.text}", *entry.lines[code:]]
    else:  # the place comes last, and only the first line of its message is shown
        place.message = "; ".join(filter(None, (place.message, str(edit))))
