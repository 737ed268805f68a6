"""Which modular files a change can affect, told from paths and import statements alone."""

import os
from collections.abc import Iterable

from modular.cache.inputs import Inputs
from modular.project.project import Project
from modular.source.walking import inverted, walk


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
    settings = {os.path.normpath(path) for path in paths if not path.endswith(".py")}
    parents = inputs.parents
    changed_models = {project.generator(path) for path in paths}
    own = {
        modular
        for modular in project.modular_files
        if modular in paths
        or modular in changed_models
        or not parents[modular].isdisjoint(paths)
        or (settings and not settings.isdisjoint(inputs.possible_settings(project.output_folder(modular))))
    }
    children = inverted(parents)
    return tuple(sorted(walk(own, lambda modular: children.get(modular, ()))))
