"""Tells which models inherit from which, so that no model becomes its own ancestor."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from modular.cache.inputs import Inputs, uses_library
from modular.project.library import Library
from modular.project.project import Project
from modular.settings.settings import MODELS
from modular.source.loading import MAX_SOURCE_BYTES
from modular.source.walking import inverted, walk
from modular.system.reading import read_bytes


_IMPORT = re.compile(r"from[ \t]+\.[\w.]*\b(\w+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NO_YEAR = "9999"
"""Stands for an unknown year. It sorts last."""


@dataclass(frozen=True)
class Relations:
    """Maps each folder with models to the folders that these inherit from."""

    parents: Mapping[str, frozenset[str]]

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        return inverted(self.parents)

    def with_dependents(self, folders: Iterable[str]) -> set[str]:
        """Return folders, and all that inherit from them directly or indirectly."""
        return set(walk(folders, lambda parent: self._children.get(parent, ())))

    def count_children(self, excluded: Collection[str]) -> Counter[str]:
        """Return for each folder how many other folders inherit from it.

        Args:
            excluded: Folders that do not count as children.
        """
        counts: Counter[str] = Counter()
        for folder, parents in self.parents.items():
            if folder not in excluded:
                counts.update(parents - {folder})
        return counts


def read_relations(project: Project, source_library: str | None = None) -> Relations:
    """Return which models inherit from which, as the imports of modular files say.

    A model is identified by its folder, such as `models/llama`.

    Args:
        project: The project.
        source_library: The library that the user named, if any.
    """
    parents: dict[str, frozenset[str]] = {}
    for indexed in indexed_projects(project, source_library):
        for modular, paths in Inputs(indexed).parents.items():
            folder = indexed.output_home(modular)
            parent_folders = {indexed.model_home(path) for path in paths}
            parents[folder] = parents.get(folder, frozenset()) | parent_folders
    return Relations(parents)


@lru_cache(maxsize=1)
def indexed_projects(
    project: Project, source_library: str | None
) -> tuple[Project, ...]:
    """Return the projects whose models can be parents.

    The project itself is the first. Its source library, opened as a project, is the
    second if it is installed and the project uses it.

    Args:
        project: The project.
        source_library: The library that the user named, if any.
    """
    library = project.library
    if library is None or not library.is_found:
        return (project,)
    if uses_library(project, source_library):
        return (project, _as_project(library))
    return (project,)


def _as_project(library: Library) -> Project:
    """Return an installed library as a project of its own.

    Its model files have the same paths as if they were files of the user's project,
    such as `transformers/models/llama/modeling_llama.py`.
    """
    root = _folder_above_prefix(library)
    models = f"{library.prefix}/{MODELS}"
    settings = replace(
        library.settings,
        models=(models,),
        packages={models: f"{library.name}.{MODELS}"},
        file_names=replace(library.settings.file_names, has_model_folders=True),
        output="",
    )
    return Project(root, settings)


def _folder_above_prefix(library: Library) -> Path:
    """Return the folder to which the paths of a library's files are relative.

    For the library in `/code/src/transformers`, whose files have paths that begin with
    the prefix `src/transformers`, this is `/code`.
    """
    folder = library.folder
    is_installed = folder.name == library.prefix
    if not is_installed:
        # It is in the user's project, and its path without links ends with the prefix.
        folder = folder.resolve()
    further_steps_up = library.prefix.count("/")
    return folder.parents[further_steps_up]


@lru_cache(maxsize=1)
def imported_names(project: Project) -> frozenset[tuple[str, str]]:
    """Return what the model files of a project import from other files.

    For `from .modeling_llama import LlamaMLP`, this is `("modeling_llama", "LlamaMLP")`.
    """
    stems_and_names: set[tuple[str, str]] = set()
    for path in project.files_of_models():
        try:
            data = read_bytes(project.locate(path), MAX_SOURCE_BYTES)
        except OSError:
            continue
        text = data.decode(errors="replace")
        for stem, imported in _IMPORT.findall(text):
            for name in _WORD.findall(imported):
                stems_and_names.add((stem, name))
    return frozenset(stems_and_names)


def first_year(heading: str) -> str:
    """Return the first year that the heading of a file names, or `NO_YEAR`."""
    match = _YEAR.search(heading)
    return match.group() if match else NO_YEAR
