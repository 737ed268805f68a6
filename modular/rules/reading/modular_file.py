"""A modular file as the rules see it: what it defines, what it imports from parent files, and its ordinary imports."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from modular.rules.files.own_files import make_relative
from modular.rules.names.prefixes import PrefixChoice, choose_prefix
from modular.rules.reading.renamed_file import ParentSource
from modular.settings.settings import MODELS
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definitions, definitions
from modular.source.import_statements import Import
from modular.source.module import Module
from modular.source.parts import view_definition


@dataclass(eq=False)
class ModularFile:
    """A modular file, read. ``parent_paths`` gives, for a model import, the parent file that it names."""

    module: Final[Module]
    model: Final[str]
    cased: Final[str]
    parent_path: Final[Callable[[Import], str | None]]
    find_own_module: Final[Callable[[Import], str | None]]

    @property
    def path(self) -> str:
        """The file's path relative to the root."""
        return self.module.path

    @cached_property
    def definitions(self) -> Definitions:
        """What the file defines, `__all__` and `__getattr__` among it."""
        return definitions(self.module)

    def special(self, name: str) -> Statement | None:
        """The last statement that assigns `__all__` or `__getattr__`."""
        definition = self.definitions.assignments.get(name)
        return None if definition is None else definition.statement

    @cached_property
    def model_imports(self) -> tuple[tuple[str, Import], ...]:
        """The model imports, each with the parent file that it names, in file order."""
        resolved = (
            (self.parent_path(import_), import_) for import_ in self.module.imports
        )
        return tuple((path, import_) for path, import_ in resolved if path is not None)

    @cached_property
    def parent_of(self) -> dict[str, str]:
        """The parent file of each name that came through a model import."""
        return {
            name.bound: path
            for path, import_ in self.model_imports
            for name in import_.names
        }

    @cached_property
    def original_names(self) -> dict[str, str]:
        """For each such name, how its own file calls it (it differs where it was imported under another name)."""
        return {
            name.bound: name.name
            for _, import_ in self.model_imports
            for name in import_.names
        }

    @cached_property
    def bases(self) -> dict[str, tuple[str, ...]]:
        """The bases of each class, as written."""
        classes = self.definitions.classes.values()
        return {
            class_.name: view_definition(class_.statement).bases for class_ in classes
        }

    def parents_of(self, name: str) -> list[str]:
        """The bases of a class that came through a model import."""
        return [base for base in self.bases[name] if base in self.parent_of]

    def children_of(self, path: str) -> list[tuple[str, str]]:
        """The classes that inherit from a parent file, each with the name of its parent class there."""
        return [
            (name, self.original_names[base])
            for name in self.definitions.classes
            for base in self.parents_of(name)
            if self.parent_of[base] == path
        ]

    def choose_prefix(self, source: ParentSource) -> PrefixChoice:
        """The prefix that a parent file is renamed to."""
        children = self.children_of(source.module.path)
        return choose_prefix(
            children, self.cased, source.name_forms.cased, sorted(source.classes)
        )

    @cached_property
    def base_names(self) -> frozenset[str]:
        """Every base of every class."""
        return frozenset(base for bases in self.bases.values() for base in bases)

    @cached_property
    def parent_paths(self) -> tuple[str, ...]:
        """The parent files, in the order in which they are first imported."""
        return tuple(dict.fromkeys(path for path, _ in self.model_imports))

    @cached_property
    def import_statements(self) -> tuple[Statement, ...]:
        """The imports that may go into an output file, and the guards at module level, in file order.

        Among them are model imports that name the folder of all models, `from ...models.llama.modeling_llama import X`.
        """
        taken = {
            id(import_.statement)
            for _, import_ in self.model_imports
            if not _names_the_models_folder(import_)
        }
        own = {
            id(import_.statement): make_relative(import_, module)
            for import_ in self.module.imports
            if (module := self.find_own_module(import_))
        }
        return tuple(
            own.get(id(statement), statement)
            for statement in self.module.block.statements
            if statement.kind in (Kind.IMPORT, Kind.GUARD)
            and id(statement) not in taken
        )


def _names_the_models_folder(statement: Import) -> bool:
    return statement.level > 2 and (statement.module or "").startswith(f"{MODELS}.")
