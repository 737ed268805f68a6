"""Programs, processors and the garbage collector."""

import atexit
import gc
import os
import sys


def find_program(name: str) -> str | None:
    """Return the path of a program, or None if no folder of `PATH` has it.

    Relative folders are skipped. So is the current folder, in which Windows would search
    first, because it may be a stranger's project.
    """
    file_name = f"{name}.exe" if sys.platform == "win32" else name
    for folder in os.get_exec_path():
        path = os.path.join(folder, file_name)
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_garbage_rarely() -> None:
    """Let the garbage collector run only after a million new objects.

    Sources are loaded into many small objects that live until the end, and hardly any
    of them are in cycles. Inspecting them repeatedly would only take time, and so would
    inspecting them all once more when the process ends.
    """
    gc.set_threshold(1_000_000, 30, 100)
    atexit.register(gc.freeze)
