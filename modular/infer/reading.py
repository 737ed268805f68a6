"""Reads the model files of a project into an index, which is kept in the cache folder by the content of the files."""

import gc
import json
import os
import stat
import sys
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from modular.cache.result_cache import digest
from modular.infer.fragments import METHOD, Fragment, fragments
from modular.infer.index import Index, IndexedFile
from modular.infer.packed import EMPTY, Packed, Packer
from modular.infer.relations import with_library, year
from modular.infer.stored import PREFIX, load_index, store_index
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.settings import MODELS
from modular.source import module as modules
from modular.source.loading import LARGEST, decode
from modular.source.machine import collect_rarely
from modular.source.reading import read_bytes


_VERSION = 6
_CHANGED = 16
"""Files that may be written, changed or gone before an index is packed and stored anew."""

_SETTLED = 2_000_000_000
"""Nanoseconds after which no file system gives a change the same time any more."""


@dataclass(frozen=True)
class _Source:
    """A model file as it stands on disk. Its ``stamp`` is empty where it may change without a change of that."""

    path: str
    model: str
    cased: str
    derived: bool
    place: str
    stamp: str

    @cached_property
    def data(self) -> bytes:
        """What is in it. Raises OSError."""
        return read_bytes(Path(self.place), LARGEST)

    @cached_property
    def key(self) -> str:
        """What its pieces depend on. Raises OSError."""
        return digest(f"{self.path} {self.model} {self.cased}\n".encode() + self.data)

    def read(self, first: int, places: Mapping[int, int] | None = None) -> tuple[IndexedFile, list[Fragment]]:
        """Read what it defines, whose numbers begin with ``first``. What is nested too deeply, or half typed, defines nothing."""
        module = modules.read(self.path, decode(self.data, self.path).text)
        found: list[Fragment] = []
        with suppress(RecursionError, ValueError):
            found = list(fragments(module, self.model, self.cased, places))
        rows = json.dumps([(each.name, each.kind, each.line, each.digest, each.size) for each in found])
        return IndexedFile(
            self.path,
            self.model,
            self.key,
            self.stamp,
            year(module.header.text),
            first,
            len(found),
            sum(each.kind != METHOD for each in found),
            rows.encode(),
            self.derived,
        ), found


def read_index(project: Project, folder: Path | None, asked_for: str | None = None) -> Index:
    """Return the index, made anew where files have changed; ``folder`` is that of the cache, if one may be used.

    The source library is in it where `relations.with_library` says so.
    """
    folders = _models_folders(project, asked_for)
    name = digest(f"{_VERSION} {sys.byteorder} {project.root} {folders}".encode())[:16]
    place = folder / f"{PREFIX}{name}.bin" if folder is not None else None
    with _few_collections():
        return _read(project, folders, place)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for garbage less often: what is read are many small objects that stay."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _read(project: Project, folders: Sequence[str], place: Path | None) -> Index:
    stored, packed = load_index(place) if place is not None else ({}, EMPTY)
    found = _matched(_sources(project, folders), stored)
    gone = stored.keys() - {kept.path for _, kept in found if kept is not None}
    if len(gone) + sum(kept is None for _, kept in found) > _CHANGED:
        files, packed = _pack(found, packed)
        if place is not None:
            store_index(place, files, packed)
        return Index(tuple(files), packed)
    files = []
    changed: dict[int, Fragment] = {}
    for source, kept in found:
        if kept is not None:
            files.append(_as_now(kept, source, kept.first))
            continue
        first = packed.pieces + len(changed)
        file, new = source.read(first)
        files.append(file)
        changed.update(enumerate(new, first))
    restamped = sum(file.path in stored and file.stamp != stored[file.path].stamp for file in files)
    if place is not None and restamped > _CHANGED and not changed and not gone:
        store_index(place, files, packed)
    return Index(tuple(files), packed, changed, [number for path in sorted(gone) for number in stored[path].holders])


def _matched(
    sources: Iterable[_Source], stored: Mapping[str, IndexedFile]
) -> list[tuple[_Source, IndexedFile | None]]:
    """Put beside each file what an index has of it, if that is as it is; those that cannot be read are passed over.

    A file is read only if the file system says something else of it than it did.
    """
    found: list[tuple[_Source, IndexedFile | None]] = []
    for source in sources:
        kept = stored.get(source.path)
        with suppress(OSError):
            if kept is None or not ((source.stamp and source.stamp == kept.stamp) or source.key == kept.key):
                kept = None
                _ = source.data  # what cannot be read is passed over
            found.append((source, kept))
    return found


def _as_now(kept: IndexedFile, source: _Source, first: int) -> IndexedFile:
    return replace(kept, stamp=source.stamp, first=first, derived=source.derived)


def _pack(found: Iterable[tuple[_Source, IndexedFile | None]], packed: Packed) -> tuple[list[IndexedFile], Packed]:
    """Pack the pieces of all files; those that are packed already are not read again."""
    packer = Packer()
    grams = packed.by_place()
    files = []
    for source, kept in found:
        if kept is not None:
            files.append(_as_now(kept, source, packer.pieces))
            for number, piece in enumerate(kept.pieces, kept.first):
                kept_grams = map(grams.__getitem__, packed.places_in(number))
                packer.add(array("I", map(packer.places.__getitem__, kept_grams)), is_holder=piece.kind != METHOD)
            continue
        file, new = source.read(packer.pieces, packer.places)
        files.append(file)
        for each in new:
            packer.add(each.grams, is_holder=each.kind != METHOD)
    return files, packer.packed()


def _models_folders(project: Project, asked_for: str | None) -> list[str]:
    """Where models are: in the project, among what it generates, and in its source library."""
    folders = set(project.models_folders)
    if project.settings.output:
        folders.add(project.settings.output)
    if project.library is not None and with_library(project, asked_for):
        folders.add(f"{project.library.prefix}/{MODELS}")
    return sorted(folders)


def _sources(project: Project, folders: Iterable[str]) -> Iterator[_Source]:
    """Yield each model file, sorted by path."""
    settled = time.time_ns() - _SETTLED
    for folder in folders:
        place = str(project.locate(f"{folder}/x").parent)
        for model in sorted(_entries(place)):
            entries = _entries(f"{place}/{model}")
            names = sorted(name for name in entries if _is_parent_file(project, model, name))
            cased = project.names_of(f"{folder}/{model}/x.py").cased(model) if names else ""
            for name in names:
                path = f"{folder}/{model}/{name}"
                derived = f"{MODULAR}{model}.py" in entries or project.generator(path) is not None
                with suppress(OSError):
                    stamp = _stamp(entries[name].stat(), cased, settled)
                    yield _Source(path, model, cased, derived, entries[name].path, stamp)


def _stamp(state: os.stat_result, cased: str, settled: int) -> str:
    """What tells that a file is as it was; nothing if it is no file, or was changed a moment ago."""
    if not stat.S_ISREG(state.st_mode) or max(state.st_mtime_ns, state.st_ctime_ns) > settled:
        return ""
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino} {cased}"


def _entries(folder: str) -> dict[str, "os.DirEntry[str]"]:
    """What is in a folder, by name; nothing if it is none."""
    with suppress(OSError), os.scandir(folder) as found:
        return {each.name: each for each in found}
    return {}


def _is_parent_file(project: Project, model: str, name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    is_ordinary = f"{model}.{stem}" in project.settings.ordinary_imports
    return dot + ending == ".py" and not is_ordinary and file_types.of_file(stem, project.settings) is not None
