"""Remembers which texts are outputs of this tool, so that it may replace them.

The record is a file with the digest of each generated text. One is in the cache folder,
for all projects. It is written even if results are not taken from the cache. A project
with a `.git` folder has another one there. It survives the loss of the cache folder, and is
there in a container or on another machine that gets the folder of the project.
"""

import os
from collections.abc import Collection
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from modular.cache.fingerprints import digest
from modular.git.repository import GitError, find_git_folder
from modular.system.cache_folder import cache_folder
from modular.system.reading import open_for_appending, read_bytes
from modular.system.writing import IN_OWN_FOLDER, NewFile, write_file


_MAX_RECORD_BYTES = 4_000_000
"""The size at which the older half of a record is dropped: 120,000 texts."""


class OutputRecord:
    """The digests of generated texts.

    Without a cache folder or repository that can be written, nothing is remembered.
    """

    def __init__(self, root: Path) -> None:
        """Open the records of a project.

        Args:
            root: The project's root.
        """
        self._root = root
        self._cached = _RecordFile(cache_folder() / "outputs")
        # An entry for the project shows that its outputs were recorded on this machine.
        self._project_digest = digest(os.fsencode(root.resolve()))

    def __contains__(self, text: str) -> bool:
        r"""Return whether this tool has generated a text, which has `\n` as line ends."""
        text_digest = digest(text.encode())
        if text_digest in self._cached.digests:
            return True
        return self._in_git is not None and text_digest in self._in_git.digests

    def has_outputs(self) -> bool:
        """Return whether outputs of the project have been recorded."""
        if self._project_digest in self._cached.digests:
            return True
        return self._in_git is not None and bool(self._in_git.digests)

    def is_kept(self) -> bool:
        """Return whether the record in the cache folder can be written."""
        return self._cached.can_be_written()

    def add(self, digests: Collection[str], *, in_git: bool) -> None:
        """Remember generated texts by the digests of `modular.cache.fingerprints`.

        They are recorded in the user's cache folder, and also in git's folder if asked.

        Args:
            digests: The digests of the texts.
            in_git: Whether they are also recorded in git's folder of the project. A command
                that writes no file of the project does not do that.
        """
        # The project's digest shows that its outputs were recorded on this machine.
        new_entries = {*digests, self._project_digest}
        are_recorded = new_entries <= self._cached.digests
        if not digests or are_recorded:
            return
        self._cached.add(new_entries)
        if in_git and self._in_git is not None:
            self._in_git.add(new_entries)

    @cached_property
    def _in_git(self) -> "_RecordFile | None":
        """The record in the repository; None if its folder is not below the root."""
        with suppress(GitError, OSError):
            folder = find_git_folder(self._root).resolve()
            if folder.is_relative_to(self._root.resolve()):
                return _RecordFile(folder / "modular-outputs")
        return None


class _RecordFile:
    """A file with a digest in each line."""

    def __init__(self, path: Path) -> None:
        """Name the file, which may not exist."""
        self._path = path

    @cached_property
    def digests(self) -> set[str]:
        """The digests in the file; none if it cannot be read."""
        with suppress(OSError):
            data = read_bytes(self._path, 2 * _MAX_RECORD_BYTES)
            return set(data.decode(errors="replace").split())
        return set()

    def can_be_written(self) -> bool:
        """Return whether digests can be added."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            open_for_appending(self._path).close()
            return True
        return False

    def add(self, digests: set[str]) -> None:
        """Add digests, if the file can be written."""
        new_digests = sorted(digests - self.digests)
        # Runs in other projects add lines at the same time. Each line begins with `\n`, in
        # case that a process was killed before it wrote its last line completely.
        lines = "".join(f"\n{new_digest}" for new_digest in new_digests)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_for_appending(self._path) as file:
                file.write(lines.encode())
            self.digests.update(new_digests)
            if self._path.stat().st_size > _MAX_RECORD_BYTES:
                self._drop_older_half()

    def _drop_older_half(self) -> None:
        """Write the file anew, without the texts that were generated first."""
        data = read_bytes(self._path, 2 * _MAX_RECORD_BYTES)
        newer_half = data[len(data) // 2 :]
        new_file = NewFile(newer_half, IN_OWN_FOLDER, replaces_link=True)
        write_file(self._path, new_file, self._path.parent)
