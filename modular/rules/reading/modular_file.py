"""A modular file: its definitions, model imports and ordinary imports."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from modular.rules.files.own_files import import_from_sibling
from modular.rules.names.prefixes import ClassPair, PrefixChoice, choose_prefix
from modular.rules.reading.module_changes import add_changes
from modular.rules.reading.renamed_file import ParentSource
from modular.semantics.kept_imports import inlined_part, keeps_bases, kept_part
from modular.semantics.meanings import QualifiedName
from modular.settings.settings import MODELS
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import Definitions, ModuleBinding, find_definitions
from modular.source.diagnostics import Place
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.places import place_of_module


class ModelImport(NamedTuple):
    """An import from a file of another model, and the path of that file."""

    path: str
    import_: Import


@dataclass(eq=False)
class ModularFile:
    """A modular file.

    Attributes:
        module: The statements of the file.
        model: The name of its model.
        cased: The cased name of its model.
        find_parent_path: Returns the path of the parent file that a model import names,
            and None for other imports.
        find_sibling_module: Returns the module beside the modular file that an import
            names, such as `configuration_llama`, and None for other imports.
        package: The package in front of the model's own files in generated imports;
            empty if these are relative.
        keeps_changes: Whether names have all statements that bind or change them.
        keeps_model_imports: Whether names from other models stay imported that no class
            inherits from.
    """

    module: Final[Module]
    model: Final[str]
    cased: Final[str]
    find_parent_path: Final[Callable[[Import], str | None]]
    find_sibling_module: Final[Callable[[Import], str | None]]
    package: Final[str] = ""
    keeps_changes: Final[bool] = False
    keeps_model_imports: Final[bool] = False

    @property
    def path(self) -> str:
        """The path of the file relative to the root."""
        return self.module.path

    @cached_property
    def definitions(self) -> Definitions:
        """The module-level definitions, also those of `__all__` and `__getattr__`."""
        definitions = find_definitions(self.module)
        if self.keeps_changes:
            add_changes(
                definitions,
                self.module.block.statements,
                ModuleBinding,
                is_parent=False,
            )
        return definitions

    def last_assignment(self, name: str) -> Statement | None:
        """Return the last statement that assigns to a name such as `__all__`."""
        definition = self.definitions.assignments.get(name)
        return None if definition is None else definition.statement

    @cached_property
    def model_imports(self) -> tuple[ModelImport, ...]:
        """The imports from files of other models.

        An example is `from ..llama.modeling_llama import X`. The imports are in their
        order. Names that generated files import, too, are left out: their code is
        neither merged nor copied.
        """
        model_imports = []
        for path, import_ in self._imports_of_models:
            inlined = inlined_part(self.module, import_, self.keeps_model_imports)
            if inlined is not None:
                model_imports.append(ModelImport(path, inlined))
        return tuple(model_imports)

    @cached_property
    def _imports_of_models(self) -> tuple[ModelImport, ...]:
        """All imports from files of other models, each with the path of the file."""
        imports = []
        for import_ in self.module.imports:
            path = self.find_parent_path(import_)
            if path is not None:
                imports.append(ModelImport(path, import_))
        return tuple(imports)

    @cached_property
    def kept_names(self) -> Mapping[str, AbstractSet[str]]:
        """The names that stay imported, and are not copied, by the parent file's path.

        Names that are imported under another name, as in `import X as Y`, are left out.
        """
        kept_names: dict[str, set[str]] = {}
        for path, import_ in self._imports_of_models:
            kept = kept_part(self.module, import_, self.keeps_model_imports)
            if kept is not None:
                names = kept_names.setdefault(path, set())
                names.update(alias.name for alias in kept.names if not alias.alias)
        return kept_names

    @cached_property
    def parent_of(self) -> dict[str, str]:
        """The path of the parent file of each name that a model import binds."""
        paths = {}
        for path, import_ in self.model_imports:
            for alias in import_.names:
                paths[alias.bound] = path
        return paths

    @cached_property
    def original_names(self) -> dict[str, str]:
        """The name in its parent file of each name that a model import binds."""
        names = {}
        for _, import_ in self.model_imports:
            for alias in import_.names:
                names[alias.bound] = alias.name
        return names

    @cached_property
    def parent_paths(self) -> tuple[str, ...]:
        """The paths of the parent files in the order of their first imports."""
        return tuple(dict.fromkeys(path for path, _ in self.model_imports))

    @cached_property
    def bases(self) -> dict[str, tuple[str, ...]]:
        """The bases of each class, as written, that may be parent classes to merge.

        A class with the comment `# modular: keep` stays a child of its bases, so its entry
        is empty.
        """
        bases: dict[str, tuple[str, ...]] = {}
        for class_ in self.definitions.classes.values():
            if keeps_bases(class_.statement):
                bases[class_.name] = ()
            else:
                bases[class_.name] = view_definition(class_.statement).bases
        return bases

    @cached_property
    def base_names(self) -> frozenset[str]:
        """The bases of all classes."""
        return frozenset().union(*self.bases.values())

    def parents_of(self, name: str) -> list[str]:
        """Return the bases of a class that come from parent files."""
        return [base for base in self.bases[name] if base in self.parent_of]

    def generic_parents_of(self, name: str) -> list[str]:
        """Return the bases of a class from parent files that have type arguments.

        For the base `LlamaCache[int]`, this is `LlamaCache`.
        """
        names = []
        for base in self.bases[name]:
            base_name, bracket, _ = base.partition("[")
            if bracket and base_name in self.parent_of:
                names.append(base_name)
        return names

    def first_parent_of(self, name: str) -> str:
        """Return the first base of a class from a parent file, without type arguments."""
        return [*self.parents_of(name), *self.generic_parents_of(name)][0]

    def place_of_import(self, parent_path: str) -> Place:
        """Return the place of the first import from a parent file.

        If there is no such import, this is the whole modular file.
        """
        for path, import_ in self.model_imports:
            if path == parent_path:
                return place_of_module(import_)
        return Place(self.path)

    def imported_definition(self, name: str) -> QualifiedName | None:
        """Return the definition in a parent file that a name is imported from, or None."""
        path = self.parent_of.get(name)
        return None if path is None else QualifiedName(path, self.original_names[name])

    def parent_classes(self, name: str) -> list[QualifiedName]:
        """Return the classes of parent files that a class inherits from directly.

        Each class has its name in the parent file, even if it is imported under another.

        Args:
            name: The class. A class that the file does not define has no parent classes.
        """
        parents = []
        for base in self.bases.get(name, ()):
            parent = self.imported_definition(base)
            if parent is not None:
                parents.append(parent)
        return parents

    def children_of(self, path: str) -> list[ClassPair]:
        """Return the classes that inherit from a class of a parent file.

        Args:
            path: The path of the parent file.
        """
        return self._children_by_path.get(path, [])

    @cached_property
    def _children_by_path(self) -> dict[str, list[ClassPair]]:
        """The classes that inherit from a class of a parent file, by the file's path."""
        children: dict[str, list[ClassPair]] = {}
        for class_name in self.bases:
            for parent in self.parent_classes(class_name):
                pair = ClassPair(class_name, parent.name)
                children.setdefault(parent.path, []).append(pair)
        return children

    def choose_prefix(self, source: ParentSource) -> PrefixChoice:
        """Choose what replaces the model's name in the class names of a parent file.

        With the prefix `MyModel`, `LlamaMLP` becomes `MyModelMLP`. If the classes that
        inherit from the file have names such as `MyModelTextMLP`, the prefix is
        `MyModelText`.

        Args:
            source: The parent file.
        """
        return choose_prefix(
            pairs=self.children_of(source.module.path),
            cased=self.cased,
            parent_cased=source.name_forms.cased,
            parent_classes=sorted(source.classes),
            whole_words=source.name_forms.renames_whole_words,
        )

    @cached_property
    def import_statements(self) -> tuple[Statement, ...]:
        """The imports and module-level guards that generated files may contain.

        A guard is an `if` or `try` around imports. From the imports of the modular
        file, they are made as follows:

        - An import from a parent file is left out, because the parent's code is copied:
          `from ..llama.modeling_llama import LlamaMLP`. Names that are not copied stay.
        - An import from a parent file through the models folder stays:
          `from ...models.llama.modeling_llama import LlamaNorm`.
        - An import from the model's own folder in a long form gets the short form:
          `from ..my_model.cache_my_model import X` becomes
          `from .cache_my_model import X`.
        - All others stay.
        """
        copied_imports = set()
        for _, import_ in self.model_imports:
            if not _is_through_models_folder(import_):
                copied_imports.add(import_.statement)

        # The new form of each import that changes; None if it is left out.
        new_forms: dict[Statement, Statement | None] = {}
        for import_ in self.module.imports:
            statement = import_.statement
            sibling_module = self.find_sibling_module(import_)
            if statement in copied_imports:
                kept = kept_part(self.module, import_, self.keeps_model_imports)
                if kept is None:
                    new_forms[statement] = None
                else:
                    new_forms[statement] = replace(statement, code=kept.render())
            elif sibling_module:
                new_forms[statement] = import_from_sibling(
                    import_, sibling_module, self.package
                )

        statements = []
        for statement in self.module.block.statements:
            if statement.kind in (Kind.IMPORT, Kind.GUARD):
                new_form = new_forms.get(statement, statement)
                if new_form is not None:
                    statements.append(new_form)
        return tuple(statements)


def _is_through_models_folder(import_: Import) -> bool:
    """Whether an import names the models folder: `from ...models.llama import X`.

    In `from ..llama import X`, the two dots stand for the models folder.
    """
    is_from_models = (import_.module or "").startswith(f"{MODELS}.")
    return is_from_models and import_.level > 2
