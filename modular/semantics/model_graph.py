"""The graph of which model inherits from which, read from import statements."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from modular.project.project import Project, model_name
from modular.semantics.imports import choose_parent_file, parent_files_of
from modular.semantics.kept_imports import inlined_part
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic
from modular.source.import_statements import Import
from modular.source.loading import syntax_problem
from modular.source.module import Module
from modular.source.walking import inverted, walk


class Model(NamedTuple):
    """A model of the graph.

    Attributes:
        name: Its name, or its folder if other models have the same name.
        modular: Its modular file; empty for a model that is written by hand.
    """

    name: str
    modular: str = ""


class Edge(NamedTuple):
    """The names that a model imports from a file of another model.

    Attributes:
        model: The name of the model in the graph.
        parent: The name of the other model in the graph.
        path: The parent file.
        names: The imported names, sorted.
    """

    model: str
    parent: str
    path: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """Models and the imports between them, both sorted."""

    models: tuple[Model, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all models in the graph."""
        return tuple(model.name for model in self.models)

    def find(self, name_or_path: str) -> str | None:
        """Return the name that a model has in the graph.

        Args:
            name_or_path: The model's name or its modular file.

        Returns:
            The name, or None if no model or several models match.
        """
        matches = []
        for model in self.models:
            if name_or_path in (model.name, model.modular):
                matches.append(model.name)
        # Models that share a name are called by their folders: `models/llama`.
        if not matches:
            for name in self.names:
                if PurePosixPath(name).name == name_or_path:
                    matches.append(name)
        return matches[0] if len(matches) == 1 else None

    def around(
        self,
        names: Collection[str],
        *,
        ancestors: bool = False,
        descendants: bool = False,
    ) -> "Graph":
        """Return the part of the graph around some models.

        Without options, it contains the models' direct parents and children.

        Args:
            names: The names of the models in the graph.
            ancestors: Whether to return all models that they inherit from.
            descendants: Whether to return all models that inherit from them.
        """
        # The models whose parents, or whose children, are in the returned graph.
        with_parents: set[str] = set()
        with_children: set[str] = set()
        if ancestors:
            with_parents = _reach(names, self._parents)
        if descendants:
            with_children = _reach(names, inverted(self._parents))
        if not ancestors and not descendants:
            with_parents = with_children = set(names)

        edges = []
        kept_names = set(names)
        for edge in self.edges:
            if edge.model in with_parents or edge.parent in with_children:
                edges.append(edge)
                kept_names.update((edge.model, edge.parent))
        models = [model for model in self.models if model.name in kept_names]
        return Graph(tuple(models), tuple(edges))

    @cached_property
    def _parents(self) -> dict[str, list[str]]:
        """The parents of each model."""
        parents: dict[str, list[str]] = {name: [] for name in self.names}
        for edge in self.edges:
            parents[edge.model].append(edge.parent)
        return parents


def _reach(names: Collection[str], successors: Mapping[str, list[str]]) -> set[str]:
    """Return some models and all models that can be reached from them."""
    return set(walk(names, lambda name: successors.get(name, [])))


class _ModelKey(NamedTuple):
    """The identity of a model. Two folders can have models of the same name."""

    name: str
    folder: str


class _EdgeKey(NamedTuple):
    """The identity of an edge: two models and a file of the parent."""

    model: _ModelKey
    parent: _ModelKey
    path: str


def read_graph(project: Project) -> Graph:
    """Read which model inherits from which, from the imports of the modular files.

    Modular files that cannot be read have no parents in the graph.
    """
    modular_files = {_modular_key(path): path for path in project.modular_files}
    imported_names: dict[_EdgeKey, set[str]] = {}
    model_imports = _read_model_imports(project, modular_files.values())
    for modular, import_, path in model_imports:
        edge_key = _EdgeKey(_modular_key(modular), _parent_key(project, path), path)
        names = imported_names.setdefault(edge_key, set())
        names.update(alias.name for alias in import_.names)

    model_keys = set(modular_files)
    model_keys.update(edge_key.parent for edge_key in imported_names)
    # The name that is shown for a model depends on whether another one has the same name.
    shown_names = _choose_shown_names(model_keys)
    models = []
    for model_key in model_keys:
        # A parent that is written by hand has no modular file.
        modular = modular_files.get(model_key, "")
        models.append(Model(shown_names[model_key], modular))
    edges = []
    for edge_key, edge_names in imported_names.items():
        edge = Edge(
            model=shown_names[edge_key.model],
            parent=shown_names[edge_key.parent],
            path=edge_key.path,
            names=tuple(sorted(edge_names)),
        )
        edges.append(edge)
    return Graph(tuple(sorted(models)), tuple(sorted(edges)))


def _choose_shown_names(keys: Collection[_ModelKey]) -> dict[_ModelKey, str]:
    """Return the name that the graph shows for each model.

    Models that share a name are shown with their folder: `models/llama`.
    """
    counts = Counter(key.name for key in keys)
    shown_names = {}
    for key in keys:
        name = key.name
        if counts[name] == 1:
            shown_names[key] = name
        elif PurePosixPath(key.folder).name == name:
            shown_names[key] = key.folder
        else:
            shown_names[key] = f"{key.folder}/{name}"
    return shown_names


def find_unreadable_files(project: Project) -> list[Diagnostic]:
    """Return a diagnostic for each modular file with a syntax error or read error."""
    problems = []
    for modular in project.modular_files:
        loaded = project.load(modular, {})
        problem = loaded.problem or syntax_problem(loaded.text, modular)
        if problem is not None:
            problems.append(problem)
    return problems


def _read_model_imports(
    project: Project, modular_files: Iterable[str]
) -> Iterator[tuple[str, Import, str]]:
    """Yield the imports of modular files from files of other models.

    Yields:
        The path of the modular file, the import, and the path of the parent file.
    """
    module_by_path = {}
    expected_files: set[str] = set()
    for modular in modular_files:
        module = modules.read(modular, project.load(modular, {}).text)
        module_by_path[modular] = module
        expected_files.update(_expected_outputs(project, module))

    def exists(path: str) -> bool:
        """Whether a file exists, or will be generated."""
        return path in expected_files or project.has_file(path)

    for modular, module in module_by_path.items():
        for import_ in module.imports:
            paths = parent_files_of(project, modular, import_)
            parent_path = choose_parent_file(paths, exists)
            if parent_path is None:
                continue
            # Names that stay imported make no model inherit from another.
            keeps_others = project.settings.keeps_model_imports
            inlined = inlined_part(module, import_, keeps_others)
            if inlined is not None:
                yield modular, inlined, parent_path


def _expected_outputs(project: Project, modular: Module) -> tuple[str, ...]:
    """Return the files that a modular file generates, judged by the names of its classes."""
    classes = []
    for statement in modular.block.statements:
        if statement.kind is Kind.CLASS:
            classes.append(statement.name)
    return project.expected_outputs(modular.path, classes)


def _modular_key(modular: str) -> _ModelKey:
    """Return the identity of the model of a modular file."""
    return _ModelKey(model_name(modular), str(PurePosixPath(modular).parent))


def _parent_key(project: Project, path: str) -> _ModelKey:
    """Return the identity of the model that a parent file belongs to.

    If a modular file generates the parent file, this is the model of the modular file.
    Otherwise the name of the parent file names the model.
    """
    modular = project.generating_modular(path)
    if modular is not None:
        return _modular_key(modular)
    file = PurePosixPath(path)
    model = project.settings.file_names.model_of(file.stem)
    return _ModelKey(model, str(file.parent))
