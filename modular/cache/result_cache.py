"""Results by the hash of everything that went in, in one SQLite file of the user's cache folder, never in the project.

Entries hold no absolute path, so the file may be restored from an archive at another place. What is damaged is made anew.
"""

import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any


FOLDER_VARIABLE = "MODULAR_CACHE_DIR"
LARGEST = 200_000_000
"""Bytes that the entries may take together; the oldest are dropped beyond."""

_FILE = "results-1.sqlite"
_WIDTH = 16
_PATIENCE = 1.0
"""Seconds that a run waits for another process that has locked the file; then it goes on without."""

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (0, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT)
"""SQLite's codes for a file that is damaged, is not a database, or has no table; 0 is a text that cannot be decoded."""

_TABLE = """
CREATE TABLE IF NOT EXISTS results
(key TEXT PRIMARY KEY, head BLOB NOT NULL, texts BLOB NOT NULL, checksum BLOB NOT NULL, used REAL NOT NULL)
"""

_SIZE = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
"""The bytes of the whole file: to add up the entries takes a while, which is only spent where they can be too many."""

_TROUBLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises at a file that is no good; the second where damage is in what it would say."""


def digest(data: bytes) -> str:
    """The hash by which contents are compared."""
    return blake2b(data, digest_size=16).hexdigest()


def digests(texts: Mapping[str, str]) -> dict[str, str]:
    """The hashes of texts by path."""
    return {path: digest(text.encode()) for path, text in texts.items()}


@dataclass(frozen=True, slots=True)
class CachedResult:
    """A result as it is kept: the digests of what was read (None: there was no such file), those of what came out.

    ``extra`` is whatever else the result holds, as JSON values. The texts are kept apart, and read only when asked for.
    """

    reads: Mapping[str, str | None]
    outputs: Mapping[str, str]
    extra: Any


def folder() -> Path:
    """The cache folder: `MODULAR_CACHE_DIR`, else the user's own as the platform has it."""
    if given := os.environ.get(FOLDER_VARIABLE):
        return Path(given)
    try:
        return _users_own()
    except RuntimeError:  # a user without a home has no cache
        return Path(os.devnull) / "modular"


def _users_own() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "modular" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "modular"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "modular"


class Cache:
    """The cache in a folder. It never fails: where it cannot be read or written, it is just empty."""

    def __init__(self, place: Path) -> None:
        self._path = place / _FILE
        self._used: list[str] = []
        self._is_locked = False
        self._was_tried = False
        self._connection: sqlite3.Connection | None = None

    @property
    def _database(self) -> sqlite3.Connection | None:
        """The open file, made anew if it is damaged; None if there can be none."""
        if not self._was_tried:
            self._was_tried = True
            self._connection = self._open() or (None if self._is_locked else self._open())
        return self._connection

    def _open(self) -> sqlite3.Connection | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self._path, timeout=_PATIENCE)
            database.execute("PRAGMA synchronous=OFF")
            database.execute(_TABLE)
        except (OSError, *_TROUBLE) as error:
            self._discard_if_damaged(error)
            return None
        return database

    def _discard_if_damaged(self, error: Exception) -> None:
        """Delete the file if an error says that it is damaged, and not merely locked or read-only."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        self._is_locked = self._is_locked or code in _LOCKED
        if isinstance(error, UnicodeDecodeError) or code in _DAMAGED:
            self._discard()

    def _discard(self) -> None:
        for suffix in ("", "-journal"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink()

    def head(self, key: str) -> CachedResult | None:
        """Return an entry if it is there and undamaged."""
        row = self._row("SELECT head, checksum FROM results WHERE key = ?", key)
        if row is None or row[1][:_WIDTH] != _checksum(key, row[0]):
            return None
        reads, outputs, extra = json.loads(row[0])
        self._used.append(key)
        return CachedResult(reads, outputs, extra)

    def texts(self, key: str) -> dict[str, str] | None:
        """Return the texts of an entry, or None if they are gone or damaged."""
        row = self._row("SELECT texts, checksum FROM results WHERE key = ?", key)
        if row is None or row[1][_WIDTH:] != _checksum(key, row[0]):
            return None
        texts: dict[str, str] = json.loads(zlib.decompress(row[0]))
        return texts

    def _row(self, query: str, key: str) -> tuple[bytes, bytes] | None:
        if self._database is None:
            return None
        try:
            row = self._database.execute(query, (key,)).fetchone()
        except _TROUBLE as error:
            self._start_anew(error)
            return None
        return row if row is not None and all(isinstance(each, bytes) for each in row) else None

    def _start_anew(self, error: Exception) -> None:
        """Go on with a new file if an error says that this one is damaged, and without one if it is locked."""
        self._discard_if_damaged(error)
        if self._database is not None and (self._is_locked or not self._path.exists()):
            self._database.close()
            self._connection = None if self._is_locked else self._open()

    def store(self, entries: Iterable[tuple[str, CachedResult, Mapping[str, str]]]) -> None:
        """Keep entries with their texts, then drop the oldest beyond the bound."""
        rows = []
        for key, entry, texts in entries:
            head = json.dumps([dict(entry.reads), dict(entry.outputs), entry.extra]).encode()
            packed = zlib.compress(json.dumps(dict(texts)).encode(), 1)
            rows.append((key, head, packed, _checksum(key, head) + _checksum(key, packed), time.time()))
        if rows:
            self._write("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", rows)

    def _write(self, query: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Write rows; if the file turns out to be damaged, into a new one."""
        for _ in range(2):
            if self._database is None:
                return
            try:
                with self._database:
                    self._database.executemany(query, rows)
                    self._drop_oldest(self._database)
                return
            except _TROUBLE as error:
                self._start_anew(error)

    @staticmethod
    def _drop_oldest(database: sqlite3.Connection) -> None:
        if database.execute(_SIZE).fetchone()[0] <= LARGEST:
            return
        sizes = database.execute("SELECT key, length(head) + length(texts) FROM results ORDER BY used DESC, key")
        total, dropped = 0, []
        for key, size in sizes:
            total += size or 0
            if total > LARGEST:
                dropped.append((key,))
        database.executemany("DELETE FROM results WHERE key = ?", dropped)

    def close(self) -> None:
        """Note what was used, and give the file back."""
        if self._used:
            now = time.time()
            self._write("UPDATE results SET used = ? WHERE key = ?", [(now, key) for key in self._used])
        if self._connection is not None:
            self._connection.close()
        self._connection, self._was_tried = None, False

    def clean(self) -> int:
        """Delete the cache; return how many bytes it took."""
        size = 0
        for path in self._path.parent.glob(f"{_FILE}*"):
            with suppress(OSError):
                size += path.stat().st_size
        self._discard()
        return size


def _checksum(key: str, data: bytes) -> bytes:
    """The checksum of an entry's data: damage can also give one entry's data to another."""
    return blake2b(data, digest_size=_WIDTH, key=key.encode()[: blake2b.MAX_KEY_SIZE]).digest()
