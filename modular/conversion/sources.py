"""Reads the modular files and parent files of a project, each once."""

from collections.abc import Iterable, Mapping
from functools import partial

from modular.project.project import Project, model_name
from modular.rules.names.renaming import ModelNameForms
from modular.rules.reading.library_imports import make_imports_absolute
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.semantics.imports import (
    choose_parent_file,
    parent_files_of,
    sibling_module,
)
from modular.semantics.resolver import Resolver
from modular.source import module as modules
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import Import
from modular.source.loading import Loaded, read_module, syntax_problem
from modular.source.module import Module
from modular.source.places import place_of_module


class Sources:
    """The files of a project that conversions read.

    Attributes:
        project: The project.
        overlay: Texts that are read instead of the files on disk, by path: generated in
            the same run, or edited but not saved.
    """

    def __init__(self, project: Project, overlay: Mapping[str, str]) -> None:
        self.project = project
        self.overlay = dict(overlay)
        self._parents: dict[str, ParentSource] = {}
        self._modules: dict[str, Module | Diagnostic] = {}
        self._resolver: Resolver | None = None

    def refresh(self, path: str, text: str | None) -> None:
        """Replace the text of a file, and forget what was read from it before.

        Args:
            path: The path of the file.
            text: The new text; None if the file on disk counts again.
        """
        self._parents.pop(path, None)
        self._modules.pop(path, None)
        self._resolver = None
        self.overlay.pop(path, None)
        if text is not None:
            self.overlay[path] = text

    @property
    def resolver(self) -> Resolver:
        """Knows what names mean in the current texts of the files."""
        if self._resolver is None:
            self._resolver = Resolver(self.project, self.exists, self.load_module)
        return self._resolver

    def load(self, path: str) -> Loaded:
        """Read the text of a file."""
        return self.project.load(path, self.overlay)

    def exists(self, path: str) -> bool:
        """Whether a file exists on disk or in the overlay."""
        if path in self.overlay or isinstance(self._modules.get(path), Module):
            return True
        return self.project.has_file(path)

    def load_module(self, path: str) -> Module | None:
        """Return the statements of a file, or None if it cannot be read."""
        module = self._module_or_problem(path)
        return None if isinstance(module, Diagnostic) else module

    def problem(self, path: str) -> Diagnostic | None:
        """Return the error of a file that cannot be read, or None."""
        module = self._module_or_problem(path)
        return module if isinstance(module, Diagnostic) else None

    def _module_or_problem(self, path: str) -> Module | Diagnostic:
        if path not in self._modules:
            self._modules[path] = read_module(path, self.load(path))
        return self._modules[path]

    def read(self, path: str, text: str | None = None) -> ModularFile | None:
        """Return a modular file without checking it.

        Args:
            path: The path of the modular file.
            text: A text to read instead of the file; it may be incomplete.

        Returns:
            The modular file; None if it cannot be read. Syntax errors are accepted.
        """
        loaded = self.load(path) if text is None else Loaded(text)
        module = read_module(path, loaded)
        if isinstance(module, Diagnostic) and module.code is Problem.SYNTAX_ERROR:
            # This reads as many statements as it can.
            module = modules.read(path, loaded.text)
        return None if isinstance(module, Diagnostic) else self.modular_file(module)

    def modular_file(self, module: Module) -> ModularFile:
        """Return a modular file, which knows its model and finds the files it imports.

        Args:
            module: The statements of the file.
        """

        def find_parent_path(import_: Import) -> str | None:
            paths = parent_files_of(self.project, module.path, import_)
            return choose_parent_file(paths, self.exists)

        model = model_name(module.path)
        return ModularFile(
            module=module,
            model=model,
            cased=self.project.names.cased(model),
            find_parent_path=find_parent_path,
            find_sibling_module=partial(sibling_module, self.project, module.path),
            package=self.project.sibling_package(module.path),
        )

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, with the forms in which it writes its model's name.

        Such forms are `llama`, `Llama` and `LLAMA`, which are renamed for the child. The
        file is read only once. A file that cannot be read counts as empty.
        """
        if path in self._parents:
            return self._parents[path]

        settings = self.project.settings
        model = self.project.model_of(path)
        name_forms = ModelNameForms(
            lower=model,
            cased=self.project.names_of(path).cased(model),
            keep=settings.keep_names,
            file_names=settings.file_names,
            # Addresses of checkpoints, such as `meta-llama/Llama-2-7b`.
            keeps_addresses=not settings.rename_checkpoints,
            package=self.project.sibling_package(path),
        )
        module = self.load_module(path) or modules.read(path, "")
        library = self.project.library_of(path)
        if library is not None:
            # Its relative imports would lead elsewhere from files of this project.
            package = library.package(path)
            module, name_forms = make_imports_absolute(module, package, name_forms)
        self._parents[path] = ParentSource(module, name_forms)
        return self._parents[path]

    def place_of_import(self, path: str, parent: str) -> Place:
        """Return the place of the import by which one modular file depends on another.

        It imports from a file that the other modular file generates. Without such an
        import, the place is the whole file.

        Args:
            path: The path of the modular file with the import.
            parent: The path of the other modular file.
        """
        for import_ in modules.read(path, self.load(path).text).imports:
            for candidate in parent_files_of(self.project, path, import_):
                if self.project.generating_modular(candidate) == parent:
                    return place_of_module(import_)
        return Place(path)

    def find_syntax_errors(self, paths: Iterable[str]) -> list[Diagnostic]:
        """Return the syntax errors of parent files.

        Parsing them is slow, so it is done only if something else went wrong.

        Args:
            paths: The paths of parent files. Those that were not read are left out.
        """
        problems = []
        for path in paths:
            if path in self._parents:
                text = self._parents[path].module.code.text
                problem = syntax_problem(text, path)
                if problem is not None:
                    problems.append(problem)
        return problems
