"""Indexes the classes and functions of all models by their token 4-grams.

The index is stored in the cache folder. Only files that changed are read again.

A sorted array of numbers maps each 4-gram to the definitions that have it. The low bits
of a number are the number of a definition, the bits above are the hash of a 4-gram:

    0x1234 << 24 | 7  # Definition 7 has the 4-gram with the hash 0x1234.
    0x1234 << 24 | 9  # So has definition 9.
"""

import json
import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from modular.cache.fingerprints import digest
from modular.infer.copies import parse_copy_source
from modular.infer.fragments import (
    METHOD,
    Fragment,
    find_fragments,
    methods_by_class,
)
from modular.infer.relations import NO_YEAR, Relations, first_year, indexed_projects
from modular.project import file_types
from modular.project.project import Project
from modular.semantics.imports import is_never_inlined
from modular.source.diagnostics import Diagnostic, Place, Problem, did_you_mean
from modular.source.loading import (
    MAX_SOURCE_BYTES,
    decode,
    load,
    read_module,
    syntax_problem,
)
from modular.system.reading import read_bytes
from modular.system.writing import IN_OWN_FOLDER, NewFile, write_file


_VERSION = 14
"""The version of the stored format."""

_COMMON_SHARE, _COMMON_COUNT = 0.05, 9
"""4-grams are common if this share of all definitions, plus this count, have them."""

_NUMBER_BITS = 24
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1
"""The low bits of a pair, which are the number of a definition."""

_MAX_EQUAL = 20
"""Definitions of one file with the same code that a search finds, besides one of the same
name. Each of many equal definitions would find all others."""

_MAX_INDEX_BYTES = 500_000_000
"""The index of transformers has a tenth of it."""

_values_of_fragment = attrgetter(
    "name", "kind", "line", "digest", "size", "copied_from"
)
_values_of_file = attrgetter("path", "folder", "model", "key", "year", "first_number")
"""Return the values that the index stores, in the order of the classes' fields."""


@dataclass(frozen=True)
class IndexedFile:
    """A model file in the index.

    Attributes:
        fragments: The classes and functions, each class followed by its methods.
        path: The path relative to the root.
        folder: The path that stands for its model (see `Project.model_home`).
        model: The name of its model.
        key: The digest of all that the fragments depend on.
        year: The first year that the heading names.
        first_number: The number of its first class or function; the others follow.
    """

    fragments: Sequence[Fragment]
    path: str
    folder: str
    model: str
    key: str
    year: str
    first_number: int

    @cached_property
    def definitions(self) -> tuple[Fragment, ...]:
        """The classes and functions."""
        return tuple(fragment for fragment in self.fragments if fragment.kind != METHOD)

    @property
    def numbers(self) -> range:
        """The numbers of the classes and functions, in their order."""
        return range(self.first_number, self.first_number + len(self.definitions))

    @cached_property
    def methods(self) -> Mapping[str, Mapping[str, Fragment]]:
        """The methods by class and name."""
        return methods_by_class(self.fragments)


_EqualFragments = dict[str, tuple[IndexedFile, Fragment]]
"""Fragments of one file with the same code, by name, each with the file."""


class SimilarFragment(NamedTuple):
    """A fragment that shares 4-grams with a query. Common 4-grams do not count.

    Attributes:
        file: Its file.
        fragment: The class, function or method.
        shared: The number of shared 4-grams.
        size: The number of 4-grams that the fragment has.
        query_size: The number of 4-grams that the query has.
        copies: The number of other fragments with the same code, if they were counted.
    """

    file: IndexedFile
    fragment: Fragment
    shared: int
    size: int
    query_size: int
    copies: int = 0

    @property
    def similarity(self) -> float:
        """The shared 4-grams as a part (0 to 1) of those that either has."""
        return self.shared / max(1, self.size + self.query_size - self.shared)


@dataclass(frozen=True)
class FragmentIndex:
    """The model files of a project and its source library.

    Attributes:
        project: The project.
        files: The files, sorted by path within each project.
        pairs: Sorted numbers, each of a 4-gram's hash and a definition that has it.
        common: The hashes of 4-grams that are too common to count.
        sizes: The number of 4-grams of each definition, without common ones.
    """

    project: Project
    files: Sequence[IndexedFile] = ()
    pairs: Sequence[int] = ()
    common: Collection[int] = frozenset()
    sizes: Sequence[int] = ()

    @cached_property
    def _definitions(self) -> list[tuple[IndexedFile, Fragment]]:
        """The classes and functions with their files, by number."""
        definitions = []
        for file in self.files:
            definitions += [(file, fragment) for fragment in file.definitions]
        return definitions

    def distinctive_grams(self, fragment: Fragment) -> set[int]:
        """Return the 4-grams of a fragment that are not common."""
        return set(fragment.grams).difference(self.common)

    def find_similar(self, grams: Collection[int]) -> list[SimilarFragment]:
        """Return the classes and functions that share 4-grams with a query.

        A 4-gram is a sequence of four tokens. One shared 4-gram is enough.

        Args:
            grams: The hashes of the query's 4-grams, without common ones.
        """
        shared_counts: Counter[int] = Counter()
        for gram in grams:
            # The high bits of a pair are a 4-gram, and the low bits are the number of a
            # definition with it. The pairs are sorted, so those of a 4-gram are adjacent.
            start = bisect_left(self.pairs, gram << _NUMBER_BITS)
            end = bisect_left(self.pairs, (gram + 1) << _NUMBER_BITS, start)
            definition_numbers = [pair & _NUMBER_MASK for pair in self.pairs[start:end]]
            shared_counts.update(definition_numbers)

        similar = []
        for number, shared_count in shared_counts.items():
            file, fragment = self._definitions[number]
            similar_fragment = SimilarFragment(
                file,
                fragment,
                shared=shared_count,
                size=self.sizes[number],
                query_size=len(grams),
            )
            similar.append(similar_fragment)
        return similar

    def find_equal(self, query: Fragment) -> list[SimilarFragment]:
        """Return the classes, functions or methods with the same code as a query.

        Their names may differ. A search for shared 4-grams would not find short ones such
        as `def f(self): pass`, because very common 4-grams do not count in it.
        """
        # Equal code shares all 4-grams. At least one is counted, so that the similarity
        # is 1.
        gram_count = max(1, len(self.distinctive_grams(query)))
        equal_by_path = self._by_digest.get((query.kind, query.digest), {})
        equal = []
        for equal_by_name in equal_by_path.values():
            # A file can have many equal fragments. Only the first ones are returned, and
            # the one that has the name of the query.
            returned = dict(islice(equal_by_name.items(), _MAX_EQUAL))
            if query.name in equal_by_name:
                returned[query.name] = equal_by_name[query.name]
            for file, fragment in returned.values():
                similar = SimilarFragment(
                    file,
                    fragment,
                    shared=gram_count,
                    size=gram_count,
                    query_size=gram_count,
                )
                equal.append(similar)
        return equal

    @cached_property
    def _by_digest(self) -> dict[tuple[str, str], dict[str, _EqualFragments]]:
        """All classes, functions and methods, those with equal code together.

        The keys are the kind and the digest of the code, then the path, then the name.
        """
        fragments: dict[tuple[str, str], dict[str, _EqualFragments]] = {}
        for file in self.files:
            for fragment in file.fragments:
                key = (fragment.kind, fragment.digest)
                equal_by_path = fragments.setdefault(key, {})
                equal_by_name = equal_by_path.setdefault(file.path, {})
                equal_by_name.setdefault(fragment.name, (file, fragment))
        return fragments

    def read_fragments(self, file: IndexedFile) -> list[Fragment]:
        """Read the classes, functions and methods of a file with their 4-grams.

        The index has the same fragments without 4-grams, because it stores these apart.
        The result is empty if the file cannot be read.
        """
        with suppress(OSError):
            data = read_bytes(self.project.locate(file.path), MAX_SOURCE_BYTES)
            return _parse_fragments(self.project, file.path, data).fragments
        return []

    def syntax_problem(self, path: str) -> Diagnostic | None:
        """Return the error that prevents reading a file; None if it can be read."""
        if path not in self._syntax_problems:
            loaded = load(self.project.locate(path), path)
            problem = loaded.problem or syntax_problem(loaded.text, path)
            self._syntax_problems[path] = problem
        return self._syntax_problems[path]

    def find_unreadable_files(self) -> list[Diagnostic]:
        """Return the syntax error of each file that could not be indexed."""
        problems = []
        for file in self.files:
            # A file with a syntax error has nothing in the index.
            if not file.fragments:
                problem = self.syntax_problem(file.path)
                if problem is not None:
                    problems.append(problem)
        return problems

    @cached_property
    def _syntax_problems(self) -> dict[str, Diagnostic | None]:
        """The results of `syntax_problem` so far: by path, the problem or None."""
        return {}

    @cached_property
    def years(self) -> Mapping[str, str]:
        """For each folder the first year that a heading in it names."""
        years: dict[str, str] = {}
        for file in self.files:
            years[file.folder] = min(file.year, years.get(file.folder, file.year))
        return years

    def folders_of(self, models: Collection[str]) -> set[str]:
        """Return the folders of the models with these names."""
        return {file.folder for file in self.files if file.model in models}

    def report_unknown(self, models: Iterable[str]) -> list[Diagnostic]:
        """Return a diagnostic for each name that no model has."""
        model_names = {file.model for file in self.files}
        problems = []
        for name in models:
            if name not in model_names:
                problem = Diagnostic(
                    Problem.NOT_FOUND,
                    Place(name),
                    message="no such model",
                    hint=did_you_mean(name, model_names) or "check the name",
                )
                problems.append(problem)
        return problems


class Precedence(NamedTuple):
    """The rank of a folder among parents that save as many lines. The lowest wins.

    Attributes:
        is_unrelated: Whether the child's name does not begin with that of the model.
        minus_dependents: Minus the number of dependents (see `count_dependents`).
        year: The first year that its files name.
        folder: The folder.
    """

    is_unrelated: bool
    minus_dependents: int
    year: str
    folder: str


@dataclass(frozen=True)
class ParentModels:
    """The models that one model may inherit from.

    Attributes:
        index: The index of all models.
        relations: Which models inherit from which.
        excluded: The folders of models that are not possible parents.
        folder: The folder of the model that inherits.
    """

    index: FragmentIndex
    relations: Relations
    excluded: Collection[str]
    folder: str = ""

    @cached_property
    def child_counts(self) -> Mapping[str, int]:
        """For each folder the number of folders that inherit from it."""
        return self.relations.count_children(self.excluded)

    def contains(self, candidate: SimilarFragment) -> bool:
        """Return whether the model may inherit from a class or function.

        It may not if the class is in an excluded folder, or is itself a copy of code of
        this model.

        Args:
            candidate: The class or function.
        """
        file, fragment = candidate.file, candidate.fragment
        if file.folder in self.excluded:
            return False
        is_copy_of_this_model = (file.path, fragment.name) in self.copies
        return not is_copy_of_this_model

    @cached_property
    def copies(self) -> set[tuple[str, str]]:
        """The classes and functions that are copies of code of this model.

        They have a comment such as `# Copied from models.glm.modeling_glm.GlmMLP`. Each is
        given as its path and its name.
        """
        copies = set()
        for file in self.index.files:
            for fragment in file.definitions:
                copied_from = fragment.copied_from
                if copied_from and parse_copy_source(copied_from).is_in(self.folder):
                    copies.add((file.path, fragment.name))
        return copies

    def count_dependents(self, folder: str) -> int:
        """Return the number of models that depend on a model, including the model."""
        if folder not in self._dependent_counts:
            dependents = self.relations.with_dependents([folder])
            self._dependent_counts[folder] = len(dependents)
        return self._dependent_counts[folder]

    @cached_property
    def _dependent_counts(self) -> dict[str, int]:
        """The results of `count_dependents` so far, by folder."""
        return {}

    def rank(self, folder: str) -> Precedence:
        """Return a sort key that is lowest for the best parent model of this model.

        For `glm_moe`, the best parent is `glm`, because the name begins with it. Of other
        models, the one from which most models inherit is best, then the one with the
        earliest year.

        Args:
            folder: The folder of the possible parent model.
        """
        model = PurePosixPath(folder).name
        child_model = PurePosixPath(self.folder).name
        return Precedence(
            is_unrelated=not child_model.startswith(model),
            minus_dependents=-self.count_dependents(folder),
            year=self.index.years.get(folder, NO_YEAR),
            folder=folder,
        )


class _Source(NamedTuple):
    """The content of a model file, and a digest of all that its fragments depend on.

    The index stores the digest as a key: a file with another key has changed.
    """

    key: str
    data: bytes


def read_index(
    project: Project, cache_folder: Path | None, source_library: str | None = None
) -> FragmentIndex:
    """Return the classes and functions of all models that can be parents, for a search.

    The index is stored in the cache folder. If a file has changed, the stored index is
    updated.

    Args:
        project: The project.
        cache_folder: The cache folder, or None if it must not be used.
        source_library: The library that the user named, if any.
    """
    projects = indexed_projects(project, source_library)
    paths: list[str] = []
    for indexed in projects:
        paths += indexed.files_of_models()
    sources = dict(_read_sources(project, paths))
    if cache_folder is None:
        return _update(FragmentIndex(project), sources)

    # An index of another format, machine or set of projects has another file name.
    roots = [str(indexed.root) for indexed in projects]
    name = digest(f"{_VERSION} {sys.byteorder} {roots}".encode())[:16]
    stored_path = cache_folder / f"index-{name}.bin"
    index = _load(project, stored_path)
    keys = {path: source.key for path, source in sources.items()}
    stored_keys = {file.path: file.key for file in index.files}
    if keys != stored_keys:
        index = _update(index, sources)
        _store(index, stored_path)
    return index


def _update(old: FragmentIndex, sources: Mapping[str, _Source]) -> FragmentIndex:
    """Return the index of some files, for which only changed files are read.

    The definitions of all files are numbered in the order of the files. So those of an
    unchanged file get new numbers if a file before it has changed.

    Args:
        old: The old index, which has the unchanged files.
        sources: The content of each file by its path.
    """
    old_files = {(file.path, file.key): file for file in old.files}
    files: list[IndexedFile] = []
    # Each pair is one integer: a 4-gram, and the number of a definition that has it.
    pairs: list[int] = []
    new_number_of_old: dict[int, int] = {}
    definition_count = 0
    for path, source in sources.items():
        old_file = old_files.get((path, source.key))
        if old_file is None:
            file = _index_file(old.project, path, source, first_number=definition_count)
            for number, fragment in zip(file.numbers, file.definitions, strict=True):
                pairs += [gram << _NUMBER_BITS | number for gram in fragment.grams]
        else:
            file = replace(old_file, first_number=definition_count)
            new_number_of_old.update(zip(old_file.numbers, file.numbers, strict=True))
        files.append(file)
        definition_count += len(file.definitions)

    pairs += _renumber(old.pairs, new_number_of_old)
    return _make_index(old.project, files, array("Q", sorted(pairs)), definition_count)


def _renumber(
    pairs: Iterable[int], new_number_of_old: Mapping[int, int]
) -> Iterator[int]:
    """Yield the pairs of an old index with the new numbers of the definitions.

    A pair is one integer: the hash of a 4-gram, with the number of a definition in its low
    bits, `0x1234 << 24 | 7`. If definition 7 has the new number 9, this becomes
    `0x1234 << 24 | 9`. Pairs of changed or removed files are left out.

    Args:
        pairs: The pairs.
        new_number_of_old: The new number of each definition of an unchanged file.
    """
    for pair in pairs:
        new_number = new_number_of_old.get(pair & _NUMBER_MASK)
        if new_number is not None:
            shifted_gram = pair & ~_NUMBER_MASK
            yield shifted_gram | new_number


def _index_file(
    project: Project, path: str, source: _Source, first_number: int
) -> IndexedFile:
    """Read a file for the index: its classes, functions and methods, and its year.

    Args:
        project: The project.
        path: The path of the file.
        source: Its content.
        first_number: The number of its first class or function; the others follow.
    """
    parsed = _parse_fragments(project, path, source.data)
    return IndexedFile(
        fragments=parsed.fragments,
        path=path,
        folder=project.model_home(path),
        model=project.model_of(path),
        key=source.key,
        year=first_year(parsed.heading),
        first_number=first_number,
    )


def _make_index(
    project: Project, files: Sequence[IndexedFile], pairs: Sequence[int], count: int
) -> FragmentIndex:
    """Return an index, with the 4-grams that are common, and the size of each definition.

    A 4-gram is a sequence of four tokens. Common ones, such as `def forward(self`, do not
    count when definitions are compared. So the size of a definition is the number of its
    other 4-grams.

    Args:
        project: The project.
        files: The files.
        pairs: Sorted integers. The high bits of each are the hash of a 4-gram, and the low
            bits are the number of a definition that has it.
        count: The number of definitions in all files.
    """
    use_counts = Counter(pair >> _NUMBER_BITS for pair in pairs)
    # With few definitions, the share alone would make nearly each 4-gram common.
    min_common_uses = _COMMON_SHARE * count + _COMMON_COUNT
    common = {gram for gram, uses in use_counts.items() if uses >= min_common_uses}

    sizes = [0] * count
    for pair in pairs:
        gram = pair >> _NUMBER_BITS
        if gram not in common:
            definition_number = pair & _NUMBER_MASK
            sizes[definition_number] += 1
    return FragmentIndex(project, files, pairs, common, sizes)


class _ParsedFile(NamedTuple):
    """The heading of a file and its fragments."""

    heading: str
    fragments: list[Fragment]


def _parse_fragments(project: Project, path: str, data: bytes) -> _ParsedFile:
    """Return the heading of a file, and its classes, functions and methods.

    A file with a syntax error has neither, and a file that is nested too deeply has only a
    heading.

    Args:
        project: The project.
        path: The path of the file.
        data: Its content.
    """
    module = read_module(path, decode(data, path))
    if isinstance(module, Diagnostic):
        return _ParsedFile("", [])
    model = project.model_of(path)
    cased = project.names_of(path).cased(model)
    fragments: list[Fragment] = []
    with suppress(RecursionError, ValueError):
        fragments = list(find_fragments(module, model, cased))
    return _ParsedFile(module.header.text, fragments)


def _read_sources(
    project: Project, paths: Iterable[str]
) -> Iterator[tuple[str, _Source]]:
    """Yield the path and the content of each file from which models may inherit.

    The content has a key that changes if the file must be indexed again. Files that
    cannot be read are left out.
    """
    for path in paths:
        if not is_parent_file(project, path):
            continue
        try:
            data = read_bytes(project.locate(path), MAX_SOURCE_BYTES)
            cased = project.names_of(path).cased(project.model_of(path))
        except OSError:
            continue
        # What is indexed depends on the model's name in class names, too: for the name
        # `Llama`, the token `LlamaMLP` counts as `XMLP`.
        key = digest(f"{cased}\n".encode() + data)
        yield path, _Source(key, data)


def is_parent_file(project: Project, path: str) -> bool:
    """Return whether models can inherit from a file, which its path tells.

    The file must be named after a file type, as `llama/modeling_llama.py` is. Files that
    only look like this, such as `auto/modeling_auto.py`, are in the setting
    `ordinary-imports`: code that is imported from them is never inlined.
    """
    stem = PurePosixPath(path).stem
    # The setting names modules with their folder, as in `auto.modeling_auto`, unless the
    # files of all models are in the same folder.
    module_parts = [stem]
    if project.settings.file_names.has_model_folders or project.library_of(path):
        module_parts = [project.model_of(path), stem]
    has_file_type = file_types.of_file(stem, project.settings) is not None
    return has_file_type and not is_never_inlined(project, module_parts)


def _load(project: Project, path: Path) -> FragmentIndex:
    """Return the index that a file stores. A missing or damaged index counts as empty.

    The first line of the file is the digest of all that follows. The second line is JSON:
    a row for each indexed file, the 4-grams that are too common to count, and the size
    of each definition. A row has the values of an `IndexedFile`, with a list of values
    for each fragment.

    The bytes below are integers of 64 bits. Each holds a 4-gram and the number of a
    definition with this 4-gram.
    """
    try:
        stored = read_bytes(path, _MAX_INDEX_BYTES)
    except OSError:
        return FragmentIndex(project)
    stored_digest, _, data = stored.partition(b"\n")
    if stored_digest != digest(data).encode():
        return FragmentIndex(project)

    head, _, pair_bytes = data.partition(b"\n")
    file_rows, common_grams, sizes = json.loads(head)
    files = []
    for fragment_rows, *file_values in file_rows:
        fragments = [Fragment(*row) for row in fragment_rows]
        files.append(IndexedFile(fragments, *file_values))
    pairs = array("Q", pair_bytes)
    return FragmentIndex(project, files, pairs, frozenset(common_grams), sizes)


def _store(index: FragmentIndex, path: Path) -> None:
    """Store an index in a file: a digest, a line of JSON, and an array of integers.

    The JSON has the files with their definitions. The array says which definition has
    which 4-gram. Nothing is stored if the folder cannot be written.
    """
    file_rows = []
    for file in index.files:
        fragment_rows = [_values_of_fragment(fragment) for fragment in file.fragments]
        file_rows.append([fragment_rows, *_values_of_file(file)])
    head_values = [file_rows, sorted(index.common), list(index.sizes)]
    head = json.dumps(head_values, separators=(",", ":")).encode()
    pairs = array("Q", index.pairs).tobytes()
    with suppress(OSError):
        data = head + b"\n" + pairs
        stored = digest(data).encode() + b"\n" + data
        new_file = NewFile(stored, IN_OWN_FOLDER, replaces_link=True)
        write_file(path, new_file, path.parent)
