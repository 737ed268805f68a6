"""Results by the hash of everything that went in, each in a file of the user's cache folder, never in the project.

Entries hold no absolute path, so the folder may be restored from an archive at another place. A damaged one is none.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from modular.cache.fingerprints import digest
from modular.source.diagnostics import Diagnostic, prevents_writing
from modular.system.writing import write_file


LARGEST = 200_000_000
"""Bytes that the entries may take together; those that were not used for longest are dropped beyond."""

_RESULTS = "results-3"


@dataclass(frozen=True)
class Result:
    """What came of one modular file.

    ``texts`` are its files by path, and ``outputs`` their digests. ``reads`` says by path what was there where parent files were
    looked for; None: nothing. ``modules`` says what the sorting of imports found, as `flatten.formatted.Formatted` does.
    """

    modular: str
    texts: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    modules: Mapping[str, str | None] = field(default_factory=dict)

    @cached_property
    def outputs(self) -> Mapping[str, str]:
        """The digests of the files by path."""
        return {path: digest(text.encode()) for path, text in self.texts.items()}

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return prevents_writing(self.diagnostics)


class Cache:
    """The results in a cache folder. It never fails: where it cannot be read or written, it is just empty.

    Each entry is a file: a result as JSON, after its digest.
    """

    def __init__(self, place: Path) -> None:
        self._folder = place / _RESULTS

    def result(self, key: str) -> Result | None:
        """Return an entry; None if there is none, or it is damaged."""
        with suppress(OSError):
            written, _, data = (self._folder / key).read_bytes().partition(b" ")
            os.utime(self._folder / key)
            if written == digest(data).encode():
                modular, texts, reads, diagnostics, source_lines, modules = json.loads(
                    data
                )
                return Result(
                    modular,
                    texts,
                    reads,
                    tuple(map(Diagnostic.from_json, diagnostics)),
                    source_lines,
                    modules,
                )
        return None

    def store(self, results: Mapping[str, Result]) -> None:
        """Keep results by their keys; then drop the oldest beyond the bound."""
        with suppress(OSError):
            for key, result in results.items():
                diagnostics = [
                    diagnostic.as_json() for diagnostic in result.diagnostics
                ]
                values = [
                    result.modular,
                    result.texts,
                    result.reads,
                    diagnostics,
                    result.source_lines,
                    result.modules,
                ]
                data = json.dumps(values).encode()
                write_file(
                    self._folder / key,
                    digest(data).encode() + b" " + data,
                    self._folder,
                )
            self._drop(LARGEST)

    def clean(self) -> int:
        """Delete all entries; return how many bytes they took."""
        size = 0
        with suppress(OSError):
            size = self._drop(-1)
            self._folder.rmdir()
        return size

    def _drop(self, most: int) -> int:
        """Delete the oldest entries beyond so many bytes; return how many these took."""
        with os.scandir(self._folder) as found:
            entries = sorted(
                (-entry.stat().st_mtime_ns, entry.path, entry.stat().st_size)
                for entry in found
            )
        total = dropped = 0
        for _, path, size in entries:
            total += size
            if total > most:
                Path(path).unlink(missing_ok=True)
                dropped += size
        return dropped
