"""Remembers which texts are outputs of this tool, so that it may replace them.

The record is a file in the cache folder with the digest of each generated text, whatever
project it belongs to. It is written even if results are not taken from the cache.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property

from modular.cache.fingerprints import digest
from modular.system.cache_folder import cache_folder
from modular.system.reading import open_for_appending, read_bytes
from modular.system.writing import IN_OWN_FOLDER, NewFile, write_file


_MAX_RECORD_BYTES = 4_000_000
"""The size at which the older half of the record is dropped: 120,000 texts."""


class OutputRecord:
    """The digests of generated texts.

    Without a cache folder that can be written, nothing is remembered.
    """

    def __init__(self) -> None:
        """Open the record in the cache folder."""
        self._path = cache_folder() / "outputs"

    def __contains__(self, text: str) -> bool:
        r"""Return whether this tool has generated a text, which has `\n` as line ends."""
        return digest(text.encode()) in self._digests

    def is_kept(self) -> bool:
        """Return whether there is a cache folder that can be written."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            open_for_appending(self._path).close()
            return True
        return False

    def add(self, digests: Iterable[str]) -> None:
        """Remember generated texts by the digests of `modular.cache.fingerprints`."""
        new_digests = sorted(set(digests) - self._digests)
        if not new_digests:
            return
        # Runs in other projects add their lines at the same time. Each begins with a line
        # end, in case that a process was killed before it wrote the end of its last line.
        lines = "".join(f"\n{new_digest}" for new_digest in new_digests)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_for_appending(self._path) as file:
                file.write(lines.encode())
            self._digests.update(new_digests)
            if self._path.stat().st_size > _MAX_RECORD_BYTES:
                self._drop_older_half()

    @cached_property
    def _digests(self) -> set[str]:
        """The digests in the record; none if it cannot be read."""
        with suppress(OSError):
            data = read_bytes(self._path, 2 * _MAX_RECORD_BYTES)
            return set(data.decode(errors="replace").split("\n"))
        return set()

    def _drop_older_half(self) -> None:
        """Write the record anew, without the texts that were generated first."""
        data = read_bytes(self._path, 2 * _MAX_RECORD_BYTES)
        newer_half = data[len(data) // 2 :]
        new_file = NewFile(newer_half, IN_OWN_FOLDER, replaces_link=True)
        write_file(self._path, new_file, self._path.parent)
