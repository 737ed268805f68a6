"""Digests of the files that results depend on, and the cache keys of modular files."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from modular.cache.inputs import Inputs
from modular.format.formatter_version import identify_formatter
from modular.project.project import Project, leads_outside
from modular.system.reading import open_ordinary, read_at_most
from modular.system.ruff import installed_version


_PACKAGE = Path(__file__).parent.parent

FILE_CLOCK_TICK_NS = 10_000_000
"""The longest time, in nanoseconds, by which the time of a changed file is too early.

Linux takes file times from a clock that advances only with each tick of the kernel: 100
to 1000 times a second, depending on its configuration.
"""

MAX_COMPARED_BYTES = 50_000_000
"""Generated files are shorter; only the beginning of a longer file is compared."""


def digest(data: bytes) -> str:
    """Return the digest of some content."""
    return blake2b(data, digest_size=16).hexdigest()


class Fingerprints:
    """The digests of a project's files. Each file is read once.

    Attributes:
        inputs: The files that results depend on.
    """

    def __init__(self, project: Project) -> None:
        """Create fingerprints of a project, from which no file has been read yet."""
        self.inputs = Inputs(project)
        self._project = project
        self._digests: dict[str, str | None] = {}
        self._digests_below_root: dict[str, str | None] = {}
        self._leads_outside: dict[str, bool] = {}
        self._start_time_ns = time.time_ns()

    def share_digests(self, other: "Fingerprints") -> None:
        """Take the digests of a project that differs only in its unsaved texts.

        A digest is left out if only one of the projects has an unsaved text of the file, or
        if their unsaved texts differ.
        """
        differing_texts = self._project.unsaved.items() ^ other._project.unsaved.items()
        changed_paths = {path for path, _ in differing_texts}
        for path in other._digests.keys() - changed_paths:
            self._digests[path] = other._digests[path]
        for path in other._digests_below_root.keys() - changed_paths:
            self._digests_below_root[path] = other._digests_below_root[path]
        self._leads_outside |= other._leads_outside
        # A file that has changed since it was read by the other project is not settled.
        self._start_time_ns = other._start_time_ns

    def digest_below_root(self, path: str) -> str | None:
        """Return the digest of a file; None if it is unreadable or outside the root.

        For example, `models/llama/modeling_llama.py` is outside the root if it is a link
        to a file of another project.
        """
        if path not in self._digests_below_root:
            is_outside = self._points_outside_root(path)
            file_digest = None if is_outside else self.digest(path)
            self._digests_below_root[path] = file_digest
        return self._digests_below_root[path]

    def _points_outside_root(self, path: str) -> bool:
        """Whether a file leads out of the root (see `Project.points_outside_root`).

        Following links is slow, so the folder of several files is followed once.
        """
        root = self._project.root
        if self._project.library_of(path) is not None:
            return False
        if os.path.islink(os.path.join(root, path)):
            return leads_outside(root, path)
        folder = path.rpartition("/")[0]
        if folder not in self._leads_outside:
            self._leads_outside[folder] = leads_outside(root, folder)
        return self._leads_outside[folder]

    def digest(self, path: str) -> str | None:
        """Return the digest of a file; None if it is unreadable.

        If an editor has an unsaved text of the file, this text counts. The file may be
        above the root, as formatter settings can be.
        """
        if path not in self._digests:
            unsaved = self._project.unsaved.get(path)
            if unsaved is not None:
                self._digests[path] = digest(unsaved.encode())
            else:
                self._digests[path] = _digest_of_file(self._project.locate(path))
        return self._digests[path]

    def has_unsaved_change(self, path: str) -> bool:
        """Whether the project's text of a file differs from the file on disk."""
        if path not in self._project.unsaved:
            return False
        return self.digest(path) != _digest_of_file(self._project.locate(path))

    def are_settled(self, modular: str, reads: Iterable[str]) -> bool:
        """Return whether no input of a result changed since this object was created.

        A file that changes during a run may have been read before or after the change,
        so a result that depends on it is not stored. The time of a change can be too
        early by `FILE_CLOCK_TICK_NS`, so a change just before the run counts, too.

        Args:
            modular: The path of the modular file.
            reads: The paths that were read for it.
        """
        output_folder = PurePosixPath(self._project.output_folder(modular))
        paths = self.inputs.files_of_result(str(output_folder), (modular, *reads))
        # A folder changes if a settings file in it is created or deleted.
        for folder in (output_folder, *output_folder.parents):
            paths.add(str(folder))
        return all(self._is_settled(path) for path in paths)

    def _is_settled(self, path: str) -> bool:
        """Whether a file or folder is surely unchanged since this object was created."""
        try:
            state = os.stat(self._project.locate(path))
        except OSError:
            # A missing file is unchanged if it was missing when it was read.
            return self.digest_below_root(path) is None
        change_time_ns = max(state.st_mtime_ns, state.st_ctime_ns)
        return change_time_ns + FILE_CLOCK_TICK_NS < self._start_time_ns

    def key(self, modular: str, has_info: bool) -> str:
        """Return the cache key of a modular file.

        The key depends on all inputs that are known before the conversion. Other files,
        such as parents, are known only afterwards, so their digests are in the result.

        Args:
            modular: The path of the modular file.
            has_info: Whether the result has the findings of rules of level info.
        """
        lines = [
            _digest_of_modular(),
            sys.version,
            str(has_info),
            identify_formatter(self._project.settings.formatter),
            self.inputs.settings_and_names,
            *self.inputs.source_folders(modular),
            # A link that leads out of the root has another result than the same text.
            f"{modular} {self.digest_below_root(modular)}",
        ]
        output_folder = self._project.output_folder(modular)
        formatter_settings = self.inputs.formatter_settings(output_folder)
        for path in (*self._project.name_files, *formatter_settings):
            lines.append(f"{path} {self.digest(path)}")
        return digest("\n".join(lines).encode())


def _digest_of_file(file: Path) -> str | None:
    """Return the digest of a file on disk; None if it cannot be read."""
    with suppress(OSError), open_ordinary(file) as stream:
        return digest(read_at_most(stream, MAX_COMPARED_BYTES))
    return None


@cache
def _digest_of_modular() -> str:
    """Return a digest that changes with the code of modular or the version of LibCST.

    It is a part of all cache keys, so that no result of another version is used.
    """
    files = [*_PACKAGE.rglob("*.py"), *_PACKAGE.rglob("*.toml")]
    content = blake2b(f"libcst {installed_version('libcst')}".encode(), digest_size=16)
    for file in sorted(files):
        name = file.relative_to(_PACKAGE).as_posix()
        content.update(name.encode() + b"\0" + file.read_bytes())
    return content.hexdigest()
