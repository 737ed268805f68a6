"""The index of all models that a project can inherit from: what their files define, and which classes and functions share what.

It is kept in the cache folder; only files that have changed since are read again.
"""

import json
import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath
from zlib import crc32

from modular.cache.result_cache import digest
from modular.infer.fragments import METHOD, Fragment, Piece, fragments
from modular.infer.relations import with_library, year
from modular.project.naming import MODULAR
from modular.project.project import Project
from modular.rules.files import file_types
from modular.rules.settings import MODELS
from modular.source import module as modules
from modular.source.loading import LARGEST, decode
from modular.source.system.reading import read_bytes
from modular.source.system.writing import write_file


_VERSION = 8
_BITS = 24
_COMMON, _FEW = 0.05, 9
"""4-grams that are in a larger part of all classes and functions, and in more than a few, say nothing."""

_NUMBER = (1 << _BITS) - 1
"""The part of a pair that is the number of a class or function; above it is the hash of a 4-gram."""

_CHECKSUM = 4
_LENGTH = 8
"""Bytes that a checksum, and the length of what follows, take."""

Numbers = Sequence[int]


@dataclass(frozen=True)
class IndexedFile:
    """A model file: its path as the project knows it, its model (the folder's name), and what it defines.

    ``key`` is the digest of its content, ``year`` the first that its heading names. Its classes and functions are numbered
    from ``first``. A file is ``derived`` that a modular file generates.
    """

    path: str
    model: str
    key: str
    year: str
    first: int
    rows: list[list[str | int]]
    derived: bool = False

    @cached_property
    def folder(self) -> str:
        """The folder of the model."""
        return self.path.rpartition("/")[0]

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its classes and functions, each followed by its methods."""
        return tuple(Piece(*row) for row in self.rows)  # type: ignore[arg-type]

    @cached_property
    def definitions(self) -> tuple[Piece, ...]:
        """Its classes and functions."""
        return tuple(piece for piece in self.pieces if piece.kind != METHOD)

    @cached_property
    def methods(self) -> Mapping[str, Mapping[str, Piece]]:
        """The methods of each class, by their own names."""
        return methods_of(self.pieces)


_NOTHING: tuple[dict[str, IndexedFile], Numbers, Numbers, Numbers] = ({}, (), (), ())
"""An index of no files."""


def methods_of(pieces: Iterable[Piece]) -> dict[str, dict[str, Piece]]:
    """Return the methods among the pieces of a file, by the class and their own names."""
    found: dict[str, dict[str, Piece]] = {}
    for piece in pieces:
        if piece.kind == METHOD:
            owner, _, name = piece.name.partition(".")
            found.setdefault(owner, {})[name] = piece
    return found


@dataclass(frozen=True)
class Index:
    """The model files of a project and its source library, by path.

    ``pairs`` are sorted: each is the hash of a 4-gram and the number of a class or function that has it. ``common`` are those
    hashes that do not count, ``sizes`` says how many others each class or function has.
    """

    project: Project
    files: Sequence[IndexedFile]
    pairs: Numbers
    common: frozenset[int]
    sizes: Sequence[int]

    @cached_property
    def _owners(self) -> list[tuple[IndexedFile, Piece]]:
        return [(file, piece) for file in self.files for piece in file.definitions]

    def telling(self, fragment: Fragment) -> set[int]:
        """Return the 4-grams of a fragment that count."""
        return set(fragment.grams) - self.common

    def sharing(self, grams: Iterable[int]) -> list[tuple[IndexedFile, Piece, int, int]]:
        """Return the classes and functions that have some of these 4-grams: how many of them, and how many at all."""
        shared: Counter[int] = Counter()
        for gram in grams:
            start = bisect_left(self.pairs, gram << _BITS)
            end = bisect_left(self.pairs, (gram + 1) << _BITS, start)
            shared.update([pair & _NUMBER for pair in self.pairs[start:end]])
        return [(*self._owners[number], count, self.sizes[number]) for number, count in shared.items()]

    def fragments_of(self, file: IndexedFile) -> list[Fragment]:
        """Read the pieces of a file with their 4-grams; none if it was changed so that it cannot be read."""
        with suppress(OSError):
            data = read_bytes(self.project.locate(file.path), LARGEST)
            return _fragments(self.project, file.path, data)[1]
        return []


def folders_of(index: Index, names: Collection[str]) -> set[str]:
    """Return the folders of the models with these names."""
    return {file.folder for file in index.files if PurePosixPath(file.folder).name in names}


def read_index(project: Project, folder: Path | None, asked_for: str | None = None) -> Index:
    """Return the index; ``folder`` is that of the cache, if one may be used.

    The source library is in it where `relations.with_library` says so.
    """
    folders = _models_folders(project, asked_for)
    name = digest(f"{_VERSION} {sys.byteorder} {project.root} {folders}".encode())[:16]
    place = folder / f"index-{name}.bin" if folder is not None else None
    stored, pairs, common, sizes = _load(place) if place is not None else _NOTHING
    sources = {path: (key, data, derived) for path, key, data, derived in _sources(project, folders)}
    kept = {path: stored[path] for path, (key, *_) in sources.items() if path in stored and stored[path].key == key}
    files: list[IndexedFile] = []
    new: list[int] = []
    numbers: dict[int, int] = {}
    first = 0
    for path, (key, data, derived) in sources.items():
        if path in kept:
            old = kept[path]
            file = IndexedFile(path, old.model, key, old.year, first, old.rows, derived)
            numbers.update(
                zip(range(old.first, old.first + len(file.definitions)), range(first, _NUMBER), strict=False)
            )
        else:
            heading, found = _fragments(project, path, data)
            rows: list[list[str | int]] = [[each.name, each.kind, each.line, each.digest, each.size] for each in found]
            file = IndexedFile(path, PurePosixPath(path).parent.name, key, year(heading), first, rows, derived)
            defined = (each for each in found if each.kind != METHOD)
            new += [gram << _BITS | number for number, each in enumerate(defined, first) for gram in each.grams]
        files.append(file)
        first += len(file.definitions)
    if len(kept) < len(sources) or len(kept) < len(stored):
        moved = (pair >> _BITS << _BITS | numbers[pair & _NUMBER] for pair in pairs if pair & _NUMBER in numbers)
        pairs = array("Q", sorted([*moved, *new]))
        common, sizes = _weighed(pairs, first)
        if place is not None:
            _store(place, files, [pairs, array("Q", common), sizes])
    return Index(project, files, pairs, frozenset(common), sizes)


def _weighed(pairs: Numbers, count: int) -> tuple[Numbers, "array[int]"]:
    """Return the 4-grams that do not count, and for so many classes and functions how many others they have."""
    held = Counter(pair >> _BITS for pair in pairs)
    common = {gram for gram, holders in held.items() if holders >= _COMMON * count + _FEW}
    sizes = array("Q", bytes(8 * count))
    for pair in pairs:
        if pair >> _BITS not in common:
            sizes[pair & _NUMBER] += 1
    return sorted(common), sizes


def _fragments(project: Project, path: str, data: bytes) -> tuple[str, list[Fragment]]:
    """Return the heading of a file and what it defines. What is nested too deeply, or half typed, defines nothing."""
    module = modules.read(path, decode(data, path).text)
    model = PurePosixPath(path).parent.name
    with suppress(RecursionError, ValueError):
        return module.header.text, list(fragments(module, model, project.names_of(path).cased(model)))
    return module.header.text, []


def _models_folders(project: Project, asked_for: str | None) -> list[str]:
    """Where models are: in the project, among what it generates, and in its source library."""
    folders = set(project.models_folders)
    if project.settings.output:
        folders.add(project.settings.output)
    if project.library is not None and with_library(project, asked_for):
        folders.add(f"{project.library.prefix}/{MODELS}")
    return sorted(folders)


def _sources(project: Project, folders: Iterable[str]) -> Iterator[tuple[str, str, bytes, bool]]:
    """Yield each model file that can be read: its path, a digest of all that its pieces depend on, its content, whether it is derived."""
    for folder in folders:
        place = project.locate(f"{folder}/x").parent
        for model in sorted(path for path in place.iterdir() if path.is_dir()) if place.is_dir() else ():
            names = sorted(path.name for path in model.iterdir())
            for name in (name for name in names if _is_parent_file(project, model.name, name)):
                path = f"{folder}/{model.name}/{name}"
                with suppress(OSError):
                    data = read_bytes(model / name, LARGEST)
                    cased = project.names_of(path).cased(model.name)
                    derived = f"{MODULAR}{model.name}.py" in names or project.generator(path) is not None
                    yield path, digest(f"{cased}\n".encode() + data), data, derived


def _is_parent_file(project: Project, model: str, name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    is_ordinary = f"{model}.{stem}" in project.settings.ordinary_imports
    return dot + ending == ".py" and not is_ordinary and file_types.of_file(stem, project.settings) is not None


def _load(place: Path) -> tuple[dict[str, IndexedFile], Numbers, Numbers, Numbers]:
    """Read an index that was stored: its files by their paths, then its arrays. One that is damaged is none."""
    with suppress(OSError, ValueError):
        data = memoryview(place.read_bytes())
        if crc32(data[_CHECKSUM:]).to_bytes(_CHECKSUM, "little") == data[:_CHECKSUM]:
            start = _CHECKSUM + _LENGTH
            end = start + int.from_bytes(data[_CHECKSUM:start], "little")
            lengths, *rows = json.loads(bytes(data[start:end]))
            numbers = array("Q", bytes(data[end:]))
            pairs, common, sizes = (
                numbers[before : before + length] for before, length in zip(accumulate(lengths, initial=0), lengths)
            )
            files = [IndexedFile(*row) for row in rows]
            return {file.path: file for file in files}, pairs, common, sizes
    return _NOTHING


def _store(place: Path, files: Iterable[IndexedFile], arrays: Sequence["array[int]"]) -> None:
    """Keep an index. Where nothing can be written, nothing is kept."""
    rows = [[file.path, file.model, file.key, file.year, file.first, file.rows] for file in files]
    head = json.dumps([[len(each) for each in arrays], *rows], separators=(",", ":")).encode()
    rest = b"".join([len(head).to_bytes(_LENGTH, "little"), head, *(each.tobytes() for each in arrays)])
    with suppress(OSError):
        write_file(place, crc32(rest).to_bytes(_CHECKSUM, "little") + rest, place.parent)


@dataclass(frozen=True)
class ParentModels:
    """The models that one model may inherit from: all of an index but those in folders ``left_out``.

    ``uses`` says how many models take from those of a folder. Of folders whose models save as much the one with the lower
    ``precedence`` counts.
    """

    index: Index
    left_out: Collection[str]
    uses: Mapping[str, int]
    precedence: Mapping[str, tuple[int, str, str]]
