"""Reads the model files of a project into an index, which is kept in the cache folder by the content of the files."""

import gc
import json
import os
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.settings import MODELS
from modular.run.infer.fragments import METHOD, Fragment, fragments
from modular.run.infer.index import Index, IndexedFile
from modular.run.infer.packed import EMPTY, Packed, Packer, from_bytes
from modular.run.infer.relations import with_library, year
from modular.run.result_cache import digest
from modular.source import module as modules
from modular.source.loading import LARGEST, decode
from modular.source.reading import read_bytes


_VERSION = 5
_NAME = "index-"
_MOST = 4
"""Indexes that are kept: one for each set of models folders that was last used."""

_CHANGED = 16
"""Files that may be written, changed or gone before an index is packed and stored anew."""


@dataclass(frozen=True)
class _Source:
    """A model file as it stands on disk."""

    path: str
    model: str
    cased: str
    derived: bool
    data: bytes

    @cached_property
    def key(self) -> str:
        """What its pieces depend on."""
        return digest(f"{sys.byteorder} {self.path} {self.model} {self.cased}\n".encode() + self.data)

    def read(self, first: int, places: Mapping[int, int] | None = None) -> tuple[IndexedFile, list[Fragment]]:
        """Read what it defines, whose numbers begin with ``first``. What is nested too deeply defines nothing."""
        module = modules.read(self.path, decode(self.data, self.path).text)
        found: list[Fragment] = []
        with suppress(RecursionError):
            found = list(fragments(module, self.model, self.cased, places))
        rows = [(each.name, each.kind, each.line, each.digest, each.size) for each in found]
        heading = year(module.header.text)
        return IndexedFile(self.path, self.model, self.key, heading, first, rows, self.derived), found


def read_index(project: Project, folder: Path | None, asked_for: str | None = None) -> Index:
    """Return the index, made anew where files have changed; ``folder`` is that of the cache, if one may be used.

    The source library is in it where `relations.with_library` says so.
    """
    folders = _models_folders(project, asked_for)
    name = digest(f"{_VERSION} {project.root} {folders}".encode())[:16]
    place = folder / f"{_NAME}{name}.bin" if folder is not None else None
    with _few_collections():
        return _read(project, folders, place)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for garbage less often: what is read are many small objects that stay."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 30, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _read(project: Project, folders: Sequence[str], place: Path | None) -> Index:
    stored, packed = _load(place) if place is not None else ({}, EMPTY)
    sources = list(_sources(project, folders))
    gone = stored.keys() - {each.key for each in sources}
    if len(gone) + sum(each.key not in stored for each in sources) > _CHANGED:
        files, packed = _pack(sources, stored, packed)
        if place is not None:
            _store(place, files, packed)
        return Index(tuple(files), packed)
    files = []
    changed: dict[int, Fragment] = {}
    for source in sources:
        if source.key in stored:
            files.append(replace(stored[source.key], derived=source.derived))
            continue
        first = packed.pieces + len(changed)
        file, found = source.read(first)
        files.append(file)
        changed.update(enumerate(found, first))
    return Index(tuple(files), packed, changed, [number for key in sorted(gone) for number in stored[key].holders])


def _pack(
    sources: Iterable[_Source], stored: Mapping[str, IndexedFile], packed: Packed
) -> tuple[list[IndexedFile], Packed]:
    """Pack the pieces of all files; those that are packed already are not read again."""
    packer = Packer()
    files = []
    for source in sources:
        if (kept := stored.get(source.key)) is not None:
            files.append(replace(kept, first=packer.pieces, derived=source.derived))
            for number, row in enumerate(kept.rows, kept.first):
                places = array("I", map(packer.places.__getitem__, packed.grams_in(number)))
                packer.add(places, is_holder=row[1] != METHOD)
            continue
        file, found = source.read(packer.pieces, packer.places)
        files.append(file)
        for each in found:
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
    """Yield each model file, sorted by path; those that cannot be read are passed over."""
    for folder in folders:
        place = project.locate(f"{folder}/x").parent
        for model in _names(place):
            names = _names(place / model)
            has_modular = f"{MODULAR}{model}.py" in names
            for name in names:
                path = f"{folder}/{model}/{name}"
                if _is_parent_file(project, model, name):
                    cased = project.names_of(path).cased(model)
                    derived = has_modular or project.generator(path) is not None
                    with suppress(OSError):
                        yield _Source(path, model, cased, derived, read_bytes(place / model / name, LARGEST))


def _names(folder: Path) -> list[str]:
    """What is in a folder, sorted by name; nothing if it is none."""
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _is_parent_file(project: Project, model: str, name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    is_ordinary = f"{model}.{stem}" in project.settings.ordinary_imports
    return dot + ending == ".py" and not is_ordinary and file_types.of_file(stem, project.settings) is not None


def _load(place: Path) -> tuple[dict[str, IndexedFile], Packed]:
    """Read an index that was stored: its files by their keys. One that is damaged is none."""
    try:
        with place.open("rb") as file:
            checksum, data = file.read(32), file.read()
        if digest(data).encode() != checksum:
            return {}, EMPTY
        size = 8 + int.from_bytes(data[:8], "little")
        lengths, *rows = json.loads(data[8:size])
        return {row[2]: IndexedFile(*row) for row in rows}, from_bytes(lengths, memoryview(data)[size:])
    except (OSError, ValueError):
        return {}, EMPTY


def _store(place: Path, files: Iterable[IndexedFile], packed: Packed) -> None:
    """Keep an index, and drop those that were not used for longest. Where nothing can be written, nothing is kept."""
    lengths, arrays = packed.as_bytes()
    rows = [[each.path, each.model, each.key, each.year, each.first, each.rows] for each in files]
    head = json.dumps([lengths, *rows], separators=(",", ":")).encode()
    rest = len(head).to_bytes(8, "little") + head + arrays
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as staged:
            staged.write(digest(rest).encode() + rest)
        os.replace(staged.name, place)
        kept = sorted(place.parent.glob(f"{_NAME}*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in kept[_MOST:]:
            old.unlink()
