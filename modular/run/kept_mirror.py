"""A mirror that is kept, for files of which the texts change all the time, as those that somebody types."""

import atexit
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from modular.format.mirror import fill, mirror
from modular.format.surroundings import Surroundings


class KeptMirror:
    """A mirror of a project. It is made anew where something else is around the files than before, and where it is gone."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept = ExitStack()
        self._place = Path()
        self._around: dict[str, bytes] = {}
        atexit.register(self.close)

    def hold(self, texts: Mapping[str, str]) -> Path:
        """Put texts into the mirror, by path, and return its folder. Raises what `mirror` does."""
        surroundings = Surroundings(self._root)
        folders = {str(PurePosixPath(path).parent) for path in texts}
        around = {folder: surroundings.digest(folder) for folder in folders}
        if around.items() <= self._around.items() and self._place.is_dir():
            fill(self._place, texts)
        else:
            self.close()
            self._place = self._kept.enter_context(mirror(self._root, texts))
            self._around = around
        return self._place

    def close(self) -> None:
        """Delete the mirror."""
        self._around = {}
        self._kept.close()
