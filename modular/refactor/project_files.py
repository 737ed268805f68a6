"""The Python files of a project that people write, and which of them an import names."""

import ast
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from modular.cache.inputs import affected
from modular.conversion.converter import Converter
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.refactor.errors import RenameError
from modular.refactor.generated_code import GeneratedCode
from modular.rules.reading.modular_file import ModularFile
from modular.run.engine import Engine
from modular.run.options import Options
from modular.semantics.imports import imported_names, module_files
from modular.source import import_statements
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.loading import Loaded, syntax_problem
from modular.source.module import Module
from modular.system.printable import one_line


_SKIPPED = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})


class Definition(NamedTuple):
    """A class or function: a file that it can be imported from, and its name there."""

    path: str
    name: str


class _ImportedModule(NamedTuple):
    """A module that a file imports: the dots of the import, and the name after them."""

    path: str
    level: int
    module: str


@dataclass(frozen=True)
class ProjectFiles:
    """The files of a project as text and as statements.

    Each file is read once, so that edits fit the text that was analysed. Paths are
    relative to the root.

    Attributes:
        project: The project.
        options: Options of the conversions.
        _loaded: The files that were read, by path.
        _generated_code: The code that each modular file generates.
        _checked: The paths of files without syntax errors.
        _defined: The names of the classes and functions in each file.
        _outputs: The files that each modular file generates.
        _definitions: The classes and functions in each file by name.
        _children: The classes in each file by the classes that they inherit from.
        _imports: The `from` imports of each file.
        _class_nodes: The trees of classes that were parsed.
        _mentioning: The sources in which each word appears that was looked for.
        _imported_files: The paths of each imported module that was looked for.
    """

    project: Project
    options: Options = Options()
    _loaded: dict[str, Loaded] = field(default_factory=dict)
    _generated_code: dict[str, Sequence[GeneratedCode]] = field(default_factory=dict)
    _checked: set[str] = field(default_factory=set)
    _defined: dict[str, frozenset[str]] = field(default_factory=dict)
    _outputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _definitions: dict[str, dict[str, Statement]] = field(default_factory=dict)
    _children: dict[str, dict[Definition, list[str]]] = field(default_factory=dict)
    _imports: dict[str, list[import_statements.LocatedImport]] = field(
        default_factory=dict
    )
    _class_nodes: dict[Definition, ast.ClassDef | None] = field(default_factory=dict)
    _mentioning: dict[str, list[str]] = field(default_factory=dict)
    _imported_files: dict[_ImportedModule, tuple[str, ...]] = field(
        default_factory=dict
    )

    @cached_property
    def converter(self) -> Converter:
        """Reads modular files, and knows how they rename their parents."""
        return Converter(self.project, {})

    @cached_property
    def _blamer(self) -> Blamer:
        """Knows where the lines of generated files come from."""
        return Blamer(Engine(self.project, self.options))

    @cached_property
    def generated(self) -> dict[str, str]:
        """The modular file of each generated file."""
        modular_files = {}
        for modular in self.project.modular_files:
            for path in self.outputs(modular):
                modular_files[path] = modular
        return modular_files

    def handwritten_path(self, path: str) -> str:
        """Return the modular file of a generated file; other paths stay as they are."""
        return self.generated.get(path, path)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """All Python files that are not generated, sorted."""
        return tuple(
            sorted(path for path in self._walk() if path not in self.generated)
        )

    def outputs(self, modular: str) -> tuple[str, ...]:
        """Return the files that a modular file generates, one for each type of file."""
        if modular not in self._outputs:
            file = self.modular(modular)
            outputs: tuple[str, ...] = ()
            if file is not None:
                classes = file.definitions.classes
                outputs = tuple(self.project.expected_outputs(modular, classes))
            self._outputs[modular] = outputs
        return self._outputs[modular]

    def modular(self, path: str) -> ModularFile | None:
        """Return a modular file, which the author writes, with its definitions.

        None if the path is not that of a modular file, or if the file is missing. If
        the file has a syntax error, the result has the statements that can be read.
        """
        if path not in self.project.modular_files:
            return None
        module = self.module(path)
        if module is not None:
            return self.converter.modular_file(module)
        # The file is missing or has a syntax error. `read` accepts syntax errors.
        return self.converter.read(path)

    def importable(self, path: str) -> tuple[str, ...]:
        """Return the paths from which other files import the definitions of a file.

        These are the file itself and, for a modular file, the files that it generates.
        """
        return (path, *self.outputs(path))

    def convert_dependents(self, path: str) -> None:
        """Convert all models that a file affects, unless their results are cached.

        One batch takes less time than a conversion for each call of `generated_code`.
        """
        self._blamer.engine.run(affected(self.project, [path]))

    def generated_code(self, modular: str) -> Sequence[GeneratedCode]:
        """Return the code of the files that a modular file generates.

        There is none if the modular file has errors.
        """
        if modular not in self._generated_code:
            blames = self._blamer.blame_model(modular)
            self._generated_code[modular] = [
                GeneratedCode(blame) for blame in blames.values()
            ]
            self.report_progress("tracing lines", len(self._generated_code))
        return self._generated_code[modular]

    def report_progress(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Report a phase, with the number of finished items and of all, if known."""
        if self.options.progress is not None:
            self.options.progress(phase, done, total)

    def loaded(self, path: str) -> Loaded:
        """Return the text of a file, or the problem that prevented reading it."""
        if path not in self._loaded:
            self._loaded[path] = self.project.load(path, {})
        return self._loaded[path]

    def text(self, path: str) -> str:
        """Return the text of a file, or an empty string if it cannot be read."""
        return self.loaded(path).text

    def has_file_of_any(self, definitions: Iterable[Definition]) -> bool:
        """Tell whether the file of at least one of some definitions can be read.

        If none can be read, the definitions come from outside the project, as those of
        `torch` do.
        """
        return any(self.loaded(path).problem is None for path, _ in definitions)

    def mentioning_any(self, words: Iterable[str]) -> set[str]:
        """Return the sources in which one of some words appears."""
        return set().union(*map(self.mentioning, words))

    def mentioning(self, word: str) -> list[str]:
        """Return the sources in which a word appears, also within other words."""
        if word not in self._mentioning:
            paths = [path for path in self.sources if word in self.text(path)]
            self._mentioning[word] = paths
        return self._mentioning[word]

    def module(self, path: str) -> Module | None:
        """Return the statements of a file; None if it cannot be read.

        The file may have syntax errors.
        """
        return self.converter.load_module(path)

    def readable_module(self, path: str) -> Module | None:
        """Return the statements of a file, and refuse one that has a syntax error.

        Returns:
            The statements; None if the file is missing or cannot be read.

        Raises:
            RenameError: The file has a syntax error.
        """
        if path not in self._checked:
            problem = syntax_problem(self.text(path), path)
            if problem is not None:
                raise RenameError(
                    f"`{one_line(path)}` has a syntax error in line "
                    f"{problem.place.line}: {problem.message}; correct it first"
                )
            self._checked.add(path)
        return self.module(path)

    def defined(self, path: str) -> frozenset[str]:
        """Return the names of the classes and functions at module level of a file."""
        if path not in self._defined:
            module = self.module(path)
            statements = () if module is None else module.block.statements
            self._defined[path] = frozenset(
                statement.name for statement in statements if statement.is_definition
            )
        return self._defined[path]

    def class_statement(self, path: str, name: str) -> Statement | None:
        """Return the class of a given name that a file defines at module level.

        If there are several, the last one counts, as in Python. None if there is none,
        or if the last definition of the name is a function.

        Raises:
            RenameError: The file has a syntax error.
        """
        file_module = self.module(path)
        if file_module is None or name not in self.defined(path):
            return None
        # A rename cannot trust the statements of a file that has a syntax error. This
        # call raises if it has one.
        self.readable_module(path)
        if path not in self._definitions:
            # The last statement of a name replaces those before it.
            self._definitions[path] = {
                statement.name: statement
                for statement in file_module.block.statements
                if statement.is_definition
            }
        statement = self._definitions[path][name]
        return statement if statement.kind is Kind.CLASS else None

    def class_node(self, path: str, name: str) -> ast.ClassDef | None:
        """Return the syntax tree of a class at module level; None if there is none.

        Raises:
            RenameError: The file has a syntax error.
        """
        definition = Definition(path, name)
        if definition not in self._class_nodes:
            statement = self.class_statement(path, name)
            node = None if statement is None else _parse_class(statement)
            self._class_nodes[definition] = node
        return self._class_nodes[definition]

    def children_in(self, path: str, base: Definition) -> Sequence[str]:
        """Return the classes of a file that inherit directly from a class, sorted.

        Raises:
            RenameError: The file has a syntax error.
        """
        if path not in self._children:
            children: dict[Definition, list[str]] = {}
            for name in sorted(self.defined(path)):
                for definition in dict.fromkeys(self.bases(path, name)):
                    children.setdefault(definition, []).append(name)
            self._children[path] = children
        return self._children[path].get(base, ())

    def bases(self, path: str, name: str) -> Iterator[Definition]:
        """Yield the definitions that the bases of a class may refer to.

        The base in `class A(B)` may be a class `B` of the same file or an imported one.

        Raises:
            RenameError: The file has a syntax error.
        """
        statement = self.class_statement(path, name)
        if statement is None:
            return
        for base in view_definition(statement).bases:
            yield Definition(path, base)
            yield from self.imported_as(path, base)

    def bound_names(self, path: str) -> frozenset[str]:
        """Return the names that a file defines or imports at module level."""
        names = set(self.defined(path))
        for imported in self._from_imports(path):
            names.update(alias.bound for alias in imported.names)
        return frozenset(names)

    def imported_as(self, path: str, name: str) -> Iterator[Definition]:
        """Yield the definitions that an imported name of a file may refer to.

        With `from .modeling_llama import LlamaMLP as MLP`, the name `MLP` may refer to
        `LlamaMLP` of that file, or of any other path at which the module might be.
        """
        first_name, *attributes = name.split(".")
        for statement in self._import_statements(path):
            # `import *` may bind any name.
            if first_name not in statement.words and "*" not in statement.code.mask:
                continue
            for imported in imported_names(statement, first_name, tuple(attributes)):
                if not imported.names:
                    # The name is a module, and no definition.
                    continue
                *modules, original = imported.names
                module = ".".join((*imported.module, *modules))
                for source in self.imported_files(path, imported.level, module):
                    yield Definition(source, original)

    @cached_property
    def star_importers(self) -> dict[str, list[str]]:
        """The files with `from module import *`, by the path of that module."""
        importers: dict[str, list[str]] = {}
        for path in self.mentioning("import *"):
            for imported in self._from_imports(path):
                if "*" not in [alias.name for alias in imported.names]:
                    continue
                module = imported.module or ""
                for source in self.imported_files(path, imported.level, module):
                    importers.setdefault(source, []).append(path)
        return importers

    def _from_imports(self, path: str) -> list[import_statements.LocatedImport]:
        """Return the `from` imports at module level of a file.

        Those within `try` and `if` statements count, too.
        """
        if path not in self._imports:
            imports: list[import_statements.LocatedImport] = []
            for statement in self._import_statements(path):
                imports += import_statements.find_imports(statement.code.mask)
            # A plain `import x` has None as its module; `from . import x` has "".
            self._imports[path] = [
                imported for imported in imports if imported.module is not None
            ]
        return self._imports[path]

    def _import_statements(self, path: str) -> Iterator[Statement]:
        """Yield the statements at module level of a file that may import something."""
        module = self.module(path)
        if module is not None:
            for statement in module.block.statements:
                if not statement.is_definition and "import" in statement.words:
                    yield statement

    def imported_files(self, path: str, level: int, module: str) -> tuple[str, ...]:
        """Return the paths at which an imported module might be.

        The files may be missing. The paths of each import are remembered.

        Args:
            path: The file with the import.
            level: The number of leading dots of the import.
            module: The module after the dots.
        """
        imported = _ImportedModule(path, level, module)
        if imported not in self._imported_files:
            self._imported_files[imported] = module_files(self.project, *imported)
        return self._imported_files[imported]

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
                if not name.endswith(".py") or is_link:
                    continue
                yield name if relative_folder == "." else f"{relative_folder}/{name}"


def _parse_class(statement: Statement) -> ast.ClassDef | None:
    """Return the syntax tree of a class; None if this Python cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(statement.bare_code.text).body[0]
    except (SyntaxError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.ClassDef) else None
