"""The index of all models that a project can inherit from, kept in the cache folder by the content of their files."""

import json
import math
import os
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from modular.project.project import Project
from modular.rules.files import file_types
from modular.run.infer.fragments import Fragment, fragments
from modular.run.inputs import Inputs
from modular.run.result_cache import digest
from modular.source import module as modules
from modular.source.loading import load


_VERSION = 3
_NAME = "index-"
_MOST = 4
"""Indexes that are kept: one for each set of models folders that was last used."""


METHOD = "method"
"""The kind of the fragments that are parts of others."""

_COMMON = 0.05
"""Grams that are in a larger part of all classes say nothing."""

_FEW = 9
"""So many say something also where there are few classes."""


@dataclass(frozen=True)
class IndexedFile:
    """A model file: its path as the project knows it, its model (the folder's name), and what it defines."""

    path: str
    model: str
    key: str
    fragments: tuple[Fragment, ...]

    @property
    def folder(self) -> str:
        """The folder of the model."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True)
class Index:
    """The model files of a project and its source library, by path, and the weight of each fragment's grams together."""

    files: tuple[IndexedFile, ...]
    weights: tuple[tuple[float, ...], ...]
    size: int


def read_index(project: Project, folder: Path | None, asked_for: str | None = None) -> Index:
    """Return the index, made anew where files have changed; ``folder`` is that of the cache, if one may be used.

    The source library is in it where it was ``asked_for``, where the project takes from it already, or has no models.
    """
    files = list(_model_files(project, asked_for is not None or _takes_from_library(project)))
    folders = sorted({path.rpartition("/")[0].rpartition("/")[0] for path, _, _ in files})
    name = digest(f"{project.root} {folders}".encode())[:16]
    place = folder / f"{_NAME}{name}.bin" if folder is not None else None
    kept = {each.key: (each, weights) for each, weights in _load(place)} if place is not None else {}
    found, is_fresh = [], True
    for path, model, cased in files:
        text = load(project.locate(path), path).text
        key = digest(f"{_VERSION} {path} {model} {cased}\n{text}".encode())
        if key in kept:
            found.append(kept[key])
            continue
        is_fresh = False
        with suppress(RecursionError):
            module = modules.read(path, text)
            found.append((IndexedFile(path, model, key, tuple(fragments(module, model, cased))), ()))
    if is_fresh and len(found) == len(kept):
        weights = tuple(weights for _, weights in found)
    else:
        weights = _weigh([each for each, _ in found])
    index = Index(tuple(each for each, _ in found), weights, _classes(each for each, _ in found))
    if place is not None and not (is_fresh and len(found) == len(kept)):
        _store(place, index)
    return index


def _classes(files: Iterable[IndexedFile]) -> int:
    return sum(each.kind != METHOD for file in files for each in file.fragments)


def _takes_from_library(project: Project) -> bool:
    if not any(any((project.root / folder).glob("*/*.py")) for folder in project.models_folders):
        return True
    return any(project.library_of(path) is not None for paths in Inputs(project).parents.values() for path in paths)


def _model_files(project: Project, with_library: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the path, the model and its cased name of each model file, sorted by path."""
    for folder in sorted(_models_folders(project, with_library)):
        place = project.locate(f"{folder}/x").parent
        with suppress(OSError):
            for model in sorted(entry.name for entry in os.scandir(place) if entry.is_dir()):
                for name in sorted(file.name for file in (place / model).glob("*.py")):
                    path = f"{folder}/{model}/{name}"
                    if _is_parent_file(project, model, PurePosixPath(name).stem):
                        yield path, model, project.names_of(path).cased(model)


def _models_folders(project: Project, with_library: bool) -> set[str]:
    """Where models are: in the project, among what it generates, and in its source library."""
    folders = set(project.models_folders)
    if project.settings.output:
        folders.add(project.settings.output)
    if with_library and project.library is not None and project.library.is_found:
        folders.add(f"{project.library.prefix}/models")
    return folders


def _is_parent_file(project: Project, model: str, stem: str) -> bool:
    is_ordinary = f"{model}.{stem}" in project.settings.ordinary_imports
    return not is_ordinary and file_types.of_file(stem, project.settings) is not None


def _weigh(files: Sequence[IndexedFile]) -> tuple[tuple[float, ...], ...]:
    """Return for each fragment the sum of the weights of its grams."""
    counts: Counter[int] = Counter()
    for file in files:
        for each in file.fragments:
            if each.kind != METHOD:
                counts.update(each.grams)
    size = _classes(files)
    weight = {gram: weight_of(count, size) for gram, count in counts.items()}
    rare = weight_of(1, size)
    return tuple(
        tuple(round(sum(weight.get(gram, rare) for gram in each.grams), 3) for each in file.fragments)
        for file in files
    )


def weight_of(count: int, size: int) -> float:
    """What a gram counts that is in so many of all classes and functions."""
    return math.log((size + 1) / count) if count < _COMMON * size + _FEW else 0.0


def _load(place: Path) -> Iterator[tuple[IndexedFile, tuple[float, ...]]]:
    """Read an index that was stored; one that is damaged is none."""
    try:
        data = place.read_bytes()
        checksum, size, rest = data[:32].decode(), int.from_bytes(data[32:40], "little"), data[32:]
        if digest(rest) != checksum:
            return
        head = json.loads(data[40 : 40 + size])
    except (OSError, ValueError):
        return
    grams = array("I")
    grams.frombytes(data[40 + size :])
    start = 0
    for path, model, key, found, weights in head:
        pieces = []
        for name, kind, line, count, equal in found:
            pieces.append(Fragment(name, kind, line, grams[start : start + count], equal))
            start += count
        yield IndexedFile(path, model, key, tuple(pieces)), tuple(weights)


def _store(place: Path, index: Index) -> None:
    """Keep an index, and drop those that were not used for longest. Where nothing can be written, nothing is kept."""
    head = [
        [
            file.path,
            file.model,
            file.key,
            [[f.name, f.kind, f.line, len(f.grams), f.digest] for f in file.fragments],
            weights,
        ]
        for file, weights in zip(index.files, index.weights, strict=True)
    ]
    grams = array("I")
    for file in index.files:
        for each in file.fragments:
            grams.extend(each.grams)
    packed = json.dumps(head, separators=(",", ":")).encode()
    rest = len(packed).to_bytes(8, "little") + packed + grams.tobytes()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as staged:
            staged.write(digest(rest).encode() + rest)
        os.replace(staged.name, place)
        kept = sorted(place.parent.glob(f"{_NAME}*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in kept[_MOST:]:
            old.unlink()
