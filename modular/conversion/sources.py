"""Reads the modular files and parent files of a project, each once."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from modular.project.project import Project, join_path, model_name
from modular.rules.names.renaming import ModelNameForms
from modular.rules.reading.library_imports import (
    keep_imported_names,
    make_imports_absolute,
)
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import ParentSource
from modular.semantics.imports import (
    choose_parent_file,
    parent_files_of,
    sibling_module,
)
from modular.semantics.meanings import Definition
from modular.semantics.model_names import is_computed, names_of_file
from modular.semantics.resolver import Resolver
from modular.source import module as modules
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, Place, Problem
from modular.source.import_statements import Import
from modular.source.loading import Loaded, read_module, syntax_problem
from modular.source.module import Module
from modular.source.places import place_of_module
from modular.source.unreadable import UnreadableError


class ModelNames(NamedTuple):
    """The names that the files of a model define.

    Attributes:
        own: The names that are renamed with the model, if they contain its name.
        inner: Those of them that contain the model's name and are members, parameters
            or variables of functions.
        outer: The names that contain the model's name and are defined at module level.
        defined: All names that the files define.
        reads: The files that the answer depends on.
    """

    own: frozenset[str]
    inner: frozenset[str]
    outer: frozenset[str]
    defined: frozenset[str]
    reads: tuple[str, ...]


class Sources:
    """The files of a project that conversions read.

    Attributes:
        project: The project.
        overlay: Texts that are read instead of the files on disk, by path: generated in
            the same run, or edited but not saved.
    """

    def __init__(self, project: Project, overlay: Mapping[str, str]) -> None:
        """Begin without any file read. The arguments are attributes of this class."""
        self.project = project
        self.overlay = dict(overlay)
        self._parents: dict[str, ParentSource] = {}
        self._modules: dict[str, Module | Diagnostic] = {}
        self._names_of_models: dict[tuple[str, str], ModelNames] = {}
        self._resolver: Resolver | None = None

    def refresh(self, path: str, text: str | None) -> None:
        """Replace the text of a file, and forget what was read from it before.

        Args:
            path: The path of the file.
            text: The new text; None if the file on disk counts again.
        """
        self._parents.pop(path, None)
        if self._names_of_models:
            # The names that are renamed in a parent file depend on other files, too.
            self._parents.clear()
            self._names_of_models.clear()
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
        """Return the statements of a file, or the error because of which it has none."""
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
        if isinstance(module, Diagnostic):
            if module.code is not Problem.SYNTAX_ERROR:
                return None
            # This reads as many statements as it can.
            module = modules.read(path, loaded.text)
        return self.modular_file(module)

    def modular_file(self, module: Module) -> ModularFile:
        """Return a modular file, which knows its model and finds the files it imports.

        Args:
            module: The statements of the file.
        """

        def find_parent_path(import_: Import) -> str | None:
            """Return the path of the parent file that an import names, or None."""
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
            keeps_changes=self.project.settings.is_like_python,
            keeps_model_imports=self.project.settings.keeps_model_imports,
        )

    def parent(self, path: str) -> ParentSource:
        """Return a parent file, with the forms in which it writes its model's name.

        Such forms are `llama`, `Llama` and `LLAMA`, which are renamed for the child. The
        file is read only once. If it cannot be read, an empty file is returned.
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
        if settings.is_like_python:
            own_names = self.names_of_model(path, name_forms).own
            name_forms = replace(name_forms, own_names=own_names)
        module = self.load_module(path) or modules.read(path, "")
        library = self.project.library_of(path)
        if library is not None:
            # In a generated file of this project, relative imports would lead elsewhere.
            package = library.package(path)
            name_forms = keep_imported_names(module, name_forms)
            module = make_imports_absolute(module, package, name_forms)
        self._parents[path] = ParentSource(
            module, name_forms, keeps_changes=settings.is_like_python
        )
        return self._parents[path]

    def names_of_model(self, path: str, forms: ModelNameForms) -> "ModelNames":
        """Return the names that the files of a model define; they are read only once.

        Args:
            path: The path of one of its files.
            forms: The forms of the model's name, such as `llama` and `Llama`.
        """
        folder = path.rpartition("/")[0]
        model = forms.lower
        key = (folder, model)
        if key not in self._names_of_models:
            # Such as `modeling_llama.py` and `configuration_llama.py`.
            paths = [path]
            stems = forms.file_names.stems
            file_types = dict.fromkeys(stem.file_type for stem in stems)
            for file_type in file_types:
                file_name = f"{forms.file_names.stem(file_type, model)}.py"
                paths.append(join_path(folder, file_name))
            unique_paths = list(dict.fromkeys(paths))
            self._names_of_models[key] = self._read_names(unique_paths, forms)
        return self._names_of_models[key]

    def _read_names(self, paths: Sequence[str], forms: ModelNameForms) -> "ModelNames":
        """Return the names that some files of a model define.

        A member, parameter or variable is left out if other code may use the same name
        (see `_find_foreign_names`).

        Args:
            paths: The paths of the files, some of which may not exist.
            forms: The forms of the model's name, such as `llama` and `Llama`.
        """
        files: dict[str, Module] = {}
        for path in paths:
            module = self.load_module(path) if self.exists(path) else None
            if module is not None:
                files[path] = module

        # The names at module level.
        outer: set[str] = set()
        # The members, parameters and variables of functions.
        inner: set[str] = set()
        # The names that are imported from other files of the model.
        sibling_imports: set[str] = set()
        for module in files.values():
            names = names_of_file(module)
            outer |= names.outer
            inner |= names.inner
            for import_ in module.imports:
                if forms.is_from_own_file(import_.level, import_.module):
                    sibling_imports |= import_.bound_names
        inner -= outer | sibling_imports

        inner_with_model = {name for name in inner if forms.pattern.search(name)}
        foreign: set[str] = set()
        reads: dict[str, None] = dict.fromkeys(paths)
        # Reading the base classes is slow, and only names with the model's are renamed.
        if inner_with_model:
            with self.resolver.recording() as resolver_reads:
                foreign = self._find_foreign_names(files, inner_with_model, forms)
            reads.update(resolver_reads)
        return ModelNames(
            own=frozenset(outer | sibling_imports | (inner - foreign)),
            inner=frozenset(inner_with_model - foreign),
            outer=frozenset(name for name in outer if forms.pattern.search(name)),
            defined=frozenset(outer | inner | sibling_imports),
            reads=tuple(reads),
        )

    def _find_foreign_names(
        self,
        files: Mapping[str, Module],
        names: AbstractSet[str],
        forms: ModelNameForms,
    ) -> set[str]:
        """Return the names that must not be renamed, because other code may use them, too.

        There are three kinds of such names:

        - Members of base classes in other files.
        - Members and parameters of objects and functions that other files define, such as
          `clip` in `x.clip()`.
        - Those of the given names that code computes, as in `getattr(self, "llama" + x)`.

        Args:
            files: The files of a model by path.
            names: Names of its members, parameters and variables.
            forms: The forms of the model's name, such as `llama` and `Llama`.
        """
        foreign = self._names_of_bases(files)
        patterns_of_computed_names: set[str] = set()
        for module in files.values():
            file_names = names_of_file(module)
            patterns_of_computed_names |= file_names.computed
            foreign |= file_names.foreign_keywords | file_names.foreign_methods
            # The member `x.clip` may be that of any object. A longer name, such as
            # `config.clip_size`, is taken to be the model's.
            if forms.lower in file_names.foreign_members:
                foreign.add(forms.lower)
        for name in names:
            if is_computed(name, patterns_of_computed_names):
                foreign.add(name)
        return foreign

    def _names_of_bases(self, files: Mapping[str, Module]) -> set[str]:
        """Return the members, parameters and variables in the files of base classes.

        Args:
            files: The files of a model by path. Only bases in other files count.
        """
        names: set[str] = set()
        for path, module in files.items():
            for statement in module.block.statements:
                if statement.kind is not Kind.CLASS:
                    continue
                class_ = Definition(path, statement.name, Kind.CLASS)
                other_files = self._files_of_bases(class_) - files.keys()
                for base_path in sorted(other_files):
                    base_module = self.resolver.module(base_path)
                    if base_module is not None:
                        names |= names_of_file(base_module).inner
        return names

    def _files_of_bases(self, class_: Definition) -> set[str]:
        """Return the files of the known bases of a class, and of their bases.

        If the header of one of the classes cannot be read, the set is empty.
        """
        try:
            ancestors = self.resolver.ancestors(class_)
        except UnreadableError:
            return set()
        paths = set()
        for base in ancestors.classes:
            if isinstance(base, Definition):
                paths.add(base.path)
        return paths

    def place_of_import(self, path: str, parent: str) -> Place:
        """Return the place of an import from a file that another modular file generates.

        If there is no such import, the place is the whole file with the import.

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
            if path not in self._parents:
                continue
            text = self._parents[path].module.code.text
            problem = syntax_problem(text, path)
            if problem is not None:
                problems.append(problem)
        return problems
