"""Keeps an index in the cache folder: what files define as JSON, then the arrays of their grams."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from modular.infer.index import IndexedFile
from modular.infer.packed import EMPTY, Packed, from_bytes
from modular.source.writing import write_file


PREFIX = "index-"
"""With what the names of indexes begin."""

_MOST = 4
"""Indexes that are kept: one for each set of models folders that was last used."""

_CHECKSUM = 4
_LENGTH = 8
"""Bytes that a checksum, and the length of what follows, take."""


def load_index(place: Path) -> tuple[dict[str, IndexedFile], Packed]:
    """Read an index that was stored: its files by their paths. One that is damaged is none."""
    try:
        data = memoryview(place.read_bytes())
        if crc32(data[_CHECKSUM:]).to_bytes(_CHECKSUM, "little") != data[:_CHECKSUM]:
            return {}, EMPTY
        done = _CHECKSUM + _LENGTH
        size = done + int.from_bytes(data[_CHECKSUM:done], "little")
        lengths, *rows = json.loads(bytes(data[done:size]))
        files = {}
        for row in rows:
            start, size = size, size + row[-1]
            row[-1] = bytes(data[start:size])
            files[row[0]] = IndexedFile(*row)
        return files, from_bytes(lengths, data[size:])
    except (OSError, ValueError):
        return {}, EMPTY


def store_index(place: Path, files: Sequence[IndexedFile], packed: Packed) -> None:
    """Keep an index, and drop those that were not used for longest. Where nothing can be written, nothing is kept."""
    lengths, arrays = packed.as_bytes()
    rows = [
        [each.path, each.model, each.key, each.stamp, each.year, each.first, each.size, each.holding, len(each.text)]
        for each in files
    ]
    head = json.dumps([lengths, *rows], separators=(",", ":")).encode()
    rest = b"".join([len(head).to_bytes(_LENGTH, "little"), head, *(each.text for each in files), arrays])
    with suppress(OSError):
        write_file(place, crc32(rest).to_bytes(_CHECKSUM, "little") + rest, place.parent)
        kept = sorted(place.parent.glob(f"{PREFIX}*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in kept[_MOST:]:
            old.unlink()
