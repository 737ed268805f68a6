"""Which modular files a change can affect, told from paths and import statements alone."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from modular.project.project import Project
from modular.rules.files import file_types
from modular.run.mirror import CONFIGS, settings_files


_IMPORT = re.compile(r"from[\s\\]*+(\.*+)[\s\\]*+(\w[\w.]{1,500}+)[\s\\]++import\b")
"""Import statements, and whatever looks like one: a model too many does no harm, one too few would.

The bounds are for sources that are made to take forever.
"""


def affected(project: Project, changed: Iterable[str]) -> tuple[str, ...]:
    """Return, sorted, the modular files whose results may differ since files changed, came or went.

    ``changed`` are paths relative to the root. Affected are the models of the changed files, and all that inherit from
    them, directly or not. The settings and the table of cased names affect every model, a formatter's settings those below
    their folder. Where there is no such table, a configuration class is taken to affect its own model and those that
    inherit from it.
    """
    paths = frozenset(changed)
    if not paths.isdisjoint(project.name_files):
        return project.modular_files
    configured = {str(PurePosixPath(path).parent) for path in paths if PurePosixPath(path).name in CONFIGS}
    if any(folder.startswith("..") for folder in configured):
        return project.modular_files
    found = {modular for modular in project.modular_files if configured and _is_below(project, modular, configured)}
    found |= _formatted_by(
        project, {os.path.normpath(project.root / path) for path in paths if not path.endswith(".py")}
    )
    if len(found) < len(project.modular_files):
        parents = parent_paths(project)
        found |= {modular for modular in project.modular_files if modular in paths or parents[modular] & paths}
        found |= {modular for path in paths if (modular := project.generator(path)) is not None}
        found = _with_children(found, parents)
    return tuple(sorted(found))


def parent_paths(project: Project) -> dict[str, frozenset[str]]:
    """Return, for each modular file, where its parent files may be, and the modular files that they are generated from."""
    return {modular: frozenset(_parents(project, modular)) for modular in project.modular_files}


def _is_below(project: Project, modular: str, folders: set[str]) -> bool:
    """Whether what is generated from a modular file stands below one of some folders."""
    return any(str(folder) in folders for folder in PurePosixPath(project.output_path(modular, "")).parents)


def _formatted_by(project: Project, changed: set[str]) -> set[str]:
    """The modular files for whose outputs a changed file is among the formatter's settings, by `extend` perhaps."""
    folders: dict[str, list[str]] = {}
    for modular in project.modular_files if changed else ():
        folders.setdefault(str(PurePosixPath(project.output_path(modular, "")).parent), []).append(modular)
    return {
        modular
        for folder, modulars in folders.items()
        if any(os.path.normpath(file) in changed for file in settings_files(project.root, folder))
        for modular in modulars
    }


def _parents(project: Project, modular: str) -> Iterator[str]:
    """Where a modular file's parent files may be, what a library's names are read from, and the parents' modular files."""
    try:
        text = (project.root / modular).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for dots, module in set(_IMPORT.findall(text)):
        if file_types.of_file(module.rpartition(".")[2], project.settings) is None:
            continue
        for path in project.resolve_module(modular, len(dots), module):
            yield path
            if (library := project.library_of(path)) is not None:
                yield from library.name_files
            if (generator := project.generator(path)) is not None:
                yield generator


def _with_children(found: set[str], parents: Mapping[str, frozenset[str]]) -> set[str]:
    """Add the models that inherit from those found, until there are no more."""
    children: dict[str, set[str]] = {}
    for modular, its_parents in parents.items():
        for parent in its_parents:
            children.setdefault(parent, set()).add(modular)
    waiting, seen = list(found), set(found)
    while waiting:
        new = children.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen
