"""The pool: work that is shared out over processes, one of which may be killed."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from modular.run.pool import Pool


def begin(word: str) -> str:
    return word


def label(word: str, number: int, ending: str) -> str:
    return f"{word}{number}{ending}"


def killed_by_seven(word: str, number: int) -> str:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{word}{number}"


def process(_: str, number: int) -> int:
    return os.getpid()


def test_each_item_gets_what_its_process_began_with() -> None:
    with closing(Pool(2, begin, "a")) as pool:
        assert sorted(pool.run(label, [3, 1, 2], "!")) == [
            (1, ["a1!"]),
            (2, ["a2!"]),
            (3, ["a3!"]),
        ]
        assert list(pool.run(label, [], "!")) == []


def test_an_item_that_kills_its_process_is_told_from_the_others() -> None:
    with closing(Pool(2, begin, "a")) as pool:
        done = dict(pool.run(killed_by_seven, range(20)))
        assert done == {
            number: [f"a{number}"] if number != 7 else [] for number in range(20)
        }
        assert dict(pool.run(killed_by_seven, [1])) == {1: ["a1"]}, "the pool goes on"


def test_neighbours_meet_in_the_same_process() -> None:
    with closing(Pool(2, begin, "a")) as pool:
        processes = {number: found for number, (found,) in pool.run(process, range(16))}
    assert os.getpid() not in processes.values()
    assert all(processes[number] == processes[number + 1] for number in range(0, 16, 2))


def test_nothing_of_it_stays(tmp_path: Path) -> None:
    with closing(Pool(2, begin, "a")) as pool:
        processes = {found for _, (found,) in pool.run(process, range(16))}
    assert not any(Path(f"/proc/{number}").exists() for number in processes)


WAITING = """
import os
import time

from modular.run.pool import Pool
from modular.system.interrupts import ending_in_order


def wait(state, item):
    os.write(1, b"working\\n")  # at once, so that two processes do not mix
    time.sleep(600)


with ending_in_order():
    pool = Pool(2, int)
    try:
        list(pool.run(wait, range(8)))
    finally:
        pool.close()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_wait_for_the_work_of_processes(
    tmp_path: Path, number: int
) -> None:
    (tmp_path / "waiting.py").write_text(WAITING)
    with subprocess.Popen(
        [sys.executable, "waiting.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        process.send_signal(number)
        assert process.wait(timeout=120) != 0
