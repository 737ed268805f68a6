"""What a run leaves behind: the state of folders before and after it."""

import os
from pathlib import Path


State = dict[str, tuple[int, ...]]


def state(*folders: Path) -> State:
    """Return what there is below folders.

    With the times at which entries changed, which no program can set: a folder in which something was made and deleted
    again has changed, too.
    """
    found: State = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for path in (place, *(os.path.join(place, name) for name in names)):
                each = os.lstat(path)
                found[path] = (each.st_mode, each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns)
    return found
