"""What the machine offers: programs and processors."""

import gc
import os
import sys


def find_program(name: str) -> str | None:
    """Return where a program is, in the first absolute folder of `PATH` that has it.

    The current folder, where some platforms look first, may be a stranger's project.
    """
    for folder in os.get_exec_path():
        place = os.path.join(folder, f"{name}.exe" if sys.platform == "win32" else name)
        if os.path.isabs(place) and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    return None


def available_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_rarely() -> None:
    """Look for garbage rarely: what is loaded and scanned are many small objects that stay, and to look at them is waste.

    A million more have to come before the next look. There is little garbage: hardly anything refers to itself.
    """
    gc.set_threshold(1_000_000, 30, 100)
