"""Says on what machine a benchmark ran."""

import platform
import subprocess
from pathlib import Path

from modular.system.machine import available_processors
from modular.system.ruff import ruff_executable


def describe() -> str:
    """Return the processor, how many cores are used, and the versions of Python, ruff and the system, in one line."""
    cores = available_processors()
    ruff = subprocess.run(
        [ruff_executable(), "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    count = "1 core" if cores == 1 else f"{cores} cores"
    return f"{_processor()}, {count}, {python}, {ruff}, {platform.system()} {platform.release()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    return names[0] if names else platform.processor() or platform.machine()
