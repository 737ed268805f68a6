"""Digests of files, and which files may have changed while they were read."""

from pathlib import Path

import pytest

from modular.cache import fingerprints
from modular.cache.fingerprints import FILE_CLOCK_TICK_NS, Fingerprints
from modular.project.opening import open_project
from tests.family import FAMILY


@pytest.mark.parametrize(
    ("age_ms", "is_settled"),
    [
        pytest.param(4, False, id="the clock of files may not have ticked since"),
        pytest.param(100, True, id="the clock of files has ticked since"),
    ],
)
def test_a_file_that_changed_just_before_the_start_may_have_changed_after_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, age_ms: int, is_settled: bool
) -> None:
    paths = [project, *project.rglob("*")]
    last_change_ns = max(path.stat().st_ctime_ns for path in paths)
    start_ns = last_change_ns + age_ms * 1_000_000
    monkeypatch.setattr(fingerprints, "FILE_CLOCK_TICK_NS", FILE_CLOCK_TICK_NS)
    monkeypatch.setattr("time.time_ns", lambda: start_ns)
    files = Fingerprints(open_project(project))
    assert files.are_settled("models/child/modular_child.py", FAMILY) is is_settled
