"""Digests of everything that a result depends on."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from modular.cache.inputs import Inputs
from modular.format.formatter_version import running_version
from modular.project.project import Project
from modular.system.reading import open_ordinary, read_at_most
from modular.system.ruff import installed_version


_PACKAGE = Path(__file__).parent.parent
MAX_COMPARED_BYTES = 50_000_000
"""Bytes of a file that are compared: no generated file has as many."""


def digest(data: bytes) -> str:
    """The hash by which contents are compared."""
    return blake2b(data, digest_size=16).hexdigest()


class Fingerprints:
    """The digests of a project's files, each read once, and the cache keys of its modular files."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.inputs = Inputs(project)
        self._digests: dict[str, str | None] = {}
        self._disk: dict[str, str | None] = {}
        self._began = time.time_ns()

    def disk(self, path: str) -> str | None:
        """The digest of a file as it is, None if it is not there, cannot be read or points outside the project's root."""
        if path not in self._disk:
            self._disk[path] = (
                None if self._project.points_outside_root(path) else self.digest(path)
            )
        return self._disk[path]

    def digest(self, path: str) -> str | None:
        """The digest of a file wherever it is, which settings of a formatter may be."""
        if path not in self._digests:
            self._digests[path] = _digest(
                self._project.locate(path), self._project.unsaved.get(path)
            )
        return self._digests[path]

    def are_settled(self, modular: str, reads: Iterable[str]) -> bool:
        """Whether all that a modular file's result depends on is as it was before this began, its parent files included.

        What changes meanwhile may have been read before or after. Folders tell of settings that came, or went again.
        """
        folder = PurePosixPath(self._project.output_folder(modular))
        paths = self.inputs.of_result(str(folder), (modular, *reads))
        return all(
            map(self._is_settled, {*paths, *map(str, (folder, *folder.parents))})
        )

    def _is_settled(self, path: str) -> bool:
        try:
            state = os.stat(self._project.locate(path))
        except OSError:
            return self.disk(path) is None
        return max(state.st_mtime_ns, state.st_ctime_ns) < self._began

    def key(self, modular: str) -> str:
        """The cache key of a modular file: all that its result depends on but the parent files."""
        formatter = self._project.settings.formatter
        parts = [
            _tool(),
            sys.version,
            f"{formatter} {running_version(formatter)}",
            self.inputs.choices,
        ]
        parts += [
            f"{path} {self.digest(path)}" for path in self.inputs.of_modular(modular)
        ]
        parts += self.inputs.source_folders(modular)
        return digest("\n".join(parts).encode())


def _digest(place: Path, unsaved: str | None) -> str | None:
    if unsaved is not None:
        return digest(unsaved.encode())
    with suppress(OSError), open_ordinary(place) as file:
        return digest(read_at_most(file, MAX_COMPARED_BYTES))
    return None


@cache
def _tool() -> str:
    """A digest of this package's own files and what it depends on: no local change of it may serve another's results."""
    content = blake2b(f"libcst {installed_version('libcst')}".encode(), digest_size=16)
    for file in sorted(
        path for ending in ("py", "toml") for path in _PACKAGE.rglob(f"*.{ending}")
    ):
        content.update(
            file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes()
        )
    return content.hexdigest()
