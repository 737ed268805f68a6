"""Which modular files a change can affect, told from paths and import statements alone."""

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from modular.cache.inputs import Inputs
from modular.project.project import Project
from modular.source.walking import walk


def affected(project: Project, changed: Iterable[str]) -> tuple[str, ...]:
    """Return, sorted, the modular files whose results may differ since files changed, came or went.

    ``changed`` are paths relative to the root. Affected are the models of the changed files, and all that inherit from
    them, directly or not. The settings and the table of cased names affect every model, a formatter's settings those below
    their folder. Where there is no such table, a configuration class is taken to affect its own model and those that
    inherit from it.
    """
    paths = frozenset(changed)
    inputs = Inputs(project)
    if inputs.affects_all(paths):
        return project.modular_files
    configured = inputs.configured(paths)
    found = {
        modular
        for modular in project.modular_files
        if configured and _is_below(project.output_folder(modular), configured)
    }
    found |= _formatted_by(inputs, {os.path.normpath(path) for path in paths if not path.endswith(".py")})
    if len(found) < len(project.modular_files):
        parents = inputs.parents
        found |= {modular for modular in project.modular_files if modular in paths or parents[modular] & paths}
        found |= {modular for path in paths if (modular := project.generator(path)) is not None}
        found = _with_children(found, parents)
    return tuple(sorted(found))


def _is_below(output_folder: str, folders: set[str]) -> bool:
    """Whether a folder of generated files is one of some folders, or stands below one."""
    path = PurePosixPath(output_folder)
    return any(str(folder) in folders for folder in (path, *path.parents))


def _formatted_by(inputs: Inputs, changed: set[str]) -> set[str]:
    """The modular files for whose outputs a changed file is among the formatter's settings, by `extend` perhaps."""
    folders: dict[str, list[str]] = {}
    for modular in inputs.project.modular_files if changed else ():
        folders.setdefault(inputs.project.output_folder(modular), []).append(modular)
    return {
        modular
        for folder, modulars in folders.items()
        if not changed.isdisjoint(inputs.settings(folder))
        for modular in modulars
    }


def _with_children(found: set[str], parents: Mapping[str, frozenset[str]]) -> set[str]:
    """Add the models that inherit from those found, until there are no more."""
    children: dict[str, set[str]] = {}
    for modular, its_parents in parents.items():
        for parent in its_parents:
            children.setdefault(parent, set()).add(modular)
    return set(walk(found, lambda modular: children.get(modular, ())))
