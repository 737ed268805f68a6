"""Digests of everything that a result depends on."""

import json
import os
import stat
import sys
import sysconfig
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path

from modular.cache.inputs import Inputs
from modular.cache.result_cache import digest
from modular.format.formatter_config import Surroundings
from modular.format.formatter_process import run_over
from modular.project.project import Project
from modular.source.system.reading import open_ordinary, read_at_most
from modular.source.system.ruff import ruff_executable


_PACKAGE = Path(__file__).parent.parent
MOST_COMPARED = 50_000_000
"""Bytes of a file that are compared: no generated file has as many."""


class Fingerprints:
    """The digests of a project's files, each read once, and the cache keys of its modular files."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._inputs = Inputs(project)
        self._disk: dict[str, str | None] = {}
        self._formatters: dict[str, str] = {}
        self._began = time.time_ns()

    def disk(self, path: str) -> str | None:
        """The digest of a file as it is, None if it is not there or cannot be read."""
        if (unsaved := self._project.unsaved.get(path)) is not None:
            return digest(unsaved.encode())
        if path not in self._disk:
            self._disk[path] = None if self._project.leads_out(path) else _digest(self._project.locate(path))
        return self._disk[path]

    def obstacle(self, path: str) -> str:
        """Say what at the path of a generated file can neither be compared nor replaced; nothing where all is well.

        A link is replaced, whatever it leads to.
        """
        if self.disk(path) is not None:
            return ""
        place = self._project.locate(path)
        try:
            state = os.lstat(place)
            if stat.S_ISLNK(state.st_mode):
                return ""
            open_ordinary(place).close()
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            if not stat.S_ISREG(state.st_mode):
                return "the path is a directory" if stat.S_ISDIR(state.st_mode) else "the path is not a regular file"
            return f"the file cannot be read: {error.strerror}"
        return ""

    def are_settled(self, modular: str, reads: Iterable[str]) -> bool:
        """Whether all that a modular file's result depends on is as it was before this began, its parent files included.

        What changes meanwhile may have been read before or after.
        """
        folder = self._project.output_folder(modular)
        found = self._inputs.of_result(folder, (modular, *reads))
        return all(map(self._is_settled, found)) and self._inputs.surroundings.are_complete(folder)

    def _is_settled(self, path: str) -> bool:
        try:
            state = os.stat(self._project.locate(path))
        except OSError:
            return self.disk(path) is None
        return max(state.st_mtime_ns, state.st_ctime_ns) < self._began

    def key(self, modular: str) -> str:
        """The cache key of a modular file: all that its result depends on but the parent files."""
        folder = self._project.output_folder(modular)
        parts = [self._common, self._formatter(folder), modular, self.disk(modular) or ""]
        return digest("\n".join(parts).encode())

    @cached_property
    def _common(self) -> str:
        """The tool itself, the settings, the table of cased names, and where the source library has its own."""
        settings = {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self._project.settings).items()
        }
        parts = [_tool(), sys.version, json.dumps(settings, sort_keys=True), *self._project.models_folders]
        if self._project.name_files:
            parts += [f"{path} {self.disk(path)}" for path in self._project.name_files]
        else:
            parts.append(json.dumps(dict(self._project.names.table), sort_keys=True))
        library = self._project.library
        if library is not None and library.is_found:
            parts += library.name_files  # what is in them counts among what was read
        return digest("\n".join(parts).encode())

    def _formatter(self, folder: str) -> str:
        if folder not in self._formatters:
            self._formatters[folder] = _formatter_digest(
                self._inputs.surroundings, self._project.settings.formatter, folder
            )
        return self._formatters[folder]


def _digest(place: Path) -> str | None:
    with suppress(OSError), open_ordinary(place) as file:
        return digest(read_at_most(file, MOST_COMPARED))
    return None


def _tool() -> str:
    """A digest of this package's own files and what it stands on: no local change of it may serve another's results."""
    found = blake2b(f"libcst {_installed_version('libcst')}".encode(), digest_size=16)
    for file in sorted(path for ending in ("py", "toml") for path in _PACKAGE.rglob(f"*.{ending}")):
        found.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def _formatter_digest(surroundings: Surroundings, formatter: str, folder: str) -> str:
    """A digest of all that decides how the formatter writes files of a folder: its version, and what it sees around it."""
    found = blake2b(f"{formatter} {_formatter_version(formatter)}".encode(), digest_size=16)
    found.update(surroundings.digest(folder))
    return found.hexdigest()


@cache
def _formatter_version(formatter: str) -> str:
    """The version of a formatter; ruff's own word for it where the ruff that runs is not that of this environment."""
    if formatter == "ruff" and Path(ruff_executable()).parent != Path(sysconfig.get_path("scripts")):
        return run_over([ruff_executable(), "--version"], (), Path.cwd()).stdout
    return _installed_version(formatter)


@cache
def _installed_version(package: str) -> str:
    """The version of an installed package, `unknown` if it is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
