"""What the benchmark runs, and over what. Nothing is timed here."""

import sys
from pathlib import Path

import pytest

from bench.corpus import MODELS
from bench.processes import environment, run
from bench.scenario import Scenario


def test_a_command_that_fails_ends_the_benchmark(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit(3)"]
    assert run(command, tmp_path, environment(tmp_path), expected=3).memory > 0
    with pytest.raises(SystemExit, match="exit code 3, not 0"):
        run(command, tmp_path, environment(tmp_path))


def test_cost_counts_the_processes_that_a_process_started(tmp_path: Path) -> None:
    """The outer process waits; the inner one fills 100 MB, which takes it memory and time."""
    inner = "import time; kept = bytearray(100_000_000)\nwhile time.process_time() < 0.3: pass"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    done = run([sys.executable, "-c", outer], tmp_path, environment(tmp_path))
    assert done.cpu > 0.3
    assert done.memory > 95


def test_the_environment_is_the_benchmarks_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("MODULAR_CACHE_DIR", "/elsewhere")
    monkeypatch.setenv("KEPT", "yes")
    variables = environment(tmp_path)
    assert (
        variables.get("PYTHONDONTWRITEBYTECODE"),
        variables["MODULAR_CACHE_DIR"],
        variables["KEPT"],
    ) == (
        None,
        str(tmp_path),
        "yes",
    )


def test_what_is_parsed_for_t(tmp_path: Path) -> None:
    """All modular files, and the files that they inherit from; those of which they only use a name are none of these."""
    scenario = Scenario(tmp_path)
    assert scenario.models == 326
    assert len([path for path in scenario.parsed if "/modular_" in path]) == 326
    assert f"{MODELS}/llama/modeling_llama.py" in scenario.parsed
    assert f"{MODELS}/auto/modeling_auto.py" not in scenario.parsed
    assert all((tmp_path / "corpus" / path).is_file() for path in scenario.parsed)
