"""Everything that a result depends on: the one place that says which files those are.

The cache takes digests of them, `affected` compares them with what has changed, `watch` looks at them, and dependency files
list them. All paths are relative to the project's root, with ``/``; those above it begin with ``..``.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from modular.format.formatter_config import CONFIGS, FormatterConfig
from modular.project.naming import configuration_files
from modular.project.project import Project
from modular.source.import_statements import absolute_modules, mentioned, relative_stem
from modular.source.walking import inverted, walk


class Inputs:
    """What the results of a project's modular files depend on. Each is looked at once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.formatter_config = FormatterConfig(project.root)
        self._parent_files: dict[str, tuple[str, ...]] = {}
        self._modules: dict[str, set[str]] = {}

    @cached_property
    def choices(self) -> str:
        """What every result depends on besides files that are read for it, as JSON.

        That are the settings, some of which the command line may give, where models and libraries are, and how models are
        called where no table says so.
        """
        project, library = self.project, self.project.library
        names = {} if project.name_files else dict(project.names.table)
        library_files = (
            library.name_files if library is not None and library.is_found else ()
        )
        values = [
            asdict(project.settings),
            project.models_folders,
            names,
            library_files,
        ]
        return json.dumps(values, sort_keys=True, default=sorted)

    @cached_property
    def naming(self) -> tuple[str, ...]:
        """The files that say how models are called: the table's, else those with configuration classes."""
        if self.project.name_files:
            return self.project.name_files
        folders = [self.project.root / folder for folder in self.project.models_folders]
        return tuple(
            file.relative_to(self.project.root).as_posix()
            for file in configuration_files(folders)
        )

    def parent_files(self, modular: str) -> tuple[str, ...]:
        """Return where the parent files that a modular file names may be."""
        if modular not in self._parent_files:
            modules = mentioned(self.project.load(modular, {}).text)
            paths = (
                path
                for level, module in modules
                for path in self.project.resolve_module(modular, level, module)
            )
            self._parent_files[modular] = tuple(dict.fromkeys(paths))
        return self._parent_files[modular]

    @cached_property
    def parents(self) -> dict[str, frozenset[str]]:
        """For each modular file, where its parent files may be, and the modular files that they are generated from.

        The files that its names are read from belong to a library's parent files.
        """
        return {
            modular: frozenset(self._parents(modular))
            for modular in self.project.modular_files
        }

    def _parents(self, modular: str) -> Iterator[str]:
        for path in self.parent_files(modular):
            yield path
            if (library := self.project.library_of(path)) is not None:
                yield from library.name_files
            if (generator := self.project.generator(path)) is not None:
                yield generator
        yield from self._files_of_imported_folders(modular)

    def _files_of_imported_folders(self, modular: str) -> Iterator[str]:
        """Yield the model files of folders that are imported as a whole, which lint rules read."""
        for level, module in mentioned(self.project.load(modular, {}).text):
            folder = relative_stem(modular, level, module)
            if folder is None or not self.project.is_model_folder(folder):
                continue
            name = PurePosixPath(folder).name
            for file_type in self.project.settings.all_file_types:
                if (
                    f"{name}.{file_type}_{name}"
                    not in self.project.settings.ordinary_imports
                ):
                    yield f"{folder}/{file_type}_{name}.py"

    def of_modular(self, modular: str) -> tuple[str, ...]:
        """Return the files that a modular file's result depends on whatever its parents are."""
        return (
            modular,
            *self.project.name_files,
            *self.settings(self.project.output_folder(modular)),
        )

    def of_result(self, folder: str, reads: Iterable[str]) -> set[str]:
        """Return all files that what is generated into a folder depends on; ``reads`` were read for it.

        Where no table says how models are called, the configuration classes beside what was read do.
        """
        read = set(reads)
        beside = {os.path.dirname(path) for path in read}
        has_table = bool(self.project.name_files)
        named_by = {
            path for path in self.naming if has_table or os.path.dirname(path) in beside
        }
        return {*read, *named_by, *self.settings(folder)}

    @cached_property
    def all(self) -> frozenset[str]:
        """All files that any result depends on or may depend on, whether they are there or not."""
        parents = (path for paths in self.parents.values() for path in paths)
        folders = (*self.project.models_folders, self.project.settings.output)
        settings = (
            path for folder in folders for path in self.possible_settings(folder)
        )
        return frozenset(
            {*self.project.modular_files, *parents, *settings, *self.naming}
        )

    def settings(self, folder: str) -> tuple[str, ...]:
        """The files that decide how files of a folder are formatted; the project's own settings are among them."""
        paths = (
            os.path.relpath(file, self.project.root)
            for file in self.formatter_config.settings(folder)
        )
        return tuple(Path(path).as_posix() for path in paths)

    def possible_settings(self, folder: str) -> set[str]:
        """The files that decide how files of a folder are formatted, and those that might if they were there, from it upwards."""
        path = PurePosixPath(folder)
        possible = (
            str(place / name) for place in (path, *path.parents) for name in CONFIGS
        )
        return {*possible, *self.settings(folder)}

    def source_folders(self, modular: str) -> tuple[str, ...]:
        """Return the folders in which ruff searches for first-party modules of a modular file's output."""
        if self.project.settings.formatter != "ruff":
            return ()
        return self.formatter_config.source_folders(self.project.output_folder(modular))

    def imported_modules(self, modular: str) -> set[str]:
        """Return the modules that the output of a modular file may import, with the packages that they are in."""
        names = set()
        for path in (modular, *self.parent_files(modular)):
            for module in self._absolute_modules(path):
                names.update([module, module.partition(".")[0]])
        return names

    def _absolute_modules(self, path: str) -> set[str]:
        if path not in self._modules:
            self._modules[path] = absolute_modules(self.project.load(path, {}).text)
        return self._modules[path]


class _ModuleChanges:
    """The first-party modules that came or went when files changed, as far as that can be told afterwards."""

    def __init__(self, inputs: Inputs, changed: frozenset[str]) -> None:
        self._inputs = inputs
        self._root = inputs.project.root
        self._changed = changed
        self._parents = {
            str(parent) for path in changed for parent in PurePosixPath(path).parents
        }
        self._modules: dict[tuple[str, ...], set[str]] = {}

    def affect(self, modular: str) -> bool:
        """Whether a modular file's output may import one of these modules, so that its imports are sorted differently."""
        if self._inputs.project.settings.formatter != "ruff":
            return False
        folder = self._inputs.project.output_folder(modular)
        patterns = self._inputs.formatter_config.source_patterns(folder)
        if patterns not in self._modules:
            self._modules[patterns] = self._find_modules(patterns)
        modules = self._modules[patterns]
        return bool(modules) and not modules.isdisjoint(
            self._inputs.imported_modules(modular)
        )

    def _find_modules(self, patterns: Iterable[str]) -> set[str]:
        """Return the modules below the folders that match some patterns."""
        stems = set(filter(self._is_new, self._parents))
        for path in self._changed:
            stem, suffix = os.path.splitext(path)
            if suffix in (".py", ".pyi"):
                stems.add(stem)

        modules = set()
        for stem in stems:
            place = PurePosixPath(stem)
            for folder in place.parents:
                if any(fnmatchcase(str(folder), pattern) for pattern in patterns):
                    modules.add(".".join(place.relative_to(folder).parts))
        return modules

    def _is_new(self, folder: str) -> bool:
        """Whether a folder that holds changed files came or went with them: nothing else is in it."""
        try:
            names = os.listdir(self._root / folder)
        except OSError:
            return True
        inside = {str(PurePosixPath(folder, name)) for name in names}
        return inside <= self._changed | self._parents


def affected(project: Project, changed: Iterable[str]) -> tuple[str, ...]:
    """Return, sorted, the modular files whose results may differ since files changed, came or went.

    ``changed`` are paths relative to the root. Affected are the models of the changed files, and all that inherit from
    them, directly or not. The settings and the table of cased names affect every model, a formatter's settings those below
    their folder, and a module of the project those that may import it, because it decides how imports are sorted. Where there is no such table, a configuration class is taken to affect its own model and those that
    inherit from it.
    """
    paths = frozenset(changed)
    inputs = Inputs(project)
    above = {PurePosixPath(path).name for path in paths if path.startswith("..")}
    if not (paths.isdisjoint(project.name_files) and above.isdisjoint(CONFIGS)):
        return project.modular_files
    parents = inputs.parents
    models = paths | {project.generator(path) for path in paths}
    module_changes = _ModuleChanges(inputs, paths)
    own = {
        modular
        for modular in project.modular_files
        if modular in models
        or not parents[modular].isdisjoint(paths)
        or not inputs.possible_settings(project.output_folder(modular)).isdisjoint(
            paths
        )
        or module_changes.affect(modular)
    }
    children = inverted(parents)
    return tuple(sorted(walk(own, lambda modular: children.get(modular, ()))))
