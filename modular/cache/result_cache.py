"""Stores results in the user's cache folder, one file for each.

Entries contain no absolute paths, so a cache folder can be restored at another place.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from modular.cache.fingerprints import digest
from modular.flatten.outputs import OutputFile
from modular.source.diagnostics import Diagnostic, prevents_conversion
from modular.system.reading import read_bytes
from modular.system.writing import IN_OWN_FOLDER, NewFile, write_file


MAX_CACHE_BYTES = 200_000_000
"""Beyond this size, the entries that were not used for the longest time are deleted."""

_RESULTS = "results-3"

Reads = Mapping[str, str | None]
"""The state of each file that was read for a result, or looked for, by path."""

MAX_RESULTS = 3
"""Results of an entry: one before a change of parents, and two after changes."""


@dataclass(frozen=True)
class Result:
    """The result of one modular file.

    Attributes:
        modular: The path of the modular file.
        texts: The formatted text of each generated file by path.
        reads: The state of each file that was read, or looked for, by path. None stands
            for a missing file.
        diagnostics: The errors and warnings.
        source_lines: The number of lines of the modular file.
        modules: The modules that import sorting looked up, as of
            `modular.format.formatter_config.FormatterConfig.look_up_modules`.
        origins: The origins of the generated lines, which
            `modular.provenance.origin_runs` encodes; empty until they are needed.
        files: The files before formatting, in which the source of each line is known.
            The cache does not keep them.
    """

    modular: str
    texts: Mapping[str, str] = field(default_factory=dict)
    reads: Reads = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    modules: Mapping[str, str | None] = field(default_factory=dict)
    origins: str = ""
    files: tuple[OutputFile, ...] = ()

    @cached_property
    def outputs(self) -> Mapping[str, str]:
        """The digests of the generated files by path."""
        return {path: digest(text.encode()) for path, text in self.texts.items()}

    @property
    def failed(self) -> bool:
        """Whether an error prevented the conversion, so that there are no texts."""
        return prevents_conversion(self.diagnostics)


class Cache:
    """The results in a cache folder.

    It never raises an error: a folder that cannot be read or written counts as empty,
    and a damaged entry counts as missing. An entry has a line for each result, as
    `_encode` writes it.
    """

    def __init__(self, folder: Path) -> None:
        """Open the cache in a folder, which may not exist."""
        self._folder = folder / _RESULTS

    def results(self, key: str, has_content: Callable[[Reads], bool]) -> list[Result]:
        """Return the stored results with a key, the newest first.

        They depend on different versions of parent files.

        Args:
            key: The key.
            has_content: Tells from what a result has read whether to read its texts,
                too. Without them, a result has only the path of its modular file and
                what it has read, which takes little time and memory.
        """
        with suppress(OSError):
            lines = self._read_lines(key)
            # The time tells when the entry was last used.
            os.utime(self._folder / key)
            return [_decode(line, has_content) for line in lines]
        return []

    def _read_lines(self, key: str) -> list[bytes]:
        """Return the lines of an entry that are not damaged.

        Raises:
            OSError: There is no such entry.
        """
        content = read_bytes(self._folder / key, MAX_CACHE_BYTES)
        lines = []
        for line in content.split(b"\n"):
            stored_digest, _, data = line.partition(b" ")
            if stored_digest == digest(data).encode():
                lines.append(line)
        return lines

    def store(self, results: Mapping[str, Result]) -> None:
        """Store results by key, and delete old entries if the cache is too large."""
        with suppress(OSError):
            for key, result in results.items():
                self._write(key, result)
            self._delete_oldest(MAX_CACHE_BYTES)

    def update(self, key: str, result: Result) -> None:
        """Store a result that the cache already has, as the newest with its key.

        Old entries stay, because looking for them takes longer than storing one.
        """
        with suppress(OSError):
            self._write(key, result)

    def _write(self, key: str, result: Result) -> None:
        """Write an entry: a new result, and the older results that are still of use.

        Raises:
            OSError: The entry cannot be written.
        """
        lines = [_encode(result)]
        with suppress(OSError):
            # `reads` has the states of the parent files. If somebody undoes a change of a
            # parent, an older result is right again.
            for line in self._read_lines(key):
                older_result = _decode(line, has_content=lambda reads: False)
                if older_result.reads != result.reads:
                    lines.append(line)
        content = b"\n".join(lines[:MAX_RESULTS])
        entry = NewFile(content, IN_OWN_FOLDER, replaces_link=True)
        write_file(self._folder / key, entry, self._folder)

    def clean(self) -> int:
        """Delete all entries.

        Returns:
            Their size in bytes.
        """
        size = 0
        with suppress(OSError):
            # No total size is as small as -1 byte, so no entry may stay.
            size = self._delete_oldest(max_bytes=-1)
            self._folder.rmdir()
        return size

    def _delete_oldest(self, max_bytes: int) -> int:
        """Delete the least recently used entries until the cache is small enough.

        Args:
            max_bytes: Maximum size of the remaining entries together.

        Returns:
            The size of the deleted entries in bytes.
        """
        entries = []
        with os.scandir(self._folder) as files:
            for file in files:
                state = file.stat()
                entries.append(_Entry(state.st_mtime_ns, file.path, state.st_size))

        newest_first = sorted(entries, key=attrgetter("used_ns"), reverse=True)
        total_size = 0
        deleted_size = 0
        for entry in newest_first:
            total_size += entry.size
            # Once the newer entries fill the cache, all older entries are deleted.
            if total_size > max_bytes:
                Path(entry.path).unlink(missing_ok=True)
                deleted_size += entry.size
        return deleted_size


class _Entry(NamedTuple):
    """An entry of the cache: the time of its last use, its path and its size."""

    used_ns: int
    path: str
    size: int


def _encode(result: Result) -> bytes:
    """Return a result as a line of the cache.

    A line is a digest, a space, and two JSON texts with a tab between them, which no JSON
    text contains. The first text says what the result was made from, so that an outdated
    result need not be read further. The second text is the rest. The digest shows whether
    the line was damaged.
    """
    sources = [result.modular, result.reads]
    # `_with_content` reads the values in the same order.
    content = [
        result.texts,
        [diagnostic.as_json() for diagnostic in result.diagnostics],
        result.source_lines,
        result.modules,
        result.origins,
    ]
    data = f"{json.dumps(sources)}\t{json.dumps(content)}".encode()
    return digest(data).encode() + b" " + data


def _decode(line: bytes, has_content: Callable[[Reads], bool]) -> Result:
    """Return the result of a line whose digest is right, so that `_encode` wrote it.

    Args:
        line: The line.
        has_content: Tells whether the result has more than its sources, as in
            `Cache.results`.
    """
    _, _, data = line.partition(b" ")
    sources, _, content = data.partition(b"\t")
    modular, reads = json.loads(sources)
    result = Result(modular, reads=reads)
    return _with_content(result, content) if has_content(reads) else result


def _with_content(result: Result, content: bytes) -> Result:
    """Return a result with the texts, diagnostics and other values of its cache line.

    Args:
        result: The result, of which only the sources are known.
        content: The values as JSON, in the order in which `_encode` writes them.
    """
    texts, diagnostics, source_lines, modules, origins = json.loads(content)
    return replace(
        result,
        texts=texts,
        diagnostics=tuple(Diagnostic.from_json(entry) for entry in diagnostics),
        source_lines=source_lines,
        modules=modules,
        origins=origins,
    )
