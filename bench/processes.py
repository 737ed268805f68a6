"""Runs commands, and says what they took: they and all processes that they started."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """User and system CPU seconds of all processes together, seconds by the clock, megabytes of the largest process."""

    cpu: float
    wall: float
    memory: float


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], expected: int = 0
) -> Cost:
    """Run a command with its output thrown away. Exits if its exit code is not the expected one."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expected:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}, not {expected}")
    # Linux counts in kilobytes, macOS in bytes.
    scale = 1_000_000 if sys.platform == "darwin" else 1_000
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / scale)


def environment(cache: Path) -> dict[str, str]:
    """The environment of all commands: a cache of its own, and nothing that changes how Python starts."""
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MODULAR_"))
    }
    return {**own, "MODULAR_CACHE_DIR": str(cache)}
