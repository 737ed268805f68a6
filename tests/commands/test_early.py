"""A process loads what converts while the command still finds out what there is to convert."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modular.run import early
from modular.source import machine
from tests.flock import GENERATED, make_flock, run_modular
from tests.support import source


PROGRAM = source(
    """
    import atexit
    import os
    import signal
    import sys

    from modular import __main__
    from modular.run import early
    from modular.source import machine


    def start():
        started()
        process = early._started._process
        if "kill" in os.environ:
            os.kill(process, signal.SIGKILL)
        atexit.register(lambda: print("libcst" in sys.modules, lives(process), file=sys.stderr))


    def lives(process):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return True


    machine.available_processors = lambda: 2
    started, early.start = early.start, start
    __main__.main()
    """
)
"""Converts as the command does on a machine with two processors.

In the end it says whether this process has loaded LibCST, and whether the other one is still there.
"""


def convert(root: Path, *arguments: str, kill: bool = False) -> subprocess.CompletedProcess[str]:
    """Convert, with the other process killed if that is wanted."""
    command = [sys.executable, "-c", PROGRAM, "convert", *arguments]
    environment = {**os.environ, **({"kill": ""} if kill else {})}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60)


def test_only_the_other_process_loads_what_converts(tmp_path: Path) -> None:
    root = make_flock(tmp_path, converted=False)
    done = convert(root, "owl", "--no-cache")
    assert (done.stdout.split(";")[0], done.stderr) == ("1 written", "False False\n")
    path = "models/owl/modeling_owl.py"
    assert (root / path).read_text(encoding="utf-8") == GENERATED[path]


def test_where_it_was_killed_its_work_is_done_by_others(tmp_path: Path) -> None:
    root = make_flock(tmp_path, converted=False)
    done = convert(root, "owl", "--no-cache", kill=True)
    assert (done.stdout.split(";")[0], done.stderr) == ("1 written", "True False\n")


def test_errors_are_told_as_ever(tmp_path: Path) -> None:
    root = make_flock(tmp_path)
    modular = root / "models/owl/modular_owl.py"
    modular.write_text(modular.read_text(encoding="utf-8").replace("EagleWing\n", "EagleWings\n"), encoding="utf-8")
    alone = run_modular("convert", "owl", "--no-cache", "--jobs", "1", cwd=root)
    assert alone.returncode == 1
    assert convert(root, "owl", "--no-cache").stderr == alone.stderr + "False False\n"


def test_it_is_ended_where_there_is_nothing_to_convert(tmp_path: Path) -> None:
    done = convert(make_flock(tmp_path), "owls", "--no-cache")
    assert done.returncode == 1
    assert done.stderr.endswith("\nFalse False\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("convert owl --no-cache", True),
        ("check --no-cache models/owl/modular_owl.py", True),
        ("convert owl", False),
        ("convert --no-cache", False),
        ("convert owl --no-cache --jobs 1", False),
        ("convert owl --no-cache --jobs=4", False),
        ("review owl --no-cache", False),
        ("--no-cache", False),
        ("", False),
    ],
)
def test_when_it_is_worthwhile(arguments: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available_processors", lambda: 2)
    assert early.is_worthwhile(arguments.split()) is expected


def test_one_processor_has_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available_processors", lambda: 1)
    assert not early.is_worthwhile(["convert", "owl", "--no-cache"])
