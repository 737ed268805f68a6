"""The Python files of a project, and which of them an import names."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import dirname
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.project.project import Project, join_path
from modular.refactor.errors import RenameError
from modular.rules.names.renaming import Renamer
from modular.rules.reading.modular_file import ModularFile
from modular.semantics.imports import ImportedName, module_files
from modular.semantics.meanings import Definition, Meaning, QualifiedName, Unknown
from modular.semantics.resolver import Resolver
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.loading import Loaded, syntax_problem
from modular.source.module import Module
from modular.source.source_slice import words
from modular.source.walking import walk
from modular.system.printable import one_line


_SKIPPED = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})


class Child(NamedTuple):
    """A modular file, and the path of a parent file that it inherits from."""

    modular: str
    parent_path: str


@dataclass(frozen=True)
class ProjectFiles:
    """The files of a project as text and as statements.

    Each file is read once, so that edits fit the text that was analysed. Paths are
    relative to the root.

    Attributes:
        project: The project.
        regenerated: Texts of generated files that are read instead of those on disk.
    """

    project: Project
    regenerated: Mapping[str, str] = field(default_factory=dict)
    _loaded: dict[str, Loaded] = field(default_factory=dict)
    _checked: set[str] = field(default_factory=set)
    _mentioning: dict[str, list[str]] = field(default_factory=dict)
    _definitions: dict[str, dict[str, Statement]] = field(default_factory=dict)
    _bases: dict[QualifiedName, list[QualifiedName]] = field(default_factory=dict)
    _subclasses: dict[str, dict[QualifiedName, list[QualifiedName]]] = field(
        default_factory=dict
    )
    _paths_of_bases: dict[str, set[str]] = field(default_factory=dict)

    @cached_property
    def converter(self) -> Converter:
        """Reads files, and knows how models rename what they take from parents."""
        return Converter(self.project, self.regenerated)

    @cached_property
    def modular_files(self) -> dict[str, ModularFile]:
        """The modular files that can be read, by path. They may have syntax errors."""
        files = {}
        for path in self.project.modular_files:
            file = self.converter.read(path)
            if file is not None:
                files[path] = file
        return files

    @cached_property
    def outputs(self) -> dict[str, tuple[str, ...]]:
        """The files that each modular file generates, one for each type of file."""
        outputs = {}
        for path, file in self.modular_files.items():
            classes = file.definitions.classes
            outputs[path] = self.project.expected_outputs(path, classes)
        return outputs

    @cached_property
    def generated(self) -> dict[str, str]:
        """The modular file of each generated file."""
        modular_files = {}
        for modular, paths in self.outputs.items():
            modular_files.update(dict.fromkeys(paths, modular))
        return modular_files

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All Python files, also generated files that are not on disk, sorted."""
        return tuple(sorted({*self._walk(), *self.generated}))

    def importable(self, path: str) -> tuple[str, ...]:
        """Return the paths from which other files import the definitions of a file.

        These are the file itself and, for a modular file, the files that it generates.
        """
        return (path, *self.outputs.get(path, ()))

    @cached_property
    def children(self) -> dict[str, list[Child]]:
        """For each folder, the models that inherit from a file in it."""
        children: dict[str, list[Child]] = {}
        for path, file in self.modular_files.items():
            for parent_path in file.parent_paths:
                folder = dirname(parent_path)
                children.setdefault(folder, []).append(Child(path, parent_path))
        return children

    def parent_models(self, modular: str) -> set[str]:
        """Return the other modular files that generate the parent files of a model."""
        parent_paths = self.modular_files[modular].parent_paths
        parents = {self.generated.get(path) for path in parent_paths}
        return {parent for parent in parents if parent not in (None, modular)}

    def renamer(self, child: Child) -> Renamer:
        """Return the renamer of the names that a model takes from a parent file."""
        modular = self.modular_files[child.modular]
        return self.converter.renamer(child.parent_path, modular)

    def text(self, path: str) -> str:
        """Return the text of a file, or an empty string if it cannot be read."""
        return self.loaded(path).text

    def loaded(self, path: str) -> Loaded:
        """Return the text of a file, or the problem that prevented reading it."""
        if path not in self._loaded:
            self._loaded[path] = self.converter.load(path)
        return self._loaded[path]

    def mentioning(self, word: str) -> list[str]:
        """Return the files whose text has a word."""
        if word not in self._mentioning:
            paths = []
            for path, words_of_file in self._words_by_path.items():
                if word in words_of_file:
                    paths.append(path)
            self._mentioning[word] = paths
        return self._mentioning[word]

    def words(self, path: str) -> AbstractSet[str]:
        """Return the words of a file, those in comments and strings included."""
        return self._words_by_path[path]

    def mentioned_in_or_inherited(
        self, path: str, names: AbstractSet[str]
    ) -> AbstractSet[str]:
        """Return those of some names that a file or its base classes mention.

        Args:
            path: The file. All files that have a base class of one of its classes are
                searched, too.
            names: The names to search for.
        """
        if path not in self._paths_of_bases:
            # `subclasses_in` returns subclasses by their bases.
            direct_bases = self.subclasses_in(path).keys()
            bases = walk(direct_bases, self.bases)
            paths = {base.path for base in bases}
            self._paths_of_bases[path] = paths.intersection(self._words_by_path)
        mentioned = names & self.words(path)
        for base_path in self._paths_of_bases[path]:
            mentioned |= names & self.words(base_path)
        return mentioned

    @cached_property
    def _words_by_path(self) -> dict[str, set[str]]:
        """The words of each file. A rename asks for hundreds of words.

        Most files mention nothing that is renamed, so their texts are not kept. A word of
        many files is kept once.
        """
        words_by_path = {}
        for path in self.paths:
            text = self.converter.load(path).text
            words_by_path[path] = set(map(sys.intern, words(text)))
        return words_by_path

    def module(self, path: str) -> Module | None:
        """Return the statements of a file; None if it is missing or cannot be read.

        The file may have syntax errors.
        """
        return self.converter.load_module(path)

    def refuse_syntax_error(self, path: str) -> None:
        """Raise RenameError if a file has a syntax error."""
        if path in self._checked:
            return
        problem = syntax_problem(self.text(path), path)
        if problem is not None:
            raise RenameError(
                f"`{one_line(path)}` has a syntax error in line {problem.place.line}: "
                f"{problem.message}; correct it first"
            )
        self._checked.add(path)

    def definition(self, path: str, name: str) -> Statement | None:
        """Return the last class or function of a name at module level of a file.

        None if the file has no such class or function.
        """
        if path not in self._definitions:
            definitions = {}
            for statement in self.statements(path):
                if statement.is_definition:
                    definitions[statement.name] = statement
            self._definitions[path] = definitions
        return self._definitions[path].get(name)

    def statements(self, path: str) -> Sequence[Statement]:
        """Return the statements of a file; none if it is missing or cannot be read."""
        module = self.module(path)
        return () if module is None else module.block.statements

    def class_statement(self, definition: QualifiedName) -> Statement | None:
        """Return the class that a definition is; None if it is not a class."""
        statement = self.definition(*definition)
        is_class = statement is not None and statement.kind is Kind.CLASS
        return statement if is_class else None

    def bases(self, class_: QualifiedName) -> list[QualifiedName]:
        """Return the definitions that the bases of a class may refer to.

        The base in `class A(B)` may be a class `B` of the same file or an imported class,
        so both are returned.
        """
        if class_ not in self._bases:
            bases: list[QualifiedName] = []
            statement = self.class_statement(class_)
            if statement is not None:
                for base in view_definition(statement).bases:
                    bases.append(QualifiedName(class_.path, base))
                    bases += self.imported_as(class_.path, base)
            self._bases[class_] = bases
        return self._bases[class_]

    def subclasses_in(self, path: str) -> Mapping[QualifiedName, list[QualifiedName]]:
        """Return the classes of a file by the classes that they may inherit from directly.

        With `class A(B)`, the key is `B` of the same file or, if `B` is imported, `B`
        of another file.
        """
        if path not in self._subclasses:
            subclasses: dict[QualifiedName, list[QualifiedName]] = {}
            for statement in self.statements(path):
                if statement.kind is Kind.CLASS:
                    subclass = QualifiedName(path, statement.name)
                    for base in self.bases(subclass):
                        subclasses.setdefault(base, []).append(subclass)
            self._subclasses[path] = subclasses
        return self._subclasses[path]

    def imported_as(self, path: str, name: str) -> list[QualifiedName]:
        """Return the definitions that a name of a file may refer to.

        With `from .modeling_llama import LlamaMLP as MLP`, the name `MLP` refers to
        `LlamaMLP` of that file, or of the file from which that file imports it.
        """
        return list(_definitions_in(self._resolver.meaning(path, name)))

    def imported(self, path: str, imported: ImportedName) -> list[QualifiedName]:
        """Return the definitions that a name in an import of a file may refer to.

        The file of the module may be missing, because its model has an error. Then a
        definition is returned for each file that the module can be.
        """
        definitions = list(_definitions_in(self._resolver.imported(path, imported)))
        if definitions or not imported.names:
            return definitions
        *submodules, name = imported.names
        module = ".".join((*imported.module, *submodules))
        files = module_files(self.project, path, imported.level, module)
        return [QualifiedName(file, name) for file in files]

    @cached_property
    def _resolver(self) -> Resolver:
        """Tells what names mean, also those that `import *` may bind."""
        converter = self.converter
        return Resolver(
            self.project,
            converter.exists,
            converter.load_module,
            follows_all_stars=True,
        )

    def has_file_of_any(self, definitions: Iterable[QualifiedName]) -> bool:
        """Return whether the project has the file of at least one definition."""
        return any(self.converter.exists(path) for path, _ in definitions)

    def _walk(self) -> Iterator[str]:
        """Yield the project's Python files, without links and installed packages."""
        root = self.project.root
        for folder, subfolders, file_names in os.walk(root):
            # This file marks a virtual environment.
            if "pyvenv.cfg" in file_names:
                subfolders.clear()
                continue
            # `os.walk` only descends into the folders that stay in this list.
            subfolders[:] = [
                name
                for name in subfolders
                if name not in _SKIPPED and not name.startswith(".")
            ]
            relative_folder = os.path.relpath(folder, root).replace(os.sep, "/")
            for name in file_names:
                is_link = os.path.islink(os.path.join(folder, name))
                if name.endswith(".py") and not is_link:
                    yield join_path(relative_folder, name)


def _definitions_in(meaning: Meaning) -> Iterator[QualifiedName]:
    """Yield the definitions that a name may refer to."""
    if isinstance(meaning, Definition):
        yield QualifiedName(meaning.path, meaning.name)
    elif isinstance(meaning, Unknown):
        for candidate in meaning.candidates:
            yield from _definitions_in(candidate)
