"""Stores results in the user's cache folder, one file for each.

Entries contain no absolute paths, so a cache folder can be restored at another place.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from modular.cache.fingerprints import digest
from modular.flatten.outputs import OutputFile
from modular.source.diagnostics import Diagnostic, prevents_writing
from modular.system.writing import write_file


MAX_CACHE_BYTES = 200_000_000
"""Beyond this size, the entries that were not used for the longest time are deleted."""

_RESULTS = "results-3"


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
    reads: Mapping[str, str | None] = field(default_factory=dict)
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
        """Whether an error prevents the files from being written."""
        return prevents_writing(self.diagnostics)


class Cache:
    """The results in a cache folder.

    It never raises an error: a folder that cannot be read or written counts as empty,
    and a damaged entry counts as missing. An entry is the digest of a JSON text and the
    text itself.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _RESULTS

    def result(self, key: str) -> Result | None:
        """Return the result with a key, or None."""
        with suppress(OSError):
            entry = (self._folder / key).read_bytes()
            os.utime(self._folder / key)  # the time of the last use
            stored_digest, _, data = entry.partition(b" ")
            if stored_digest == digest(data).encode():
                return _decode(data)
        return None

    def store(self, results: Mapping[str, Result]) -> None:
        """Store results by key, and delete old entries if the cache is too large."""
        with suppress(OSError):
            for key, result in results.items():
                data = _encode(result)
                entry = digest(data).encode() + b" " + data
                write_file(self._folder / key, entry, self._folder)
            self._delete_oldest(MAX_CACHE_BYTES)

    def clean(self) -> int:
        """Delete all entries.

        Returns:
            Their size in bytes.
        """
        size = 0
        with suppress(OSError):
            size = self._delete_oldest(max_bytes=-1)
            self._folder.rmdir()
        return size

    def _delete_oldest(self, max_bytes: int) -> int:
        """Delete the entries that were not used for longest, until the others fit.

        Returns:
            The size of the deleted entries in bytes.
        """
        entries = []
        with os.scandir(self._folder) as files:
            for file in files:
                state = file.stat()
                entries.append(_Entry(state.st_mtime_ns, file.path, state.st_size))

        total = 0
        deleted = 0
        for entry in sorted(entries, reverse=True):
            total += entry.size
            if total > max_bytes:
                Path(entry.path).unlink(missing_ok=True)
                deleted += entry.size
        return deleted


class _Entry(NamedTuple):
    """An entry of the cache: the time of its last use, its path and its size."""

    used_ns: int
    path: str
    size: int


def _encode(result: Result) -> bytes:
    """Return a result as JSON, for `_decode`."""
    values = [
        result.modular,
        result.texts,
        result.reads,
        [diagnostic.as_json() for diagnostic in result.diagnostics],
        result.source_lines,
        result.modules,
        result.origins,
    ]
    return json.dumps(values).encode()


def _decode(data: bytes) -> Result:
    """Return the result that `_encode` wrote."""
    values = json.loads(data)
    modular, texts, reads, diagnostics, source_lines, modules, origins = values
    return Result(
        modular=modular,
        texts=texts,
        reads=reads,
        diagnostics=tuple(Diagnostic.from_json(entry) for entry in diagnostics),
        source_lines=source_lines,
        modules=modules,
        origins=origins,
    )
