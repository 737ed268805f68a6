"""The command `modular map`: it runs a program, or reads the output of one."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest


MODULAR = [sys.executable, "-m", "modular"]


def run_map(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*MODULAR, "map", *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize("code", [0, 1, 7])
def test_the_exit_code_is_that_of_the_command(code: int) -> None:
    done = run_map("--", sys.executable, "-c", f"raise SystemExit({code})")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_a_killed_command_has_the_exit_code_of_a_shell() -> None:
    assert run_map("--", "sh", "-c", "kill -9 $$").returncode == 137


def test_a_command_that_does_not_exist_is_an_error() -> None:
    done = run_map("no-such-program")
    assert done.returncode == 2
    assert done.stderr == (
        "error: no-such-program cannot be run: No such file or directory. "
        "To map a file, run `modular map < FILE`.\n"
    )


def test_both_outputs_of_a_command_are_mapped(birds: Path) -> None:
    code = (
        "import sys\n"
        "for stream in (sys.stdout, sys.stderr):\n"
        "    print('models/owl/modeling_owl.py:22: is slow', file=stream)\n"
    )
    done = run_map("--", sys.executable, "-c", code)
    expected = (
        "models/owl/modeling_owl.py:22: is slow\n"
        "  edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
    )
    assert (done.stdout, done.stderr) == (expected, expected)


def test_options_behind_the_program_are_its_own() -> None:
    done = run_map(sys.executable, "--version")
    assert done.stdout.startswith("Python 3.")


def test_output_passes_while_the_command_runs() -> None:
    code = "print('now', flush=True); input()"
    with subprocess.Popen(
        [*MODULAR, "map", "--", sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        assert process.poll() is None
        process.stdin.write(b"\n")
        process.stdin.close()
        assert process.wait() == 0


def test_a_reader_that_leaves_ends_the_command() -> None:
    code = "while True: print('line')"
    with subprocess.Popen(
        [*MODULAR, "map", "--", sys.executable, "-c", code], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        started = time.monotonic()
        process.wait(timeout=60)
    assert time.monotonic() - started < 60


def test_ruff_says_its_findings_at_the_lines_to_edit(birds: Path) -> None:
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    options = [
        "--select",
        "ANN001",
        "--output-format",
        "json",
        "models/owl/modeling_owl.py",
    ]
    done = run_map("--", *ruff, *options)
    places = set()
    for finding in json.loads(done.stdout):
        place = (os.path.relpath(finding["filename"]), finding["location"]["row"])
        places.add(place)
    assert done.returncode == 1
    assert ("models/hawk/modeling_hawk.py", 21) in places
    assert ("models/owl/modular_owl.py", 7) in places
    assert not any(path.startswith("models/owl/modeling") for path, _ in places)


def test_pytest_says_its_failures_at_the_lines_to_edit(birds: Path) -> None:
    Path("models/__init__.py").touch()
    Path("torch.py").write_text("class nn:\n    Module = object\n", encoding="utf-8")
    Path("test_owl.py").write_text(
        "from models.owl.modeling_owl import OwlWing\n\n\n"
        "def test_beat():\n    OwlWing.beat(None, 'x')\n",
        encoding="utf-8",
    )
    pytest_command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = run_map("--", *pytest_command, "--tb=short", "test_owl.py")
    assert done.returncode == 1
    assert (
        "models/owl/modeling_owl.py:22: in beat\n"
        "    return glide(x)\n"
        "           ^^^^^^^^\n"
        "  edit models/hawk/modeling_hawk.py:22 (inherited): return glide(x)\n"
    ) in done.stdout
