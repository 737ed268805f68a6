"""Which model takes what from which, told from import statements alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.project.project import Project, model_name
from modular.rules.files import file_types
from modular.source import module as modules
from modular.source.loading import LARGEST
from modular.source.system.reading import read_bytes
from modular.source.walking import walk


class Model(NamedTuple):
    """A model by its shown name: the plain one, or its folder where other models have the same name.

    ``modular`` is its modular file; it is empty for a model that is written by hand.
    """

    name: str
    modular: str = ""


class Edge(NamedTuple):
    """One model takes names from a file of another. The models are given by their shown names, the names are sorted."""

    model: str
    parent: str
    path: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """Models and what they take from each other, both sorted."""

    models: tuple[Model, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The shown names of all models."""
        return tuple(model.name for model in self.models)

    def find(self, wanted: str) -> str | None:
        """Return the shown name of the model with this name or modular file; None if there is none, or several."""
        models = [model for model in self.models if wanted in (model.name, model.modular)]
        models = models or [model for model in self.models if PurePosixPath(model.name).name == wanted]
        return models[0].name if len(models) == 1 else None

    def around(self, name: str) -> "Graph":
        """Return the part that is a model, what it takes, and what others take from it."""
        return self._only(name, (edge for edge in self.edges if name in (edge.model, edge.parent)))

    def ancestors(self, name: str) -> "Graph":
        """Return the part that is a model and all that it inherits from, directly or not."""
        reached = _reachable(name, ((edge.model, edge.parent) for edge in self.edges))
        return self._only(name, (edge for edge in self.edges if edge.model in reached))

    def descendants(self, name: str) -> "Graph":
        """Return the part that is a model and all that inherit from it, directly or not."""
        reached = _reachable(name, ((edge.parent, edge.model) for edge in self.edges))
        return self._only(name, (edge for edge in self.edges if edge.parent in reached))

    def joined(self, other: "Graph") -> "Graph":
        """Return this part and another one together."""
        return Graph(
            tuple(sorted({*self.models, *other.models})),
            tuple(sorted({*self.edges, *other.edges})),
        )

    def _only(self, name: str, edges: Iterable[Edge]) -> "Graph":
        kept = tuple(edges)
        met = {name, *(end for edge in kept for end in (edge.model, edge.parent))}
        return Graph(tuple(model for model in self.models if model.name in met), kept)


def _reachable(start: str, steps: Iterable[tuple[str, str]]) -> set[str]:
    """Return where one gets from a model by such steps, the model itself included."""
    following: dict[str, list[str]] = {}
    for begin, end in steps:
        following.setdefault(begin, []).append(end)
    return set(walk([start], lambda model: following.get(model, ())))


_Key = tuple[str, str]
"""A model's name and its folder: two models of one project may have the same name."""


def read_graph(project: Project) -> Graph:
    """Read the graph of a project from the import statements of its modular files. What cannot be read is left out."""
    modulars = {_modular_key(path): path for path in project.modular_files}
    taken: dict[tuple[_Key, _Key, str], set[str]] = {}
    for key, modular in modulars.items():
        for path, names in _imports(project, modular):
            taken.setdefault((key, _parent_key(project, path), path), set()).update(names)
    keys = {*modulars, *(parent for _, parent, _ in taken)}
    shown = _shown_names(keys)
    models = (Model(shown[key], modulars.get(key, "")) for key in keys)
    edges = (
        Edge(shown[model], shown[parent], path, tuple(sorted(names))) for (model, parent, path), names in taken.items()
    )
    return Graph(tuple(sorted(models)), tuple(sorted(edges)))


def _imports(project: Project, modular: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parent files of a modular file, as they are or would be, and what it imports from each."""
    try:
        text = read_bytes(project.root / modular, LARGEST).decode(errors="replace")
    except OSError:
        return
    for statement in modules.read(modular, text).imports:
        if paths := project.resolve(modular, statement):
            present = (path for path in paths if project.generator(path) is not None or project.locate(path).is_file())
            yield next(present, paths[0]), tuple(alias.name for alias in statement.names)


def _modular_key(modular: str) -> _Key:
    return model_name(modular), str(PurePosixPath(modular).parent)


def _parent_key(project: Project, path: str) -> _Key:
    if (generator := project.generator(path)) is not None:
        return _modular_key(generator)
    file = PurePosixPath(path)
    file_type = file_types.of_file(file.stem, project.settings)
    return file.stem.removeprefix(f"{file_type}_"), str(file.parent)


def _shown_names(keys: Iterable[_Key]) -> dict[_Key, str]:
    folders: dict[str, set[str]] = {}
    for name, folder in keys:
        folders.setdefault(name, set()).add(folder)
    return {
        (name, folder): name if len(same_name) == 1 else _with_folder(name, folder)
        for name, same_name in folders.items()
        for folder in same_name
    }


def _with_folder(name: str, folder: str) -> str:
    return folder if PurePosixPath(folder).name == name else f"{folder}/{name}"
