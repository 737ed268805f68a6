"""Classes keep the order of the modular file, and each comes after its dependencies.

Each class is written to the file of its file type. A dependency is a definition that a
class uses. If another class depends on a class that the modular file defines further
down, it still comes at its later place.

The dependencies of a class with a parent class are written in two groups:

1. **Classes,** in the order of the parent file. Each comes after its own dependencies.
2. **All other dependencies.**

In both groups, names of the parent file come first, in its order. Names of the modular
file follow, in its order. There are three special cases:

- **A name that both files define** has the parent file's place in the first group, and
  the modular file's place in the second one.
- **A name that a file defines twice** has the place of its first definition.
- **A name that the parent file does not define itself** but has from another parent
  file comes after all others. These names, including classes, are in descending order.

The dependencies of a class without a parent class are written in this order:

1. **Names that were copied from parent files.** They are grouped by file and keep its
   order. The files are sorted by their alphabetically first name.
2. **Names of the modular file,** in its order.

The names of the setting `first-names` (`logger`, `_CHECKPOINT_FOR_DOC`,
`_CONFIG_FOR_DOC`) come first in every file. Like other assignments of the modular file,
they are only written if something uses them. Outside transformers, the modeling file
has them also if nothing does.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


def rotate(x):
    return -x


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    def forward(self, x):
        return rotate(x)


class LlamaLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = LlamaNorm()
        self.mlp = LlamaMLP()
```

Modular `models/my_model/modular_my_model.py`:

```python
from ...utils import logging
from ..llama.modeling_llama import LlamaLayer, LlamaNorm


def shift(x):
    return x + 1


logger = logging.get_logger(__name__)


class MyModelLayer(LlamaLayer):
    def forward(self, x):
        logger.info("shifted")
        return shift(x)


class MyModelNorm(LlamaNorm):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ...utils import logging


logger = logging.get_logger(__name__)


def rotate(x):
    return -x


class MyModelMLP(nn.Module):
    def forward(self, x):
        return rotate(x)


def shift(x):
    return x + 1


class MyModelLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = MyModelNorm()
        self.mlp = MyModelMLP()

    def forward(self, x):
        logger.info("shifted")
        return shift(x)


class MyModelNorm(nn.Module):
    eps = 1e-6
```
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from modular.flatten.flatten import flatten_class
from modular.flatten.flattened import Flattened
from modular.flatten.python_classes import flatten_like_python
from modular.rules.files import file_types
from modular.rules.files.copied_in import copy_imported_statements
from modular.rules.files.dependencies import Scope
from modular.rules.files.drafts import (
    Draft,
    DraftStatement,
    Provenance,
    make_output_run,
)
from modular.rules.files.load_order import order_for_import
from modular.rules.names import class_names
from modular.rules.names.cased_names import CasedNames
from modular.rules.reading.merging import merge_definitions
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.settings.settings import CONFIGURATION, Settings
from modular.source.blocks import Kind, Statement, make_statement
from modular.source.definition_view import view_definition
from modular.source.definitions import Definitions, ModuleBinding
from modular.source.diagnostics import Diagnostic, Problem, has_errors
from modular.source.indentation import normalize_indentation
from modular.source.places import place_of
from modular.source.source_slice import SourceSlice


MAX_CLASSES = 2_000
MAX_GENERATED_CHARS = 10_000_000
"""Bounds for one modular file: a short file can inherit many times from a long class."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The output files of a modular file, before they have imports.

    Attributes:
        modular: The modular file.
        parents: The renamed parent files by path.
        drafts: The output files by file type. They are incomplete after an error.
        flattened: The classes with a parent class by name.
        mentioned: All identifiers that statements use, except for their own names.
        diagnostics: The errors that were found.
    """

    modular: ModularFile
    parents: Mapping[str, RenamedFile]
    drafts: Mapping[str, Draft]
    flattened: Mapping[str, Flattened]
    mentioned: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def lay_out(
    modular: ModularFile,
    parents: Mapping[str, RenamedFile],
    names: CasedNames,
    settings: Settings,
) -> Layout:
    """Merge the classes of a modular file with their parents, and assign them to files.

    `MyModelConfig` goes to the configuration file, `MyModelMLP` to the modeling file,
    both with all that they depend on.

    Args:
        modular: The modular file, which the author writes.
        parents: Its parent files by path, renamed to its model.
        names: The cased names of the project's models.
        settings: The settings of the project.
    """
    builder = _LayoutBuilder(modular, parents, names, settings)
    builder.place_classes()
    if not has_errors(builder.diagnostics):
        copy_imported_statements(builder.drafts, settings)
        for draft in builder.drafts.values():
            order_for_import(draft, settings.first_names)
    return Layout(
        modular=modular,
        parents=parents,
        drafts=builder.drafts,
        flattened=builder.flattened,
        mentioned=frozenset(builder.mentioned),
        diagnostics=tuple(builder.diagnostics),
    )


class _DependencyOrder(NamedTuple):
    """The sort key of a dependency of a class without a parent class."""

    file_index: int
    line: int
    name: str


class _LayoutBuilder:
    """Places the classes of one modular file, with their dependencies.

    The public attributes are the parts of the `Layout`, which `place_classes` fills.

    Attributes:
        drafts: The output files by file type.
        flattened: The flattened classes by name.
        mentioned: All identifiers that statements use, except for their own names.
        diagnostics: The errors so far.
    """

    def __init__(
        self,
        modular: ModularFile,
        parents: Mapping[str, RenamedFile],
        names: CasedNames,
        settings: Settings,
    ) -> None:
        """Start without generated files, and collect the names that classes can use.

        Args:
            modular: The modular file, which the author writes.
            parents: Its parent files by path, renamed to its model.
            names: The cased names of the project's models.
            settings: The settings of the project.
        """
        # The parts of the future layout, see `Layout`.
        self.drafts: dict[str, Draft] = {}
        self.flattened: dict[str, Flattened] = {}
        self.mentioned: set[str] = set()
        self.diagnostics: list[Diagnostic] = []
        self._modular = modular
        self._parents = parents
        self._cased_names = names
        self._settings = settings
        # The total length of all drafts, which MAX_GENERATED_CHARS limits.
        self._generated_chars = 0
        # The scopes of classes with a parent class, by the path of the parent file.
        self._parent_scopes = {
            path: merge_definitions(file, modular.definitions, settings)
            for path, file in parents.items()
        }
        # The parent file of each name that is inlined into the modular scope.
        self._inlined_from: dict[str, str] = {}
        # The scope of classes without a parent class.
        self._modular_scope = self._make_modular_scope()

    def place_classes(self) -> None:
        """Add every class of the modular file to a generated file.

        The dependencies of a class are added before it. If it has a parent class, both
        are merged first.
        """
        classes = self._modular.definitions.classes
        for count, definition in enumerate(classes.values(), start=1):
            file_type = self._file_type(definition.name)
            draft = self.drafts.setdefault(file_type, Draft(file_type))
            parent_classes = self._modular.parents_of(definition.name)
            if parent_classes:
                self._place_with_parent(definition, parent_classes[0], draft)
            else:
                self._place_plain(definition, draft)

            if self._generated_chars > MAX_GENERATED_CHARS or count > MAX_CLASSES:
                self._report_size(definition)
                return
        # Upstream drops a `logger`, or another of these names, that nothing uses.
        if not self._settings.is_library:
            self._place_first_names()

    def _place_first_names(self) -> None:
        """Add the `logger` of the modular file, and similar names that nothing uses."""
        draft = self.drafts.get(self._settings.default_file_type)
        if draft is None:
            return
        for name in self._settings.first_names:
            assignment = self._modular.definitions.assignments.get(name)
            if assignment is None or name in draft.statements:
                continue
            # It comes first in the file, so it cannot use another definition.
            if not self._modular_scope.dependencies_of_words(assignment.words, name):
                self._put_definition(name, assignment, draft)

    def _report_size(self, definition: ModuleBinding) -> None:
        """Report that one modular file generates too much code, with the last class.

        The limits protect against input that was made to exhaust memory.
        """
        diagnostic = Diagnostic(
            Problem.TOO_LARGE,
            place_of(definition.statement.bare_code),
            f"more than {MAX_GENERATED_CHARS} characters or {MAX_CLASSES} classes are "
            f"generated, up to `{definition.name}`",
            "split it into several models",
        )
        self.diagnostics.append(diagnostic)

    def _make_modular_scope(self) -> Scope:
        """Return the names that classes without a parent class can use.

        These are the definitions of the modular file, and the functions and assignments
        that it imports from parent files, with their dependencies. Classes cannot be
        imported in this way.
        """
        definitions = self._modular.definitions
        merged = Definitions()
        for definition in definitions.by_name().values():
            merged.add(definition)
        for name, path in self._modular.parent_of.items():
            original_name = self._modular.original_names[name]
            parent = self._parent_scopes[path]
            is_missing = original_name not in parent.bindings
            if is_missing or parent.is_class(original_name):
                continue
            if original_name not in merged.by_name():
                self._inline(original_name, path, merged)
        return Scope(merged, definitions.lines, {})

    def _inline(self, name: str, path: str, merged: Definitions) -> None:
        """Copy an imported function or assignment from a parent file.

        What it depends on is copied, too. The key of most definitions is their name,
        and that of `TABLE["x"] = 1` is its text.

        Args:
            name: Its name in the parent file.
            path: The path of the parent file.
            merged: The definitions to which the copies are added.
        """
        parent = self._parent_scopes[path]
        keys = [name, *sorted(parent.object_dependencies(name))]
        bindings = {key: parent.bindings[key] for key in keys}

        # Definitions of the modular file win, also over items of its tables.
        modular_names = self._modular.definitions.by_name().keys()
        for key, binding in bindings.items():
            if key not in modular_names and binding.name not in modular_names:
                merged.add(binding)
                self._inlined_from[key] = path

        # Classes of other parent files use the inlined function instead of their own.
        if bindings[name].kind is Kind.FUNCTION:
            dependencies = {}
            for key in keys:
                if not parent.is_class(key):
                    dependencies[key] = parent.object_dependencies(key)
            for scope in self._parent_scopes.values():
                scope.adopt(bindings, dependencies)

    def _place_with_parent(
        self, definition: ModuleBinding, base: str, draft: Draft
    ) -> None:
        """Merge a class with its parent class, and add it to a generated file.

        Its dependencies are added before it.
        """
        path = self._modular.parent_of[base]
        scope = self._parent_scopes[path]
        file = self._parents[path]
        flat = self._flatten(definition.statement, base, file)
        self.diagnostics += flat.diagnostics
        self.flattened[definition.name] = flat

        # The parent file imports its sibling names, so it does not define them.
        used = scope.dependencies_of_words(
            flat.words - file.sibling_names, definition.name
        )
        dependencies = self._add_sibling_imports(used, scope, draft)
        reached = scope.with_class_dependencies(dependencies, draft.statements)
        for name in scope.sort_dependencies(reached):
            self._put_definition(name, scope.bindings[name], draft)
        statement = DraftStatement(definition.name, list(flat.parts), flat.words)
        self._put(statement, draft)

    def _flatten(self, statement: Statement, base: str, file: RenamedFile) -> Flattened:
        """Merge a class with its parent class.

        Args:
            statement: The class of the modular file.
            base: The base that refers to the parent class.
            file: The parent file, renamed to the model of the modular file.
        """
        original_name = self._modular.original_names[base]
        parent_name = file.renamer.word(original_name)
        parent = file.definitions.classes[parent_name].statement

        def rename(code: SourceSlice) -> SourceSlice:
            """Rename the parent class in strings and comments."""
            return class_names.rename_prose_of_class(
                code,
                parent_name,
                statement.name,
                self._cased_names,
                self._settings.keep_names,
            )

        # Renaming can change the length of the comments above the class.
        start = len(rename(parent.lead).text)
        parent = make_statement(rename(parent.code), start, parent.kind, base)
        is_configuration = self._file_type(statement.name) == CONFIGURATION
        merges_docstrings = self._settings.merge_docstrings and is_configuration
        parent_view = view_definition(normalize_indentation(parent))
        child_view = view_definition(normalize_indentation(statement))
        if self._settings.is_like_python:
            return flatten_like_python(parent_view, child_view, base, merges_docstrings)
        return flatten_class(
            parent_view,
            child_view,
            base,
            merges_docstrings,
            self._settings.added_decorators,
        )

    def _place_plain(self, definition: ModuleBinding, draft: Draft) -> None:
        """Add a class without a parent class to a generated file.

        Its dependencies are added before it. Its code does not change.
        """
        scope = self._modular_scope
        used = scope.dependencies_of_words(definition.words, definition.name)
        dependencies = self._add_sibling_imports(used, scope, draft)
        missing = dependencies - draft.statements.keys()
        for name in self._sort_plain_dependencies(missing):
            self._put_definition(name, scope.bindings[name], draft)
        self._put_definition(definition.name, definition, draft)

    def _sort_plain_dependencies(self, names: Iterable[str]) -> list[str]:
        """Sort the dependencies of a class by the files and lines that define them.

        Names from parent files come first, file by file; those of the modular file
        follow. In each file they are in the order of their lines. The files are in the
        order of their first names in the alphabet.
        """
        paths: list[str] = []
        for name in sorted(names):
            path = self._inlined_from.get(name)
            if path is not None and path not in paths:
                paths.append(path)

        keys = []
        for name in names:
            path = self._inlined_from.get(name)
            if path is None:
                file_index = len(paths)
                lines = self._modular_scope.file_lines
            else:
                file_index = paths.index(path)
                lines = self._parent_scopes[path].file_lines
            keys.append(_DependencyOrder(file_index, lines.get(name, 0), name))
        return [key.name for key in sorted(keys)]

    def _add_sibling_imports(
        self, dependencies: set[str], scope: Scope, draft: Draft
    ) -> set[str]:
        """Import dependencies from other generated files of the model.

        Args:
            dependencies: The names that a class depends on.
            scope: The definitions of these names.
            draft: The generated file of the class, to which imports are added.

        Returns:
            The dependencies that must be copied into the file instead. Classes of the
            modular file are not among them, because they are added by themselves.
        """
        copied = set()
        for name in dependencies:
            file_type = self._file_type(name)
            if scope.is_class(name) and file_type != draft.file_type:
                draft.sibling_imports[name] = file_type
            elif name not in self._modular.definitions.classes:
                copied.add(name)
        return copied

    def _file_type(self, class_name: str) -> str:
        """Return the type of the file that a class is written to."""
        return file_types.of_class(class_name, self._modular.cased, self._settings)

    def _put_definition(
        self, name: str, definition: ModuleBinding, draft: Draft
    ) -> None:
        """Add a definition to a generated file without changing its code."""
        run = make_output_run(
            member="",
            code=definition.statement.code,
            modular=self._modular.path,
            provenance=Provenance.NEEDED,
        )
        statement = DraftStatement(
            name, [run], definition.words, definition.original.is_definition
        )
        self._put(statement, draft)

    def _put(self, statement: DraftStatement, draft: Draft) -> None:
        """Add a statement to a draft, and count its characters."""
        draft.put(statement)
        self._generated_chars += sum(len(part.code.text) for part in statement.parts)
        self.mentioned |= statement.words - {statement.name}
