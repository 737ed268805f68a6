"""Results by the hash of everything that went in, each in a file of the user's cache folder, never in the project.

Entries hold no absolute path, so the folder may be restored from an archive at another place. A damaged one is none.
"""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from modular.cache.fingerprints import Fingerprints, digest, digests
from modular.source.diagnostics import Diagnostic, has_errors
from modular.source.system.writing import write_file


FOLDER_VARIABLE = "MODULAR_CACHE_DIR"
LARGEST = 200_000_000
"""Bytes that the entries may take together; those that were not used for longest are dropped beyond."""

_RESULTS = "results-2"


@dataclass(frozen=True)
class Result:
    """What came of one modular file.

    ``outputs`` are the digests of its files by path, and ``texts`` the files themselves, if they were made in this run or asked
    for. ``reads`` says by path what was there where parent files were looked for; None: nothing.
    """

    modular: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str | None] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    source_lines: int = 0
    output_lines: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


def folder() -> Path:
    """The cache folder: `MODULAR_CACHE_DIR`, else the user's own as the platform has it."""
    given = os.environ.get(FOLDER_VARIABLE)
    place = Path(given) if given else user_cache_path("modular", appauthor=False)
    return (
        place if given or place.is_absolute() else Path(os.devnull) / "modular"
    )  # a user without a home has no cache


class Cache:
    """The results in a cache folder. It never fails: where it cannot be read or written, it is just empty.

    Each entry is a file with two lines of JSON: the head, after its digest, and the texts, which are read only when asked for.
    """

    def __init__(self, place: Path) -> None:
        self._folder = place / _RESULTS

    def head(self, key: str) -> Any | None:
        """Return the head of an entry, a JSON value; None if there is no entry, or it is damaged."""
        try:
            with open(self._folder / key, "rb") as file:
                written, _, head = file.readline().rstrip(b"\n").partition(b" ")
            os.utime(self._folder / key)
        except OSError:
            return None
        return json.loads(head) if written.decode(errors="replace") == digest(head) else None

    def texts(self, key: str, wanted: Mapping[str, str]) -> dict[str, str] | None:
        """Return the texts of an entry by path, if their digests are those that are wanted, else None."""
        try:
            with open(self._folder / key, "rb") as file:
                file.readline()
                texts = json.loads(file.readline())
            return texts if digests(texts) == wanted else None
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return None

    def store(self, entries: Iterable[tuple[str, Any, Mapping[str, str]]]) -> None:
        """Keep entries, each a key, its head and its texts by path; then drop the oldest beyond the bound."""
        with suppress(OSError):
            for key, value, texts in entries:
                head = json.dumps(value).encode()
                data = digest(head).encode() + b" " + head + b"\n" + json.dumps(dict(texts)).encode() + b"\n"
                write_file(self._folder / key, data, self._folder)
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        total = 0
        for state, entry in sorted(self._entries(), key=lambda entry: (-entry[0].st_mtime_ns, entry[1].name)):
            total += state.st_size
            if total > LARGEST:
                entry.unlink(missing_ok=True)

    def _entries(self) -> list[tuple[os.stat_result, Path]]:
        with os.scandir(self._folder) as entries:
            return [(entry.stat(), Path(entry.path)) for entry in entries]

    def clean(self) -> int:
        """Delete all entries; return how many bytes they took."""
        size = 0
        with suppress(OSError):
            for state, entry in self._entries():
                entry.unlink(missing_ok=True)
                size += state.st_size
            self._folder.rmdir()
        return size


class KeptResults:
    """What the cache keeps of models: results and the texts of their files; nothing where there is no cache."""

    def __init__(self, cache: Cache | None, fingerprints: Fingerprints) -> None:
        self._cache = cache
        self._fingerprints = fingerprints
        self._last: dict[str, Result | None] = {}

    def last(self, modular: str) -> Result | None:
        """Return a model's last result, which may have read something older than what is there now; None if there is none."""
        if modular not in self._last:
            head = None if self._cache is None else self._cache.head(self._fingerprints.key(modular))
            self._last[modular] = None if head is None else _from_head(head)
        return self._last[modular]

    def texts(self, result: Result) -> Mapping[str, str] | None:
        """Return the texts of a result's files by path, or None if they are not known."""
        return self._cache.texts(self._fingerprints.key(result.modular), result.outputs) if self._cache else None

    def store(self, results: Iterable[Result]) -> None:
        """Keep results but for errors, and for those of what changed meanwhile."""
        if self._cache is None:
            return
        entries = []
        for result in results:
            if not result.failed and self._fingerprints.are_settled(result.modular, result.reads):
                entries.append((self._fingerprints.key(result.modular), _as_head(result), result.texts))
        self._cache.store(entries)


def _as_head(result: Result) -> dict[str, object]:
    diagnostics = [diagnostic.as_json() for diagnostic in result.diagnostics]
    return {**vars(result), "diagnostics": diagnostics, "texts": {}}


def _from_head(head: dict[str, Any]) -> Result:
    return Result(**{**head, "diagnostics": tuple(map(Diagnostic.from_json, head["diagnostics"]))})
