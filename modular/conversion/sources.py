"""The files that conversions read: modular files and parent files, each read and scanned once."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath

from modular.project.project import Project, model_name
from modular.rules.names.renaming import ModelNameForms
from modular.rules.reading.library_imports import make_imports_absolute
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import Import
from modular.source.loading import Loaded, read_module, syntax_problem
from modular.source.module import Module
from modular.source.places import place_of_module


class Sources:
    """The files of a project that conversions read.

    ``overlay`` holds the texts of files that were generated in the same run, by path; they count before those on disk.
    """

    def __init__(self, project: Project, overlay: Mapping[str, str]) -> None:
        self.project = project
        self.overlay = dict(overlay)
        self._parents: dict[str, ParentSource] = {}
        self._modules: dict[str, Module | Diagnostic] = {}

    def refresh(self, path: str, text: str | None) -> None:
        """Take a fresh text for a file from now on; None: what is on disk."""
        self._parents.pop(path, None)
        self._modules.pop(path, None)
        self.overlay.pop(path, None)
        if text is not None:
            self.overlay[path] = text

    def load(self, path: str) -> Loaded:
        """Read a file: the fresh text if it was just generated, else what is on disk."""
        return self.project.load(path, self.overlay)

    def exists(self, path: str) -> bool:
        """Whether a file is on disk or was just generated."""
        return path in self.overlay or self.project.locate(path).is_file()

    def read(self, path: str, text: str | None = None) -> ModularFile | None:
        """Return a modular file, unchecked, with another text if one is given; None if it cannot be read."""
        loaded = self.load(path) if text is None else Loaded(text)
        module = read_module(path, loaded)
        if isinstance(module, Diagnostic) and module.code is Problem.SYNTAX_ERROR:
            module = modules.read(path, loaded.text)  # half typed
        return None if isinstance(module, Diagnostic) else self.modular_file(module)

    def place_of_import(self, path: str, parent: str) -> Place:
        """Return where a modular file imports from what another one generates."""
        for import_ in modules.read(path, self.load(path).text).imports:
            if any(
                self.project.generator(candidate) == parent
                for candidate in self.project.resolve(path, import_)
            ):
                return place_of_module(import_)
        return Place(path)

    def modular_file(self, module: Module) -> ModularFile:
        """Return a modular file as the rules see it."""

        def parent_path(statement: Import) -> str | None:
            paths = self.project.resolve(module.path, statement)
            return next(
                (path for path in paths if self.exists(path)),
                paths[0] if paths else None,
            )

        model, find_own_module = (
            model_name(module.path),
            partial(self.project.find_own_module, module.path),
        )
        return ModularFile(
            module, model, self.project.names.cased(model), parent_path, find_own_module
        )

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, scanned; one that cannot be read is empty."""
        if path not in self._parents:
            model = PurePosixPath(path).parent.name
            settings = self.project.settings
            cased = self.project.names_of(path).cased(model)
            name_forms = ModelNameForms(
                model, cased, settings.keep_names, settings.all_file_types
            )
            module = self.scanned(path) or modules.read(path, "")
            library = self.project.library_of(path)
            if library is not None:
                module, name_forms = make_imports_absolute(
                    module, library.package(path), name_forms
                )
            self._parents[path] = ParentSource(module, name_forms)
        return self._parents[path]

    def scanned(self, path: str) -> Module | None:
        """Return a file, scanned once; None if it cannot be read."""
        module = self._read_once(path)
        return None if isinstance(module, Diagnostic) else module

    def problem(self, path: str) -> Diagnostic | None:
        """Return why a file cannot be read; None if it can."""
        module = self._read_once(path)
        return module if isinstance(module, Diagnostic) else None

    def _read_once(self, path: str) -> Module | Diagnostic:
        if path not in self._modules:
            self._modules[path] = read_module(path, self.load(path))
        return self._modules[path]

    def broken(self, paths: Iterable[str]) -> list[Diagnostic]:
        """Say which parent files are not Python. That is only asked where something else went wrong: most are."""
        texts = {
            path: self._parents[path].module.code.text
            for path in paths
            if path in self._parents
        }
        return [
            problem
            for path, text in texts.items()
            if (problem := syntax_problem(text, path)) is not None
        ]
