"""Everything that a result depends on: the one place that says which files those are.

The cache takes digests of them, `affected` compares them with what has changed, `watch` looks at them, and dependency files
list them. All paths are relative to the project's root, with ``/``; those above it begin with ``..``.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from modular.format.formatter_config import CONFIGS, Surroundings
from modular.project.naming import configuration_files
from modular.project.project import Project
from modular.rules.files import file_types
from modular.source.import_statements import mentioned
from modular.source.loading import LARGEST
from modular.source.system.reading import read_bytes


@dataclass(frozen=True)
class Inputs:
    """What the results of a project's modular files depend on. Each is looked at once."""

    project: Project

    @cached_property
    def surroundings(self) -> Surroundings:
        """What the formatter sees around the generated files."""
        return Surroundings(self.project.root)

    @cached_property
    def naming(self) -> tuple[str, ...]:
        """The files that say how models are called: the table's, else those with configuration classes."""
        if self.project.name_files:
            return self.project.name_files
        folders = [self.project.root / folder for folder in self.project.models_folders]
        return tuple(file.relative_to(self.project.root).as_posix() for file in configuration_files(folders))

    @cached_property
    def parents(self) -> dict[str, frozenset[str]]:
        """For each modular file, where its parent files may be, and the modular files that they are generated from."""
        return {modular: frozenset(self._parents(modular)) for modular in self.project.modular_files}

    def _parents(self, modular: str) -> Iterator[str]:
        """Those that its names are read from belong to a library's parent files."""
        try:
            text = read_bytes(self.project.root / modular, LARGEST).decode(errors="replace")
        except OSError:
            return
        for level, module in mentioned(text):
            if file_types.of_file(module.rpartition(".")[2], self.project.settings) is None:
                continue
            for path in self.project.resolve_module(modular, level, module):
                yield path
                if (library := self.project.library_of(path)) is not None:
                    yield from library.name_files
                if (generator := self.project.generator(path)) is not None:
                    yield generator

    def of_result(self, folder: str, reads: Iterable[str]) -> set[str]:
        """Return all files that what is generated into a folder depends on; ``reads`` were read for it.

        Where no table says how models are called, the configuration classes beside what was read do.
        """
        read = set(reads)
        beside = {_folder(path) for path in read}
        has_table = bool(self.project.name_files)
        named_by = {path for path in self.naming if has_table or _folder(path) in beside}
        return {*read, *named_by, *self.settings(folder)}

    @cached_property
    def all(self) -> frozenset[str]:
        """All files that any result depends on or may depend on, whether they are there or not."""
        parents = (path for paths in self.parents.values() for path in paths)
        return frozenset({*self.project.modular_files, *parents, *self.all_settings, *self.naming})

    def affects_all(self, changed: Iterable[str]) -> bool:
        """Whether a change of some files affects every result: of the table of names, or of settings above the root."""
        paths = set(changed)
        return not paths.isdisjoint(self.project.name_files) or any(
            folder.startswith("..") for folder in self.configured(paths)
        )

    def configured(self, changed: Iterable[str]) -> set[str]:
        """The folders whose settings are, or were, in some of the files: they hold for all that is below."""
        return {str(PurePosixPath(path).parent) for path in changed if PurePosixPath(path).name in CONFIGS}

    def settings(self, folder: str) -> tuple[str, ...]:
        """The files that decide how files of a folder are formatted; the project's own settings are among them."""
        found = (os.path.relpath(file, self.project.root) for file in self.surroundings.settings(folder))
        return tuple(Path(path).as_posix() for path in found)

    @cached_property
    def all_settings(self) -> frozenset[str]:
        """Where settings are or may be: from the models' and output folders upwards."""
        folders = [PurePosixPath(each) for each in (*self.project.models_folders, self.project.settings.output)]
        places = {place for folder in folders for place in (folder, *folder.parents)}
        existing = {path for folder in folders for path in self.settings(str(folder))}
        return frozenset(existing | {str(place / name) for place in places for name in CONFIGS})


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
