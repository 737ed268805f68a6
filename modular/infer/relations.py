"""Which models may be a model's parents: no model can become its own ancestor."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from modular.cache.inputs import Inputs
from modular.project.library import Library
from modular.project.project import Project
from modular.rules.settings import MODELS
from modular.source.walking import walk


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NO_YEAR = "9999"
"""Later than any."""


@dataclass(frozen=True)
class Relations:
    """From which folders the models of each folder take something."""

    parents: Mapping[str, frozenset[str]]

    @cached_property
    def _children(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for folder, parents in self.parents.items():
            for parent in parents - {folder}:
                found.setdefault(parent, set()).add(folder)
        return found

    def with_dependents(self, folder: str) -> set[str]:
        """Return a folder and all that take something from it, directly or not."""
        return set(walk([folder], lambda each: self._children.get(each, ())))

    def uses(self, left_out: Collection[str]) -> Counter[str]:
        """Count for each folder how many others take something from it, those aside that are left out."""
        found: Counter[str] = Counter()
        for folder, parents in self.parents.items():
            if folder not in left_out:
                found.update(parents - {folder})
        return found

    def precedence(self, years: Mapping[str, str]) -> dict[str, tuple[int, str, str]]:
        """Sort folders, which are given with the years of their files: ancestors of many models first, then old ones."""
        return {folder: (-len(self.with_dependents(folder)), year, folder) for folder, year in years.items()}


def read_relations(project: Project, asked_for: str | None = None) -> Relations:
    """Read who takes what from whom out of the modular files of a project, and of its source library if that counts.

    It does where `with_library` says so.
    """
    found = _own(project)
    if project.library is not None and with_library(project, asked_for):
        found |= _of_library(project.library)
    return Relations({folder: frozenset(parents) for folder, parents in found.items()})


def _own(project: Project) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for modular, paths in Inputs(project).parents.items():
        folders = {path.rpartition("/")[0] or "." for path in paths}
        found.setdefault(project.output_path(modular, "").rpartition("/")[0] or ".", set()).update(folders)
    return found


def with_library(project: Project, asked_for: str | None) -> bool:
    """Whether models of the source library count: where it was ``asked_for``, the project takes from it, or has no models."""
    if project.library is None or not project.library.is_found:
        return False
    if asked_for is not None or not any(
        any((project.root / models_folder).glob("*/*.py")) for models_folder in project.models_folders
    ):
        return True
    paths = (path for paths in Inputs(project).parents.values() for path in paths)
    return any(project.library_of(path) is not None for path in paths)


def _of_library(library: Library) -> dict[str, set[str]]:
    """The folders from which the models of a library take something: the library is read as a project of its own."""
    name = library.folder.name
    settings = replace(library.settings, models=(f"{name}/{MODELS}",), package=f"{name}.{MODELS}", output="")
    found = _own(Project(library.folder.parent, settings))
    return {
        f"{library.prefix}{folder.removeprefix(name)}": {
            f"{library.prefix}{each.removeprefix(name)}" for each in parents
        }
        for folder, parents in found.items()
    }


def year(heading: str) -> str:
    """The first year that a file's heading names."""
    found = _YEAR.search(heading)
    return found.group() if found else NO_YEAR
