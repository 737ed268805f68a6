"""Classes keep the order of the modular file, and each class comes after what it uses.

The classes, functions and assignments that a class uses are called its dependencies
(see `dependencies`). modular writes the dependencies above the class, in the order
below. A dependency keeps its place only if it is a class that the modular file defines
further down, such as `MyModelNorm` in the example.

If the class has a parent class:

1. **Classes of the parent file,** in the order of that file. Directly above each class
   come those of its own dependencies that are not written yet.
2. **All other dependencies.**

Directly above a class, and in the second group, definitions of the parent file come
first, in the order of that file. Definitions of the modular file follow, in its order.
Three rules decide the other cases:

- **If both files define a name,** the position in the parent file counts for classes
  and for definitions directly above a class of the first group. In the second group,
  the position in the modular file counts.
- **If a file defines a name twice,** the first definition decides the position.
- **If a definition comes from another parent file than the parent class,** it comes
  after the definitions of the parent file and before those of the modular file.
  Definitions of this kind, classes included, are in reverse alphabetical order.

If the class has no parent class:

1. **Copies from parent files,** in the order of each file. The files are sorted by
   their alphabetically first name.
2. **Definitions of the modular file,** in its order.

The names of the setting `first-names` (`logger`, `_CHECKPOINT_FOR_DOC`,
`_CONFIG_FOR_DOC`) come first in every file that uses them. In projects other than
transformers, the modeling file contains these definitions even if it does not use them.

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

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from modular.flatten.merged_class import MergedClass
from modular.flatten.policy import Policy
from modular.flatten.python_policy import PythonPolicy
from modular.flatten.transformers_policy import TransformersPolicy
from modular.project import file_types
from modular.project.cased_names import CasedNames
from modular.rules.classes import kept_parents
from modular.rules.classes.merge_record import Obstacle
from modular.rules.files.copied_in import copy_imported_statements
from modular.rules.files.dependencies import DependencyScope
from modular.rules.files.drafts import (
    ALL,
    GETATTR,
    Draft,
    DraftStatement,
    Provenance,
    make_output_run,
)
from modular.rules.files.load_order import order_for_import, order_like_sources
from modular.rules.names import class_names
from modular.rules.reading.merging import merge_definitions
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.kept_imports import without_keep_comment
from modular.semantics.meanings import Definition
from modular.semantics.resolver import Resolver
from modular.settings.settings import CONFIGURATION, Settings
from modular.source.blocks import Kind, Statement, make_statement, split
from modular.source.definition_view import view_definition
from modular.source.definitions import Definitions, ModuleBinding
from modular.source.diagnostics import Diagnostic, Problem, has_errors
from modular.source.indentation import normalize_indentation
from modular.source.places import place_of
from modular.source.source_slice import SourceSlice, find_word, synthetic
from modular.system.steps import Work


MAX_CLASSES = 2_000
MAX_GENERATED_CHARS = 5_000_000
"""Bounds for one modular file: a short file can inherit many times from a long class.
The time of a conversion depends on them."""


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
        kept_parents: The classes whose parent class is a base of the generated class,
            each with the obstacle because of which they are not merged.
        private_names: The private names of such parent classes.
        is_complete: Whether there are no errors, and all classes could be merged.
    """

    modular: ModularFile
    parents: Mapping[str, RenamedFile]
    drafts: Mapping[str, Draft]
    flattened: Mapping[str, MergedClass]
    mentioned: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    kept_parents: Mapping[str, Obstacle]
    private_names: frozenset[str]
    is_complete: bool


def lay_out(
    modular: ModularFile,
    parents: Mapping[str, RenamedFile],
    names: CasedNames,
    settings: Settings,
    parents_to_keep: Mapping[str, Obstacle] = MappingProxyType({}),
    known: Mapping[str, MergedClass] = MappingProxyType({}),
) -> Work[Layout]:
    """Merge the classes of a modular file with their parents, and assign them to files.

    `MyModelConfig` goes to the configuration file, `MyModelMLP` to the modeling file,
    both with all that they depend on.

    Args:
        modular: The modular file, which the author writes.
        parents: Its parent files by path, renamed to its model.
        names: The cased names of the project's models.
        settings: The settings of the project.
        parents_to_keep: The classes whose parent class is not merged with them, each
            with the obstacle that prevents the merge.
        known: The classes that an earlier layout of the same files has merged.

    Yields:
        None after each class.
    """
    builder = _LayoutBuilder(modular, parents, names, settings, parents_to_keep, known)
    yield from builder.add_classes()
    if builder.is_complete:
        copy_imported_statements(builder.drafts, settings)
        for draft in builder.drafts.values():
            order_for_import(draft, settings.first_names)
            if settings.is_like_python:
                order_like_sources(draft, settings.first_names)
    return Layout(
        modular=modular,
        parents=parents,
        drafts=builder.drafts,
        flattened=builder.flattened,
        mentioned=frozenset(builder.mentioned),
        diagnostics=tuple(builder.diagnostics),
        kept_parents=parents_to_keep,
        private_names=builder.private_names,
        is_complete=builder.is_complete,
    )


class _LayoutBuilder:
    """Adds the classes of one modular file to its output files, with dependencies.

    The public attributes are the parts of the `Layout`, which `add_classes` fills.

    Attributes:
        drafts: The output files by file type.
        flattened: The flattened classes by name.
        mentioned: All identifiers that statements use, except for their own names.
        diagnostics: The errors so far.
        private_names: The private names of kept parent classes.
    """

    def __init__(
        self,
        modular: ModularFile,
        parents: Mapping[str, RenamedFile],
        names: CasedNames,
        settings: Settings,
        parents_to_keep: Collection[str],
        known: Mapping[str, MergedClass],
    ) -> None:
        """Collect the names that classes can use; `add_classes` fills the output files.

        Args:
            modular: The modular file, which the author writes.
            parents: Its parent files by path, renamed to its model.
            names: The cased names of the project's models.
            settings: The settings of the project.
            parents_to_keep: The classes whose parent class is not merged with them.
            known: The classes that an earlier layout of the same files has merged.
        """
        # The keys are file types, such as `modeling`.
        self.drafts: dict[str, Draft] = {}
        # The keys are names of classes of the modular file.
        self.flattened: dict[str, MergedClass] = {}
        # The identifiers that statements of the drafts use.
        self.mentioned: set[str] = set()
        self.diagnostics: list[Diagnostic] = []
        self._modular = modular
        self._parents = parents
        self._cased_names = names
        self._settings = settings
        self._parents_to_keep = parents_to_keep
        self._known = known
        self._kept_names = self._name_kept_parents(parents_to_keep)
        names_in_parent_files = set[str]()
        for file in parents.values():
            names_in_parent_files.update(file.definitions.classes)
        self.private_names = (
            frozenset(self._kept_names.values()) - names_in_parent_files
        )
        # The total length of all drafts, which MAX_GENERATED_CHARS limits.
        self._generated_chars = 0
        # The definitions that the classes with a parent class can use, by the path of the
        # parent file: those of the parent file and those of the modular file.
        self._parent_scopes = {
            path: merge_definitions(file, modular.definitions, settings)
            for path, file in parents.items()
        }
        # The definitions that the classes without a parent class can use: those of the
        # modular file, and copies from parent files. While they are copied, `_copied_from`
        # gets the path of the parent file of each copied name.
        self._copied_from: dict[str, str] = {}
        self._modular_scope = self._make_modular_scope()

    def add_classes(self) -> Iterator[None]:
        """Add every class of the modular file to a generated file.

        The dependencies of a class are added before it. If it has a parent class, both
        are merged first. An error is recorded if too much code is generated.

        Yields:
            None after each class.
        """
        classes = self._modular.definitions.classes
        for count, class_ in enumerate(classes.values(), start=1):
            file_type = self._file_type(class_.name)
            draft = self.drafts.setdefault(file_type, Draft(file_type))
            if self._is_whole_model(draft):
                self._add_statements_above(class_, draft)
            if class_.name in self._parents_to_keep:
                # A kept parent class may have type arguments: `LlamaCache[int]`.
                parent_classes = [self._modular.first_parent_of(class_.name)]
            else:
                parent_classes = self._modular.parents_of(class_.name)
            if parent_classes:
                # If there are several parent classes, the conversion has stopped before.
                self._add_class_with_parent(class_, parent_classes[0], draft)
            else:
                self._add_class_without_parent(class_, draft)

            if self._generated_chars > MAX_GENERATED_CHARS or count > MAX_CLASSES:
                self._report_size(class_)
                return
            yield
        # In transformers itself, a `logger` that nothing uses is left out, because
        # upstream's converter does not generate one there.
        if not self._settings.is_library:
            self._add_unused_assignments()
        if self._settings.is_like_python:
            self._add_users_of_classes()

    def _add_users_of_classes(self) -> None:
        """Add the statements and definitions that use a generated class.

        Examples are `EntryClass = OlmoModel` and `register(OlmoModel)`. Each of them is
        added to the file of the class, or to the modeling file if it uses classes of
        several files. If a model is one file, all remaining statements are added to it.
        """
        classes = self._modular.definitions.classes.keys()
        default_type = self._settings.default_file_type
        # The modeling file comes first, so it gets users of classes of several files.
        drafts = sorted(
            self.drafts.values(), key=lambda draft: draft.file_type != default_type
        )
        for key, binding in self._modular_statements.items():
            is_written = any(key in draft.statements for draft in drafts)
            if is_written:
                continue
            for draft in drafts:
                used_classes = binding.words & draft.statements.keys() & classes
                if used_classes or self._is_whole_model(draft):
                    self._add_statement(key, draft)
                    break

    def _is_whole_model(self, draft: Draft) -> bool:
        """Whether a file gets all statements of the modular file, in their order.

        It does if a model is one file. A file whose type has a pattern of its own, such
        as `{model}_config`, gets only what its classes use.
        """
        is_default_type = draft.file_type == self._settings.default_file_type
        return is_default_type and not self._settings.file_names.has_types

    @cached_property
    def _modular_statements(self) -> dict[str, ModuleBinding]:
        """The functions and assignments of the modular file by key.

        The key of a function is its name. A statement that changes a name, such as
        `TABLE.update(x)`, has a key that begins with its code. Classes, `__all__` and
        `__getattr__` are left out.
        """
        classes = self._modular.definitions.classes
        statements = {}
        for key, binding in self._modular_scope.bindings.items():
            is_copied = binding.original.code.path != self._modular.path
            if is_copied or key in classes or key in (ALL, GETATTR):
                continue
            sets_class_attribute = binding.is_item and binding.name in classes
            is_change = key in self._modular.definitions.changes
            if sets_class_attribute and self._modular.keeps_changes and not is_change:
                # `MyModel.size = 4` is also among the changes, under another key.
                continue
            statements[key] = binding
        return statements

    def _add_statements_above(self, class_: ModuleBinding, draft: Draft) -> None:
        """Add the statements of the modular file that are above a class to its file."""
        lines = self._modular.definitions.lines
        keys_above = []
        for key in sorted(self._modular_statements.keys() - draft.statements.keys()):
            if lines.get(key, 0) < class_.original.line:
                keys_above.append(key)
        for key in _sort_by_lines(keys_above, lines):
            self._add_statement(key, draft)

    def _add_statement(self, key: str, draft: Draft) -> None:
        """Add a statement of the modular file, and all that it needs, to a generated file.

        Args:
            key: The name that the statement defines. A statement that changes a name, such
                as `TABLE.update(x)`, has a key that begins with its code.
            draft: The generated file.
        """
        # The definitions that the statement can use.
        scope = self._modular_scope
        dependencies = {key, *scope.object_dependencies(key)}
        copied = self._import_or_copy(dependencies, scope, draft) | {key}
        for name in self._sort_by_files(copied - draft.statements.keys()):
            self._put_from(scope, name, draft)

    def _add_unused_assignments(self) -> None:
        """Add `logger = ...` and similar assignments that no class uses.

        The setting `first-names` lists their names. They are written at the top of the
        modeling file.
        """
        draft = self.drafts.get(self._settings.default_file_type)
        if draft is None:
            return
        for name in self._settings.first_names:
            assignment = self._modular.definitions.assignments.get(name)
            # A class that uses the name has added it already.
            if assignment is None or name in draft.statements:
                continue
            dependencies = self._modular_scope.dependencies_of_words(
                assignment.words, name
            )
            # An assignment at the top of the file cannot use definitions below it.
            if not dependencies:
                self._put_definition(name, assignment, draft)

    def _report_size(self, definition: ModuleBinding) -> None:
        """Report that too much code is generated.

        The limits protect against input that was made to exhaust memory.

        Args:
            definition: The class with which a limit was exceeded.
        """
        diagnostic = Diagnostic(
            Problem.TOO_LARGE,
            place_of(definition.statement.bare_code),
            f"more than {MAX_GENERATED_CHARS} characters or {MAX_CLASSES} classes are "
            f"generated, up to `{definition.name}`",
            "split it into several models",
        )
        self.diagnostics.append(diagnostic)

    @property
    def is_complete(self) -> bool:
        """Whether there are no errors so far, and all classes could be merged."""
        if has_errors(self.diagnostics):
            return False
        return not any(
            merged_class.obstacles for merged_class in self.flattened.values()
        )

    def _make_modular_scope(self) -> DependencyScope:
        """Return the definitions that the classes without a parent class can use.

        These are the definitions of the modular file, and copies of the functions and
        assignments that the modular file imports from parent files, as in
        `from ..llama.modeling_llama import rotate`. Imported classes are not copied.
        """
        modular_definitions = self._modular.definitions
        usable = Definitions()
        for definition in modular_definitions.by_name().values():
            usable.add(definition)
        usable.add_changes(modular_definitions)
        for imported_name, path in self._modular.parent_of.items():
            # For `import rotate as turn`, the parent file defines `rotate`.
            name = self._modular.original_names[imported_name]
            parent_scope = self._parent_scopes[path]
            if self._settings.is_like_python:
                name = self._parents[path].renamer.word(name)
            if name not in parent_scope.bindings or parent_scope.is_class(name):
                continue
            # A name is not copied if the modular file defines it, or if it was copied as a
            # dependency of another imported function.
            if name not in usable:
                self._copy_with_dependencies(name, path, usable)
                # Upstream's converter shares functions, but no assignments.
                if parent_scope.bindings[name].kind is Kind.FUNCTION:
                    self._share_with_parent_scopes(name, parent_scope)
            if self._settings.is_like_python:
                self._share_imported_name(imported_name, name, path, usable)
        return DependencyScope(
            usable, parent_lines={}, modular_lines=modular_definitions.lines
        )

    def _copy_with_dependencies(
        self, name: str, path: str, target: Definitions
    ) -> None:
        """Copy a function or assignment, and all that it uses, from a parent file.

        If the body of `rotate` uses the constant `SLOPE`, both are copied. Names that the
        modular file defines itself are not copied.

        Args:
            name: The name of the function or assignment in the parent file.
            path: The path of the parent file.
            target: The definitions to which the copies are added.
        """
        parent = self._parent_scopes[path]
        modular_names = self._modular.definitions.by_name().keys()
        for key in [name, *sorted(parent.object_dependencies(name))]:
            binding = parent.bindings[key]
            # `TABLE.update(x)` changes `TABLE`, and `A, B = 1, 2` binds two names.
            is_change = key in parent.bound_by
            if is_change:
                affected_names = parent.names_changed_by(key)
            else:
                # The key of `TABLE["x"] = 1` is its code, and its name is `TABLE`.
                affected_names = [key, binding.name]
            # If the modular file defines `TABLE`, statements of the parent that change
            # `TABLE` are not copied either.
            is_defined_by_modular = not modular_names.isdisjoint(affected_names)
            if is_defined_by_modular:
                continue
            if is_change:
                target.add_change(binding, affected_names, parent.bound_by[key], key)
            else:
                target.add(binding)
            self._copied_from[key] = path

    def _share_imported_name(
        self, imported_name: str, name: str, path: str, target: Definitions
    ) -> None:
        """Make a copied function or value available under the name of its import.

        After `from ..llama.modeling_llama import rotate as turn`, the generated file
        has `turn = rotate` below `rotate`, so that all classes of the modular file can
        use `turn`.

        Args:
            imported_name: The name of the import, `turn`.
            name: The name of the copy, `rotate`.
            path: The path of the parent file.
            target: The definitions to which `turn = rotate` is added.
        """
        source = self._parent_scopes[path]
        copied_keys = {name, *source.object_dependencies(name)}
        alias = None
        if imported_name != name and imported_name not in target:
            line = self._line_of_import(imported_name, path)
            code = synthetic(f"{imported_name} = {name}\n", self._modular.path, line)
            alias = ModuleBinding(imported_name, split(code).statements[0])
            target.add(alias)
        # Classes with a parent class can use the copies, too, unless their parent file
        # defines the same names itself.
        for scope in self._parent_scopes.values():
            for key in copied_keys - scope.bindings.keys():
                scope.adopt(key, source.bindings[key], source.object_dependencies(key))
                if key in source.bound_by:
                    scope.adopt_change(key, source)
            if alias is not None and imported_name not in scope.bindings:
                scope.adopt(imported_name, alias, frozenset(copied_keys))

    def _line_of_import(self, imported_name: str, path: str) -> int:
        """Return the line on which the modular file imports a name from a parent file."""
        for import_path, import_ in self._modular.model_imports:
            if import_path == path and imported_name in import_.bound_names:
                return import_.statement.line
        raise ValueError("the modular file does not import the name")

    def _share_with_parent_scopes(self, name: str, source: DependencyScope) -> None:
        """Make an imported function replace all functions of its name in parent files.

        If the modular file imports `rotate` from llama, a class that inherits from bert and
        calls `rotate` gets the `rotate` of llama. It also gets the definitions of llama
        that `rotate` uses, such as `SLOPE`.

        Args:
            name: The name of the function in its parent file.
            source: The scope of this parent file.
        """
        # In each scope, a `SLOPE` of bert or of the modular file is replaced.
        for scope in self._parent_scopes.values():
            for key in (name, *sorted(source.object_dependencies(name))):
                scope.adopt(key, source.bindings[key], source.object_dependencies(key))

    def _add_class_with_parent(
        self, definition: ModuleBinding, base: str, draft: Draft
    ) -> None:
        """Merge a class with its parent class, and add it to a generated file.

        If the parent class is kept, both are added. The definitions that they use are added
        before them, or imported from the other generated files of the model.

        Args:
            definition: The class of the modular file.
            base: The name of the parent class in the modular file, such as `LlamaMLP`.
            draft: The generated file.
        """
        path = self._modular.parent_of[base]
        # The definitions that the class can use.
        scope = self._parent_scopes[path]
        parent_name = self._name_in_renamed_file(base)
        if definition.name in self._parents_to_keep:
            statements = self._keep_parent(definition, base)
            new_parent_name = self._kept_names[base]
        else:
            statements = [self._merge_with_parent(definition, base)]
            new_parent_name = definition.name
        words: set[str] = set()
        for statement in statements:
            words |= self._with_kept_names(statement).words

        # A name that the parent file imports from another file of its model, such as the
        # configuration, is not copied: `assembly.py` adds the same import. Neither is a name
        # that the modular file imports from the parent file.
        words -= self._parents[path].sibling_names
        words -= self._modular.kept_names.get(path, set())
        dependencies = scope.dependencies_of_words(words, definition.name)
        dependencies |= scope.dependencies_of_changes(parent_name)
        dependencies |= scope.dependencies_of_changes(definition.name)
        if definition.name in self._parents_to_keep:
            # `LlamaMLP.size = 4` in the modular file changes the kept parent class.
            dependencies |= scope.dependencies_of_changes(base)
        copied = self._import_or_copy(dependencies, scope, draft)
        # A copied class, such as `MyModelNorm`, needs its own dependencies, too. Definitions
        # that the file has already are left out.
        missing = scope.with_class_dependencies(copied, written=draft.statements)
        for key in scope.sort_dependencies(missing):
            if self._changes_parent_class(key, scope, parent_name):
                self._put_change_of_parent(key, scope, new_parent_name, draft)
            else:
                self._put_from(scope, key, draft)
        # The body of a class can change a name, as `size = next(SIZES)` does.
        if not scope.registrations.isdisjoint({parent_name, definition.name}):
            draft.has_changes = True
        for statement in statements:
            # Another class may have added the same kept parent class.
            is_kept_parent = statement.name != definition.name
            if not is_kept_parent or statement.name not in draft.statements:
                self._put(statement, draft)

    def _name_in_renamed_file(self, base: str) -> str:
        """Return the name that a parent class, such as `LlamaMLP`, has after renaming."""
        file = self._parents[self._modular.parent_of[base]]
        # After `import LlamaMLP as MLP`, the base is `MLP`.
        return file.renamer.word(self._modular.original_names[base])

    def _merge_with_parent(
        self, definition: ModuleBinding, base: str
    ) -> DraftStatement:
        """Return a class of the modular file, merged with its parent class.

        Args:
            definition: The class of the modular file.
            base: The name of the parent class in the modular file.
        """
        merged_class = self._known.get(definition.name)
        if merged_class is None:
            merged_class = self._flatten(definition.statement, base)
        self.diagnostics += merged_class.diagnostics
        self.flattened[definition.name] = merged_class
        return DraftStatement(
            definition.name, list(merged_class.parts), merged_class.words
        )

    def _keep_parent(
        self, definition: ModuleBinding, base: str
    ) -> list[DraftStatement]:
        """Return the child of a kept parent class and, if needed, the parent class above it.

        The parent class is only in the list if it gets a name of its own, such as
        `LlamaMLP`. Otherwise it is a dependency of its child like any other class.

        Args:
            definition: The class of the modular file.
            base: The name of the parent class in the modular file.
        """
        name_in_renamed_file = self._name_in_renamed_file(base)
        kept_name = self._kept_names[base]
        # The statements in their order: the parent class above its child.
        code_by_name = {}
        has_name_of_its_own = kept_name != name_in_renamed_file
        if has_name_of_its_own:
            file = self._parents[self._modular.parent_of[base]]
            parent = file.definitions.classes[name_in_renamed_file].statement
            code_by_name[kept_name] = kept_parents.keep_parent(parent, kept_name)
        code_by_name[definition.name] = definition.statement.code
        statements = []
        for name, code in code_by_name.items():
            run = make_output_run(code, self._modular.path, Provenance.INHERITED)
            statements.append(DraftStatement(name, [run], code.words()))
        return statements

    def _name_kept_parents(self, children: Iterable[str]) -> dict[str, str]:
        """Return the names that kept parent classes get in the generated file.

        `LlamaMLP` becomes `MyModelMLP`, like all other classes of its file. If the modular
        file or another parent file has a class of this name, the parent class keeps its
        own name, so that its `__name__` is that of Python. If this name is taken, too, it
        gets a private name: `_LlamaMLP`.

        Args:
            children: The classes of the modular file whose parent class is kept.

        Returns:
            The name of each kept parent class, by its name in the modular file.
        """
        modular = self._modular
        names: dict[str, str] = {}
        for child in children:
            base = modular.first_parent_of(child)
            # Two classes can have the same parent class.
            if base in names:
                continue
            original_name = modular.original_names[base]
            name = self._name_in_renamed_file(base)
            is_taken = self._is_defined_elsewhere(name, modular.parent_of[base])
            if is_taken and self._is_free(original_name, base):
                name = original_name
            elif is_taken:
                words_in_use = {*names.values(), *modular.module.code.words()}
                for file in self._parents.values():
                    words_in_use |= file.source.module.code.words()
                name = kept_parents.choose_name(original_name, words_in_use)
            names[base] = name
        return names

    def _is_free(self, original_name: str, base: str) -> bool:
        """Whether a kept parent class can have its original name in the generated file.

        In the modular file, the name must mean the parent class. In its own file, it is
        renamed everywhere. No other parent file may mention it.

        Args:
            original_name: The name of the parent class in its own file: `LlamaMLP`.
            base: Its name in the modular file.
        """
        if base != original_name or base in self._modular.definitions:
            return False
        if self._name_in_renamed_file(base) == original_name:
            return False
        for path, file in self._parents.items():
            is_own_file = path == self._modular.parent_of[base]
            if not is_own_file and original_name in file.source.module.code.words():
                return False
        return True

    def _is_defined_elsewhere(self, name: str, path: str) -> bool:
        """Whether the modular file or another parent file defines a class's new name.

        Args:
            name: The new name of the class.
            path: The path of the parent file with the class.
        """
        if name in self._modular.definitions.classes:
            return True
        for other_path, file in self._parents.items():
            if other_path != path and name in file.definitions:
                return True
        return False

    def _with_kept_names(self, statement: DraftStatement) -> DraftStatement:
        """Return a statement with the new names of kept parent classes.

        Only code of the modular file is changed. Code of parent files is already renamed.
        """
        if statement.words.isdisjoint(self._kept_names):
            return statement
        parts = []
        words = set(statement.words)
        for run in statement.parts:
            if run.code.path == self._modular.path:
                code = kept_parents.rename_uses(run.code, self._kept_names)
                words |= code.words()
                run = run._replace(code=code)
            parts.append(run)
        return replace(statement, parts=parts, words=words)

    def _import_or_copy(
        self, dependencies: Iterable[str], scope: DependencyScope, draft: Draft
    ) -> set[str]:
        """Import what other files define, and return the dependencies to copy now.

        For example, the modeling file imports `MyModelConfig` from the configuration
        file. Two kinds of dependencies are neither imported nor copied:

        - Classes of the modular file, because `add_classes` adds them one by one.
        - If a model is one file, all other statements of the modular file, which are added
          later.

        Args:
            dependencies: The names of the dependencies of a class or statement.
            scope: The definitions that it can use.
            draft: The generated file that it is written to.
        """
        added_later: AbstractSet[str] = self._modular.definitions.classes.keys()
        if self._is_whole_model(draft):
            added_later = added_later | self._modular_statements.keys()
        names_to_copy = set()
        for name in dependencies:
            # Only classes belong to a certain file. All else is copied where it is used.
            file_type = draft.file_type
            if scope.is_class(name):
                file_type = self._file_type(name)
            if file_type != draft.file_type:
                draft.sibling_imports[name] = file_type
            elif name not in added_later:
                names_to_copy.add(name)
        return names_to_copy

    def _flatten(self, statement: Statement, base: str) -> MergedClass:
        """Merge a class with its parent class, by the policy that the settings choose.

        Args:
            statement: The class of the modular file.
            base: The base that is the parent class, such as `LlamaMLP`.

        Returns:
            The record of the merge, from which the class is written later.
        """
        file = self._parents[self._modular.parent_of[base]]
        is_configuration = self._file_type(statement.name) == CONFIGURATION
        merges_docstrings = self._settings.merge_docstrings and is_configuration
        parent = self._read_parent_class(base, statement.name)
        parent_view = view_definition(normalize_indentation(parent))
        child_view = view_definition(normalize_indentation(statement))
        policy: Policy
        if self._settings.is_like_python:
            policy = PythonPolicy(
                parent_view, child_view, base, lambda name: self._find_class(name, file)
            )
        else:
            policy = TransformersPolicy(
                parent_view,
                child_view,
                base,
                self._settings.added_decorators,
                lambda member: self._bases_lack(member, base, file),
            )
        return policy.plan(merges_docstrings)

    def _bases_lack(self, member: str, base: str, file: RenamedFile) -> bool:
        """Whether certainly no base of a parent class has a member.

        The answer is no if a base is not known, as one from another file.

        Args:
            member: The name of the member.
            base: The name of the parent class in the modular file.
            file: The parent file, renamed to the model of the modular file.
        """
        module = file.source.module
        resolver = Resolver.of_file(module)
        parent = resolver.meaning(module.path, self._modular.original_names[base])
        return isinstance(parent, Definition) and resolver.bases_lack(parent, member)

    def _find_class(self, name: str, file: RenamedFile) -> Statement | None:
        """Return a class of the modular file or of a renamed parent file; None for others."""
        for definitions in (self._modular.definitions, file.definitions):
            if name in definitions.classes:
                return definitions.classes[name].statement
        return None

    def _read_parent_class(self, base: str, child_name: str) -> Statement:
        """Return a parent class whose strings and comments name the child class.

        In the renamed parent file, `LlamaMLP` is called `MyModelMLP`. Its child can have
        a longer name, `class MyModelVisionMLP(LlamaMLP)`. Then a comment about
        `MyModelMLP` becomes one about `MyModelVisionMLP`.

        Args:
            base: The name of the parent class in the modular file.
            child_name: The name of its child.
        """
        file = self._parents[self._modular.parent_of[base]]
        # The name in the renamed parent file is `MyModelMLP`.
        name_in_renamed_file = self._name_in_renamed_file(base)
        parent = file.definitions.classes[name_in_renamed_file].statement

        def rename(code: SourceSlice) -> SourceSlice:
            """Replace the parent's name with the child's in strings and comments."""
            return class_names.rename_prose_of_class(
                code,
                name_in_renamed_file,
                child_name,
                self._cased_names,
                self._settings.keep_names,
            )

        return make_statement(
            code=rename(parent.code),
            # The code begins with the comments above the class, which are renamed, too.
            start=len(rename(parent.lead).text),
            kind=parent.kind,
            # Messages name the parent class as the author wrote it in the modular file.
            name=base,
            original=parent.original or parent,
        )

    def _add_class_without_parent(
        self, definition: ModuleBinding, draft: Draft
    ) -> None:
        """Add a class without a parent class to a generated file, without changes.

        The definitions that it uses are added before it, or imported from the other
        generated files of the model. Only the comment `# modular: keep` is dropped.

        Args:
            definition: The class of the modular file.
            draft: The generated file.
        """
        # The definitions that the class can use.
        scope = self._modular_scope
        dependencies = scope.dependencies_of_words(definition.words, definition.name)
        # `MyModelMLP.size = SIZE` changes the class, and needs `SIZE`.
        dependencies |= scope.dependencies_of_changes(definition.name)
        names_to_copy = self._import_or_copy(dependencies, scope, draft)
        missing = names_to_copy - draft.statements.keys()
        for name in self._sort_by_files(missing):
            self._put_from(scope, name, draft)
        statement = definition.statement
        code = without_keep_comment(statement)
        has_keep_comment = code is not statement.code
        if has_keep_comment:
            statement = replace(statement, code=code)
            definition = ModuleBinding(definition.name, statement)
        self._put_definition(definition.name, definition, draft)

    def _sort_by_files(self, names: Iterable[str]) -> list[str]:
        """Sort the dependencies of a class by the files and lines that define them.

        Names from parent files come first, file by file. Names of the modular file follow.
        The names of one file are in the order of their lines. If `turn` and `add` come from
        llama, and `mask` from bert, llama comes before bert, because the alphabetically
        first name is `add`.
        """
        names_by_path: dict[str, list[str]] = {}
        for name in sorted(names):
            path = self._copied_from.get(name, self._modular.path)
            names_by_path.setdefault(path, []).append(name)
        modular_names = names_by_path.pop(self._modular.path, [])

        ordered = []
        for path, names_of_file in names_by_path.items():
            lines = self._parent_scopes[path].parent_lines
            ordered += _sort_by_lines(names_of_file, lines)
        return ordered + _sort_by_lines(
            modular_names, self._modular_scope.modular_lines
        )

    def _file_type(self, class_name: str) -> str:
        """Return the type of the file that a class is written to."""
        return file_types.of_class(class_name, self._modular.cased, self._settings)

    def _put_from(self, scope: DependencyScope, key: str, draft: Draft) -> None:
        """Add a definition, or a statement that changes a name, to a generated file.

        Args:
            scope: The scope with the definition or statement.
            key: The name of the definition. A statement that changes a name, such as
                `TABLE.update(x)`, has a key that begins with its code.
            draft: The generated file.
        """
        changes_name = key in scope.bound_by
        if changes_name:
            self._note_change(key, scope, draft)
        # A function with `@register` is a definition that also changes `TABLE`.
        if key in scope.registrations:
            draft.has_changes = True
        self._put_definition(key, scope.bindings[key], draft)

    def _note_change(self, key: str, scope: DependencyScope, draft: Draft) -> None:
        """Record in a file that one of its statements changes or binds other names."""
        draft.has_changes = True
        for bound_name in scope.bound_by[key]:
            draft.other_names[bound_name] = key

    def _changes_parent_class(
        self, key: str, scope: DependencyScope, parent_name: str
    ) -> bool:
        """Whether a statement of a parent file changes a class: `LlamaMLP.size = 4`."""
        binding = scope.bindings[key]
        is_of_parent = binding.original.code.path != self._modular.path
        return key in scope.bound_by and is_of_parent and binding.name == parent_name

    def _put_change_of_parent(
        self, key: str, scope: DependencyScope, new_name: str, draft: Draft
    ) -> None:
        """Add a statement that changes a parent class, with a new name for the class.

        With the new name `MyModelMLP`, `LlamaMLP.size = 4` becomes `MyModelMLP.size = 4`.

        Args:
            key: The key of the statement in the scope, which begins with its code.
            scope: The scope with the parent file's statements.
            new_name: The name of the merged class, or of the kept parent class.
            draft: The generated file.
        """
        self._note_change(key, scope, draft)
        binding = scope.bindings[key]
        code = binding.statement.code
        edits = []
        for start in find_word(code.masked_text, binding.name):
            edits.append((start, start + len(binding.name), new_name))
        renamed = split(code.replace(edits)).statements[0]
        # Each child of the parent class has such a statement of its own.
        new_key = f"{key} for {new_name}"
        self._put_definition(new_key, ModuleBinding(new_name, renamed), draft)

    def _put_definition(
        self, name: str, definition: ModuleBinding, draft: Draft
    ) -> None:
        """Add a definition to a generated file, with its code as it is."""
        run = make_output_run(
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
        statement = self._with_kept_names(statement)
        draft.put(statement)
        self._generated_chars += sum(len(part.code.text) for part in statement.parts)
        self.mentioned |= statement.words - {statement.name}


def _sort_by_lines(names: Iterable[str], lines: Mapping[str, int]) -> list[str]:
    """Sort the names of a file by their lines; those of one line keep their order."""
    return sorted(names, key=lambda name: lines.get(name, 0))
