"""Which model takes what from which, told from import statements alone."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.project.project import Project, model_name
from modular.rules.files import file_types
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic
from modular.source.loading import syntax_problem
from modular.source.walking import inverted, walk


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
        models = [
            model for model in self.models if wanted in (model.name, model.modular)
        ]
        models = models or [
            model for model in self.models if PurePosixPath(model.name).name == wanted
        ]
        return models[0].name if len(models) == 1 else None

    def around(
        self,
        names: Collection[str],
        *,
        ancestors: bool = False,
        descendants: bool = False,
    ) -> "Graph":
        """Return the part that is some models, with what they take and what others take from them.

        With ``ancestors`` or ``descendants``, it is all that they inherit from or that inherits from them, directly or not.
        """
        above = below = {*names}
        if ancestors or descendants:
            children = inverted(self._parents)
            above = set(
                walk(
                    names if ancestors else (),
                    lambda model: self._parents.get(model, []),
                )
            )
            below = set(
                walk(
                    names if descendants else (), lambda model: children.get(model, [])
                )
            )
        edges = tuple(
            edge for edge in self.edges if edge.model in above or edge.parent in below
        )
        met = {*names, *(end for edge in edges for end in (edge.model, edge.parent))}
        return Graph(tuple(model for model in self.models if model.name in met), edges)

    @cached_property
    def _parents(self) -> dict[str, list[str]]:
        parents: dict[str, list[str]] = {name: [] for name in self.names}
        for edge in self.edges:
            parents[edge.model].append(edge.parent)
        return parents


_Key = tuple[str, str]
"""A model's name and its folder: two models of one project may have the same name."""


def read_graph(project: Project) -> Graph:
    """Read the graph of a project from the import statements of its modular files. What cannot be read is left out."""
    modulars = {_modular_key(path): path for path in project.modular_files}
    taken: dict[tuple[_Key, _Key, str], set[str]] = {}
    for key, modular in modulars.items():
        for path, names in _imports(project, modular):
            taken.setdefault((key, _parent_key(project, path), path), set()).update(
                names
            )
    keys = {*modulars, *(parent for _, parent, _ in taken)}
    counts = Counter(name for name, _ in keys)
    shown = {
        (name, folder): name if counts[name] == 1 else _with_folder(name, folder)
        for name, folder in keys
    }
    models = (Model(shown[key], modulars.get(key, "")) for key in keys)
    edges = (
        Edge(shown[model], shown[parent], path, tuple(sorted(names)))
        for (model, parent, path), names in taken.items()
    )
    return Graph(tuple(sorted(models)), tuple(sorted(edges)))


def find_unreadable_files(project: Project) -> list[Diagnostic]:
    """Return why modular files cannot be read, for those that the graph may show without their parents."""
    problems = []
    for modular in project.modular_files:
        loaded = project.load(modular, {})
        problem = loaded.problem or syntax_problem(loaded.text, modular)
        if problem is not None:
            problems.append(problem)
    return problems


def _imports(project: Project, modular: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parent files of a modular file, as they are or would be, and what it imports from each."""
    for statement in modules.read(modular, project.load(modular, {}).text).imports:
        if paths := project.resolve(modular, statement):
            present = (
                path
                for path in paths
                if project.generator(path) is not None or project.locate(path).is_file()
            )
            yield (
                next(present, paths[0]),
                tuple(alias.name for alias in statement.names),
            )


def _modular_key(modular: str) -> _Key:
    return model_name(modular), str(PurePosixPath(modular).parent)


def _parent_key(project: Project, path: str) -> _Key:
    if (generator := project.generator(path)) is not None:
        return _modular_key(generator)
    file = PurePosixPath(path)
    file_type = file_types.of_file(file.stem, project.settings)
    return file.stem.removeprefix(f"{file_type}_"), str(file.parent)


def _with_folder(name: str, folder: str) -> str:
    return folder if PurePosixPath(folder).name == name else f"{folder}/{name}"


class Weight(NamedTuple):
    """A model that others inherit from: how many do so directly, how many in all, and the generated lines of all these."""

    model: str
    direct: int
    models: int
    lines: int


def weights(graph: Graph, lines: Mapping[str, int]) -> tuple[Weight, ...]:
    """Return what rests on each model, the heaviest first. ``lines`` are the generated lines of modular files, by path."""
    of_model = {model.name: lines.get(model.modular, 0) for model in graph.models}
    weighed = []
    for parent in {edge.parent for edge in graph.edges}:
        direct = {edge.model for edge in graph.edges if edge.parent == parent}
        resting = set(graph.around([parent], descendants=True).names) - {parent}
        weighed.append(
            Weight(
                parent,
                len(direct),
                len(resting),
                sum(of_model[model] for model in resting),
            )
        )
    return tuple(
        sorted(
            weighed, key=lambda weight: (-weight.lines, -weight.models, weight.model)
        )
    )
