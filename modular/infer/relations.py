"""Which models may be a model's parents: no model can become its own ancestor."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from modular.cache.inputs import Inputs
from modular.project.library import Library
from modular.project.project import Project
from modular.settings.settings import MODELS
from modular.source.loading import LARGEST
from modular.source.walking import inverted, walk
from modular.system.reading import read_bytes


_IMPORT = re.compile(r"from[ \t]+\.[\w.]*\b(\w+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NO_YEAR = "9999"
"""Later than any."""


@dataclass(frozen=True)
class Relations:
    """From which folders the models of each folder take something."""

    parents: Mapping[str, frozenset[str]]

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        return inverted(self.parents)

    def with_dependents(self, folders: Iterable[str]) -> set[str]:
        """Return some folders and all that take something from them, directly or not."""
        return set(walk(folders, lambda parent: self._children.get(parent, ())))

    def uses(self, left_out: Collection[str]) -> Counter[str]:
        """Count for each folder how many others take something from it, those aside that are left out."""
        counts: Counter[str] = Counter()
        for folder, parents in self.parents.items():
            if folder not in left_out:
                counts.update(parents - {folder})
        return counts

    def precedence(self, years: Mapping[str, str]) -> dict[str, tuple[int, str, str]]:
        """Sort folders, which are given with the years of their files: ancestors of many models first, then old ones."""
        return {
            folder: (-len(self.with_dependents([folder])), year, folder)
            for folder, year in years.items()
        }


def read_relations(project: Project, asked_for: str | None = None) -> Relations:
    """Read who takes what from whom out of the modular files of a project, and of its source library if that counts.

    It does where `indexed_projects` says so.
    """
    parents_of: dict[str, set[str]] = {}
    for counted in indexed_projects(project, asked_for):
        for modular, paths in Inputs(counted).parents.items():
            folders = {path.rpartition("/")[0] or "." for path in paths}
            parents_of.setdefault(counted.output_folder(modular), set()).update(folders)
    return Relations(
        {folder: frozenset(parents) for folder, parents in parents_of.items()}
    )


@lru_cache(maxsize=1)
def indexed_projects(project: Project, asked_for: str | None) -> tuple[Project, ...]:
    """Return the project and, if its models count, the source library as a project of its own with the same paths.

    They count if the library was ``asked_for``, or the project takes from it or has no models.
    """
    library = project.library
    if library is None or not library.is_found:
        return (project,)
    parents = (path for paths in Inputs(project).parents.values() for path in paths)
    takes = any(project.library_of(path) is not None for path in parents)
    counts = asked_for is not None or takes or not project.files_of_models()
    return (project, _as_project(library)) if counts else (project,)


def _as_project(library: Library) -> Project:
    place = (
        library.folder
        if library.folder.name == library.prefix
        else library.folder.resolve()
    )
    models = f"{library.prefix}/{MODELS}"
    packages = {models: f"{library.name}.{MODELS}"}
    root = place.parents[library.prefix.count("/")]
    return Project(
        root, replace(library.settings, models=(models,), packages=packages, output="")
    )


@lru_cache(maxsize=1)
def imported_names(project: Project) -> frozenset[tuple[str, str]]:
    """Return what files of a project's models import from other ones: that file's name without its ending, and the name there."""
    imports: set[tuple[str, str]] = set()
    for path in project.files_of_models():
        with suppress(OSError):
            imports.update(
                _IMPORT.findall(
                    read_bytes(project.locate(path), LARGEST).decode(errors="replace")
                )
            )
    return frozenset(
        (stem, name) for stem, names in imports for name in _WORD.findall(names)
    )


def year(heading: str) -> str:
    """The first year that a file's heading names."""
    match = _YEAR.search(heading)
    return match.group() if match else NO_YEAR
