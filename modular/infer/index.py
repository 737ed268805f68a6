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
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from modular.cache.fingerprints import digest
from modular.infer.fragments import METHOD, Fragment, fragments, methods_of
from modular.infer.relations import indexed_projects, year
from modular.project.project import Project
from modular.rules.files import file_types
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.loading import (
    LARGEST,
    decode,
    load,
    read_module,
    syntax_problem,
)
from modular.system.reading import read_bytes
from modular.system.writing import write_file


_VERSION = 12
_BITS = 24
_COMMON, _FEW = 0.05, 9
"""4-grams that are in a larger part of all classes and functions, and in more than a few, say nothing."""

_NUMBER = (1 << _BITS) - 1
"""The part of a pair that is the number of a class or function; above it is the hash of a 4-gram."""


@dataclass(frozen=True)
class IndexedFile:
    """A model file: its classes and functions, each followed by its methods, and its path as the project knows it.

    ``key`` is the digest of its content, ``year`` the first that its heading names. Its classes and functions are numbered
    from ``first``.
    """

    fragments: Sequence[Fragment]
    path: str
    key: str
    year: str
    first: int

    @cached_property
    def folder(self) -> str:
        """The folder of the model."""
        return self.path.rpartition("/")[0]

    @cached_property
    def model(self) -> str:
        """The model, by the folder's name."""
        return PurePosixPath(self.path).parent.name

    @cached_property
    def definitions(self) -> tuple[Fragment, ...]:
        """Its classes and functions."""
        return tuple(fragment for fragment in self.fragments if fragment.kind != METHOD)

    @cached_property
    def methods(self) -> Mapping[str, Mapping[str, Fragment]]:
        """The methods of each class, by their own names."""
        return methods_of(self.fragments)


@dataclass(frozen=True)
class FragmentIndex:
    """The model files of a project and its source library, by path.

    ``pairs`` are sorted: each is the hash of a 4-gram and the number of a class or function that has it. ``common`` are those
    hashes that do not count, ``sizes`` says how many others each class or function has.
    """

    project: Project
    files: Sequence[IndexedFile] = ()
    pairs: Sequence[int] = ()
    common: Collection[int] = frozenset()
    sizes: Sequence[int] = ()

    @cached_property
    def _owners(self) -> list[tuple[IndexedFile, Fragment]]:
        return [
            (file, fragment) for file in self.files for fragment in file.definitions
        ]

    def telling(self, fragment: Fragment) -> set[int]:
        """Return the 4-grams of a fragment that count."""
        return set(fragment.grams).difference(self.common)

    def sharing(
        self, grams: Iterable[int]
    ) -> list[tuple[IndexedFile, Fragment, int, int]]:
        """Return the classes and functions that have some of these 4-grams: how many of them, and how many at all."""
        shared: Counter[int] = Counter()
        for gram in grams:
            start = bisect_left(self.pairs, gram << _BITS)
            end = bisect_left(self.pairs, (gram + 1) << _BITS, start)
            shared.update([pair & _NUMBER for pair in self.pairs[start:end]])
        return [
            (*self._owners[number], count, self.sizes[number])
            for number, count in shared.items()
        ]

    def fragments_of(self, file: IndexedFile) -> list[Fragment]:
        """Read the fragments of a file with their 4-grams; none if it was changed so that it cannot be read."""
        with suppress(OSError):
            data = read_bytes(self.project.locate(file.path), LARGEST)
            return _fragments(self.project, file.path, data)[1]
        return []

    def syntax_problem(self, path: str) -> Diagnostic | None:
        """Return what keeps a file from being Python, if anything."""
        if path not in self._syntax_problems:
            loaded = load(self.project.locate(path), path)
            self._syntax_problems[path] = loaded.problem or syntax_problem(
                loaded.text, path
            )
        return self._syntax_problems[path]

    def find_unreadable_files(self) -> list[Diagnostic]:
        """Return why files of which nothing is in the index cannot be read."""
        problems = []
        for file in self.files:
            if not file.fragments:
                problem = self.syntax_problem(file.path)
                if problem is not None:
                    problems.append(problem)
        return problems

    @cached_property
    def _syntax_problems(self) -> dict[str, Diagnostic | None]:
        """The problems of the files that were asked for, by path."""
        return {}

    @cached_property
    def years(self) -> Mapping[str, str]:
        """The first year that a heading in each folder names."""
        years: dict[str, str] = {}
        for file in self.files:
            years[file.folder] = min(file.year, years.get(file.folder, file.year))
        return years

    def folders_of(self, models: Collection[str]) -> set[str]:
        """Return the folders of the models with these names."""
        return {
            file.folder
            for file in self.files
            if PurePosixPath(file.folder).name in models
        }

    def unknown(self, models: Iterable[str]) -> list[Diagnostic]:
        """Report the names that no model has."""
        known = {PurePosixPath(file.folder).name for file in self.files}
        return [
            Diagnostic(
                Problem.NOT_FOUND,
                Place(name),
                "no such model",
                did_you_mean(name, known) or "check the name",
            )
            for name in models
            if name not in known
        ]


@dataclass(frozen=True)
class ParentModels:
    """The models that one model may inherit from: all of an index but those in folders ``left_out``.

    ``uses`` says how many models take from those of a folder. Of folders whose models save as much the one with the lower
    ``precedence`` counts.
    """

    index: FragmentIndex
    left_out: Collection[str]
    uses: Mapping[str, int]
    precedence: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)


def read_index(
    project: Project, folder: Path | None, asked_for: str | None = None
) -> FragmentIndex:
    """Return the index; ``folder`` is that of the cache, if one may be used.

    The source library is in it where `relations.counting` says so.
    """
    projects = indexed_projects(project, asked_for)
    name = digest(
        f"{_VERSION} {sys.byteorder} {[str(counted.root) for counted in projects]}".encode()
    )[:16]
    place = folder / f"index-{name}.bin" if folder is not None else None
    paths = [path for counted in projects for path in counted.files_of_models()]
    stored = FragmentIndex(project) if place is None else _load(project, place)
    sources = {path: (key, data) for path, key, data in _sources(project, paths)}
    if {path: key for path, (key, _) in sources.items()} == {
        file.path: file.key for file in stored.files
    }:
        return stored
    index = _updated(stored, sources)
    if place is not None:
        _store(index, place)
    return index


def _updated(
    old: FragmentIndex, sources: Mapping[str, tuple[str, bytes]]
) -> FragmentIndex:
    """Return the index of some files, given with their digests and contents, of which an older fragment has some."""
    known = {(file.path, file.key): file for file in old.files}
    files: list[IndexedFile] = []
    new: list[int] = []
    numbers: dict[int, int] = {}
    first = 0
    for path, (key, data) in sources.items():
        file = known.get((path, key))
        if file is not None:
            numbers.update(
                {
                    file.first + number: first + number
                    for number in range(len(file.definitions))
                }
            )
            file = replace(file, first=first)
        else:
            heading, defined = _fragments(old.project, path, data)
            file = IndexedFile(defined, path, key, year(heading), first)
            for number, definition in enumerate(file.definitions, first):
                new += [gram << _BITS | number for gram in definition.grams]
        files.append(file)
        first += len(file.definitions)
    moved = (
        pair >> _BITS << _BITS | numbers[pair & _NUMBER]
        for pair in old.pairs
        if pair & _NUMBER in numbers
    )
    pairs = array("Q", sorted([*moved, *new]))
    held = Counter(pair >> _BITS for pair in pairs)
    common = {
        gram for gram, holders in held.items() if holders >= _COMMON * first + _FEW
    }
    sizes = Counter(pair & _NUMBER for pair in pairs if pair >> _BITS not in common)
    return FragmentIndex(
        old.project, files, pairs, common, [sizes[number] for number in range(first)]
    )


def _fragments(project: Project, path: str, data: bytes) -> tuple[str, list[Fragment]]:
    """Return the heading of a file and what it defines. What is nested too deeply, or half typed, defines nothing."""
    module = read_module(path, decode(data, path))
    if isinstance(module, Diagnostic):
        return "", []
    model = PurePosixPath(path).parent.name
    with suppress(RecursionError, ValueError):
        return module.header.text, list(
            fragments(module, model, project.names_of(path).cased(model))
        )
    return module.header.text, []


def _sources(
    project: Project, paths: Iterable[str]
) -> Iterator[tuple[str, str, bytes]]:
    """Yield each model file that can be read: its path, a digest of all that its fragments depend on, and its content."""
    for path in paths:
        model, stem = PurePosixPath(path).parent.name, PurePosixPath(path).stem
        is_ordinary = f"{model}.{stem}" in project.settings.ordinary_imports
        if not is_ordinary and file_types.of_file(stem, project.settings) is not None:
            with suppress(OSError):
                data = read_bytes(project.locate(path), LARGEST)
                yield (
                    path,
                    digest(f"{project.names_of(path).cased(model)}\n".encode() + data),
                    data,
                )


def _load(project: Project, place: Path) -> FragmentIndex:
    """Read an index that was stored; one that is damaged is empty."""
    with suppress(OSError, ValueError, TypeError):
        head, _, pairs = place.read_bytes().partition(b"\n")
        rows, common, sizes = json.loads(head)
        files = [
            IndexedFile([Fragment(*row) for row in inside], *file)
            for inside, *file in rows
        ]
        return FragmentIndex(
            project, files, array("Q", pairs), frozenset(common), sizes
        )
    return FragmentIndex(project)


def _store(index: FragmentIndex, place: Path) -> None:
    """Keep an index. Where nothing can be written, nothing is kept."""
    rows = [
        [[*map(_row, file.fragments)], file.path, file.key, file.year, file.first]
        for file in index.files
    ]
    head = json.dumps(
        [rows, sorted(index.common), list(index.sizes)], separators=(",", ":")
    ).encode()
    with suppress(OSError):
        write_file(
            place, b"%s\n%s" % (head, array("Q", index.pairs).tobytes()), place.parent
        )


def _row(fragment: Fragment) -> list[str | int]:
    return [fragment.name, fragment.kind, fragment.line, fragment.digest, fragment.size]
