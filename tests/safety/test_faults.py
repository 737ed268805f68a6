"""At every point where a command changes files it is killed, fails, gets a signal, or a person saves a file: nothing is half, nothing is lost."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from modular.system.leftovers import STAGED_SUFFIX
from tests.flock import run_modular
from tests.safety.writers import (
    KILLED,
    SAVED,
    WRITERS,
    Fault,
    Run,
    copy,
    prepare,
    without_waiting,
)


pytestmark = pytest.mark.slow

KINDS = ("error", "signal", "save")
"""The kinds of faults with a run of their own at each point.

A run that is killed leaves the state before the point, which the run without a fault
records. One run is killed to compare both.
"""

MAX_ALIKE = 3
"""The points with the same event in the same folder that get each kind of fault.

`modular review` writes dozens of pages into a folder, one after another.
"""

PROCESSES = 2


def run_all(
    name: str, template: Path, folder: Path, faults: list[Fault | None]
) -> Iterator[tuple[Fault | None, Run, int]]:
    """Run a command with each fault, two at a time, and yield how it ended."""
    running: dict[int, tuple[Fault | None, Run]] = {}
    waiting = list(enumerate(faults))
    while waiting or running:
        while waiting and len(running) < PROCESSES:
            number, fault = waiting.pop(0)
            copy(template, folder / str(number))
            run = Run(WRITERS[name], folder / str(number))
            running[run.start(fault)] = (fault, run)
        process, status = os.wait()
        fault, run = running.pop(process)
        yield fault, run, os.waitstatus_to_exitcode(status)


def load_modules(name: str, template: Path, folder: Path) -> None:
    """Run a command once in this process, so that no fork has to import its modules."""
    copy(template, folder)
    variables = {"MODULAR_CACHE_DIR": str(folder / "cache")}
    variables.update(WRITERS[name].variables)
    with without_waiting():
        run_modular(*WRITERS[name].arguments, cwd=folder / "project", env=variables)


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_half_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    template = tmp_path / "template"
    prepare(WRITERS[name], template)
    load_modules(name, template, tmp_path / "loading")
    before = Run(WRITERS[name], template).texts()
    ((_, complete, _),) = run_all(name, template, tmp_path / "complete", [None])
    after = complete.texts()
    changed = {
        path for path in {*before, *after} if before.get(path) != after.get(path)
    }
    expected = WRITERS[name].writes
    for path in changed:
        assert path in expected or f"{path.split('/')[0]}/" in expected, path
    for path in expected:
        assert any(other.startswith(path) for other in changed), path
    points = complete.points_file.read_text().splitlines()

    failures = []
    states = complete.states()
    for point, texts in states:
        for problem in find_half_and_lost(texts, before, after):
            failures.append(f"kill at {point}: {problem}")
    faults: list[Fault | None] = list(find_faults(points))
    for fault, run, _ in run_all(name, template, tmp_path / "faults", faults):
        assert fault is not None
        for problem in find_problems(run, before, after):
            failures.append(f"{fault.kind} at {points[fault.point - 1]}: {problem}")
    print(f"{name}: {len(points)} points, {len(faults)} runs")
    assert failures == []

    kill = Fault("kill", len(points) * 2 // 3)
    ((_, killed, code),) = run_all(name, template, tmp_path / "killed", [kill])
    assert code == KILLED
    known = [without_staged(texts) for _, texts in states]
    assert without_staged(killed.texts()) in known


def find_faults(points: list[str]) -> Iterator[Fault]:
    """Yield the faults to try, of each kind at each point.

    Between two points at which only the cache changes, the project is the same. There,
    only errors can have another effect, and every second point has one.
    """
    is_below_cache = False
    alike: Counter[str] = Counter()
    for number, point in enumerate(points, 1):
        was_below_cache = is_below_cache
        event, *paths = point.split()
        is_below_cache = all(path.startswith("cache") for path in paths)
        shape = " ".join([event, *map(os.path.dirname, paths)])
        alike[shape] += 1
        if was_below_cache and is_below_cache:
            kinds = ("error",) if number % 2 else ()
        else:
            kinds = KINDS if alike[shape] <= MAX_ALIKE else ()
        for kind in kinds:
            yield Fault(kind, number)


def find_half_and_lost(
    texts: dict[str, str], before: dict[str, str], after: dict[str, str]
) -> Iterator[str]:
    """Yield the files that are neither as before nor as after a complete run."""
    for path, text in without_staged(texts).items():
        is_known = text in (before.get(path), after.get(path))
        if not is_known and SAVED not in text:
            yield f"{path} is half"
    for path in before.keys() - texts.keys():
        if path in after:
            yield f"{path} is lost"


def find_problems(
    run: Run, before: dict[str, str], after: dict[str, str]
) -> Iterator[str]:
    """Yield what is half, lost or left after a run with a fault."""
    texts = run.texts()
    yield from find_half_and_lost(texts, before, after)
    for path in run.saved_paths():
        if SAVED not in texts.get(path, ""):
            yield f"the saved {path} is lost"
    for path in texts.keys() - without_staged(texts).keys():
        yield f"{path} is left"
    output = (run.root.parent / "output").read_text(errors="replace")
    if "Traceback" in output:
        yield output


def without_staged(texts: dict[str, str]) -> dict[str, str]:
    """Return the texts without those of staged files, whose names are random."""
    return {
        path: text for path, text in texts.items() if not path.endswith(STAGED_SUFFIX)
    }


def test_an_init_that_was_killed_is_completed_by_the_next_one(tmp_path: Path) -> None:
    template = tmp_path / "template"
    prepare(WRITERS["init"], template)
    load_modules("init", template, tmp_path / "loading")
    ((_, complete, _),) = run_all("init", template, tmp_path / "complete", [None])
    points = complete.points_file.read_text().splitlines()
    faults: list[Fault | None] = [
        Fault("kill", point) for point in range(1, len(points) + 1)
    ]
    killed = list(run_all("init", template, tmp_path / "faults", faults))
    for _, run, _ in killed:
        os.waitpid(run.start(None), 0)
        assert run.texts() == complete.texts()
