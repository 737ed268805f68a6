"""Parent files, renamed as the converter does it, and classes derived from theirs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from modular.conversion.converter import Converter
from modular.infer.derive import DerivedClass, derive_class
from modular.infer.equivalence import equal_after_formatting
from modular.infer.flat import FlatModel
from modular.project import file_types
from modular.project.naming import parent_alias
from modular.project.project import Project
from modular.rules.names import class_names, prefixes
from modular.rules.reading.modular_file import ModularFile
from modular.rules.reading.renamed_file import RenamedFile
from modular.semantics.imports import parent_module
from modular.settings.settings import CONFIGURATION
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.definitions import ModuleBinding
from modular.source.indentation import normalize_indentation
from modular.source.source_slice import SourceSlice


_WHOLE_BONUS = 3
"""Lines added to the worth of a class that may not have to be mentioned at all."""

_REORDERING_COST = 40
"""Lines subtracted from the worth of a class whose lines would be reordered."""


class ParentClass(NamedTuple):
    """A class of another model: its file, and its name there."""

    path: str
    name: str


@dataclass(frozen=True)
class ImportedParent:
    """A parent class, and the name under which a modular file imports it."""

    class_: ParentClass
    imported_name: str


NearestClasses = Mapping[str, Sequence[ParentClass]]
"""Maps each flat class or function to the nearest ones of other models, best first."""


class PrefixedFile(NamedTuple):
    """A parent file, and the prefix that replaces its model's name in class names."""

    path: str
    prefix: str


@dataclass(frozen=True)
class RenamedParent:
    """A parent file whose names are replaced by those of the child's model."""

    path: str
    file: RenamedFile

    @cached_property
    def bindings(self) -> dict[str, ModuleBinding]:
        """The definitions by their new names."""
        return self.file.definitions.by_name()

    @cached_property
    def original_names(self) -> dict[str, str]:
        """The original name of each definition by its new name."""
        return {
            self.file.renamer.word(statement.name): statement.name
            for statement in self.file.source.module.block.statements
            if statement.name
        }


@dataclass(frozen=True, slots=True)
class ParentCandidate:
    """A flat class and a class that it could inherit from.

    Attributes:
        child: The name of the flat class.
        parent: The parent class.
        prefix: The prefix under which the parent file is renamed.
        derived: The flat class as a child of the parent class.
        worth: The number of lines that this saves, adjusted by a bonus or cost.
        imported_name: The name under which the modular file imports the parent class.
    """

    child: str
    parent: ParentClass
    prefix: str
    derived: DerivedClass
    worth: int
    imported_name: str

    @property
    def file(self) -> PrefixedFile:
        """The parent file with its prefix."""
        return PrefixedFile(self.parent.path, self.prefix)


class _DerivationKey(NamedTuple):
    """What a derived class depends on."""

    child: str
    parent_text: str
    base: str
    can_merge: bool


@dataclass
class ParentFiles:
    """The parent files of one model. Each pair of classes is derived once.

    Attributes:
        converter: Reads the parent files.
        flat: The flat files of the model.
        unmergeable: Names of classes whose methods must not merge by `super()`.
        avoids_reordering: Whether a class whose lines would get another order is worth
            less.
    """

    converter: Converter
    flat: FlatModel
    unmergeable: set[str] = field(default_factory=set)
    avoids_reordering: bool = True
    _renamed: dict[PrefixedFile, RenamedParent] = field(default_factory=dict)
    _derived: dict[_DerivationKey, DerivedClass | None] = field(default_factory=dict)

    @property
    def project(self) -> Project:
        """The project of the model."""
        return self.converter.project

    def rename(self, file: PrefixedFile) -> RenamedParent:
        """Return a parent file in which a prefix replaces the name of its model.

        The converter renames a parent file in the same way.
        """
        if file not in self._renamed:
            source = self.converter.parent(file.path)
            renamer = self.converter.renamer_to_prefix(
                source, file.prefix, self.flat.model
            )
            renamed = RenamedParent(file.path, RenamedFile(source, renamer))
            self._renamed[file] = renamed
        return self._renamed[file]

    def common_prefix(self, path: str, pairs: Iterable[tuple[str, str]]) -> str:
        """Return the one prefix that replaces the model's name in a whole parent file.

        Each pair of a class and its parent class proposes a prefix: `LlavaTextMLP` and
        `LlamaMLP` propose `LlavaText`. The most frequent proposal is chosen.

        Args:
            path: The parent file.
            pairs: The names of each class of the model and its parent class.
        """
        source = self.converter.parent(path)
        prefix = prefixes.choose_prefix(
            pairs,
            self.flat.cased,
            source.name_forms.cased,
            sorted(source.classes),
            whole_words=source.name_forms.own_names is not None,
        )
        return prefix.chosen

    def prefix_of(self, child: str, parent: ParentClass) -> str:
        """Return the text that replaces the parent model's name in inherited code.

        If `LlavaTextMLP` inherits from `LlamaMLP`, `LlavaText` replaces `Llama`. If the
        two names do not match so, the name of the child's model replaces it: `Llava`.

        Args:
            child: The name of the child class.
            parent: The parent class.
        """
        cased = self.flat.cased
        parent_cased = self.converter.parent(parent.path).name_forms.cased
        prefix = prefixes.class_prefix(child, parent.name, cased, parent_cased)
        return prefix or cased

    def find_candidate(
        self, child: str, parent: ParentClass, prefix: str
    ) -> ParentCandidate | None:
        """Return what a class saves by inheriting from a parent class, if it can.

        It is worth the lines that it saves. It is worth more if the class inherits
        everything, and less if the lines of a file that could be generated exactly would
        get another order.

        Args:
            child: The name of a class of the model.
            parent: The parent class.
            prefix: What replaces the name of the parent's model in class names. With
                `LlavaText`, the child inherits the code of `LlamaMLP` with this name
                changed to `LlavaTextMLP`.
        """
        imported_name = self.imported_name(parent)
        if imported_name is None:
            return None
        derived = self.derive(child, parent, prefix, imported_name)
        if derived is None:
            return None
        statement = self.flat.definitions[child]
        worth = derived.count_saved_lines(view_definition(statement))
        if derived.inherits_everything:
            worth += _WHOLE_BONUS
        if self.avoids_reordering and not derived.in_order:
            spoils_exact_file = self._could_be_generated_exactly(child)
            if spoils_exact_file:
                worth -= _REORDERING_COST
        return ParentCandidate(child, parent, prefix, derived, worth, imported_name)

    def _could_be_generated_exactly(self, child: str) -> bool:
        """Return whether the file of a class could be generated without a difference.

        A file with a docstring cannot, because generated files have none. Neither can a
        file with all code of a model, because several files are generated in its place.

        Args:
            child: The name of the class.
        """
        for file in self.flat.files:
            is_part_of_larger_file = file.research_module is not None
            has_docstring = file.lost_docstring is not None
            if is_part_of_larger_file or has_docstring:
                continue
            if child in file.definitions:
                return True
        return False

    def derive(
        self, child: str, parent: ParentClass, prefix: str, imported_name: str = ""
    ) -> DerivedClass | None:
        """Return a class of the model as a child of a parent class, if it can be one.

        If `MyModelMLP` differs from `LlamaMLP` only in `forward`, the result has the text
        `class MyModelMLP(LlamaMLP):` with this `forward`.

        Args:
            child: The name of the class in the complete files of the model.
            parent: The parent class.
            prefix: What replaces the name of the parent's model in class names, such as
                `MyModel` for `Llama`.
            imported_name: The name under which the modular file imports the parent
                class. By default, this is the name of the class.
        """
        parent_class = self.parent_class(child, parent, prefix, imported_name)
        if parent_class is None:
            return None
        bases = view_definition(self.flat.definitions[child]).bases
        further_bases = set(bases) - set(parent_class.bases)
        has_other_parent = not further_bases.isdisjoint(self.flat.names_of_other_models)
        if has_other_parent:
            # In a modular file, a class can inherit from only one class of another model.
            return None
        can_merge = child not in self.unmergeable
        # Several prefixes can give the parent class the same text, for example if the
        # class does not mention its model. Then the result is the same, too.
        key = _DerivationKey(
            child, parent_class.code.text, parent_class.name, can_merge
        )
        if key not in self._derived:
            child_class = normalize_indentation(self.flat.definitions[child])
            settings = self.project.settings
            # The name of the child tells, whichever file the parent class is in.
            file_type = file_types.of_class(child, self.flat.cased, settings)
            is_configuration = file_type == CONFIGURATION
            self._derived[key] = derive_class(
                parent_class,
                view_definition(child_class),
                merges_docstring=settings.merge_docstrings and is_configuration,
                can_merge=can_merge,
                is_like_python=settings.is_like_python,
            )
        return self._derived[key]

    def derive_in(
        self, file: ModularFile, child: str, parent: ImportedParent
    ) -> DerivedClass | None:
        """Return a class as a child of a parent class, for an existing modular file.

        If another class of the modular file, `OlmoTextAttention`, inherits from the same
        parent file, `Llama` becomes `OlmoText` in the inherited code. None if the class
        cannot inherit from the parent class.

        Args:
            file: The modular file.
            child: The name of the class in the complete files of the model.
            parent: The parent class.
        """
        prefix = self.prefix_in(file, child, parent.class_)
        return self.derive(child, parent.class_, prefix, parent.imported_name)

    def imported_parent(self, file: ModularFile, child: str) -> ImportedParent | None:
        """Return the first parent class of a class of a modular file, if it has one.

        For `class OlmoMLP(LlamaMLP)`, this is `LlamaMLP` with the file it is imported
        from.
        """
        imported_name = next(iter(file.parents_of(child)), None)
        if imported_name is None:
            return None
        # After `import LlamaMLP as Base`, the original name is `LlamaMLP`.
        original_name = file.original_names[imported_name]
        parent = ParentClass(file.parent_of[imported_name], original_name)
        return ImportedParent(parent, imported_name)

    def import_from(self, path: str, names: str) -> str:
        """Return the import of names from a parent file, with its line end."""
        project = self.project
        module = parent_module(project, self.flat.modular, path)
        return f"from {module} import {names}\n"

    def parent_class(
        self, child: str, parent: ParentClass, prefix: str, imported_name: str = ""
    ) -> DefinitionView | None:
        """Return a parent class in whose code the name of its model is replaced.

        In `LlamaLayer`, `LlamaMLP` becomes `OlmoMLP`. The class itself has the name under
        which the modular file imports it. None if the renamed parent file has no such
        class.

        Args:
            child: The name of the class that inherits.
            parent: The parent class.
            prefix: What replaces the name of the parent's model in class names.
            imported_name: The name under which the modular file imports the parent
                class. By default, this is the name of the class.
        """
        renamed_file = self.rename(PrefixedFile(parent.path, prefix))
        renamed_class = self._renamed_class(child, parent.name, renamed_file)
        if renamed_class is None:
            return None
        base = imported_name or parent.name
        return view_definition(normalize_indentation(replace(renamed_class, name=base)))

    def prefix_in(self, file: ModularFile, child: str, parent: ParentClass) -> str:
        """Return the text that replaces the parent model's name, in a modular file.

        If the modular file already inherits from the parent file, its other classes
        decide: with `class OlmoTextMLP(LlamaMLP)`, `OlmoText` replaces `Llama` in all
        code from this file. Otherwise, the name of the child decides.

        Args:
            file: The modular file.
            child: The name of a class that is to inherit from the parent file.
            parent: The parent class of this child.
        """
        if parent.path in file.parent_paths:
            prefix = file.choose_prefix(self.converter.parent(parent.path)).chosen
            if prefix:
                return prefix
        return self.prefix_of(child, parent)

    def imported_name(self, parent: ParentClass) -> str | None:
        """Return the name under which the modular file imports a parent class.

        If many models have a class of this name, such as `Attention`, the name of the
        parent's model is put before it: `Qwen2Attention`.

        Returns:
            The name; None if the model uses this name for something else.
        """
        source = self.converter.parent(parent.path)
        cased = source.name_forms.cased
        has_model_in_name = parent.name.startswith(cased)
        settings = self.project.settings
        # Where a model is one file, many models have classes without the model's name.
        is_unique = has_model_in_name or settings.file_names.has_types
        if is_unique and self.can_be_imported(parent.name):
            return parent.name
        if not settings.is_like_python:
            # Upstream's converter knows parent classes only by their own names.
            return None
        used_names = source.names | self.flat.definitions.keys() | self._imported_names
        return parent_alias(parent.name, cased, used_names)

    def can_be_imported(self, name: str) -> bool:
        """Return whether the modular file can import a parent class under a name.

        It cannot if the model defines or imports the same name already.
        """
        return name not in self.flat.definitions and name not in self._imported_names

    @cached_property
    def _imported_names(self) -> frozenset[str]:
        """The names that the flat files import."""
        names = set[str]()
        for file in self.flat.files:
            for import_ in file.module.imports:
                names.update(name.bound for name in import_.names)
        return frozenset(names)

    def _renamed_class(
        self, child: str, parent: str, renamed: RenamedParent
    ) -> Statement | None:
        """Return a parent class with the code that a child inherits from it.

        The converter renames this code in two steps:

        1. In the whole parent file, `LlamaMLP` becomes `MyModelMLP`. This is done already.
        2. If the child is called `MyModelVisionMLP`, `MyModel` becomes `MyModelVision` in
           the comments and strings of the class.

        Args:
            child: The name of the child class.
            parent: The name of the parent class before the renaming.
            renamed: The parent file after the first step.

        Returns:
            The class. None if the file has no class of this name, or if another class
            has the same name after the first step, and is below it.
        """
        new_name = renamed.file.renamer.word(parent)
        binding = renamed.file.definitions.classes.get(new_name)
        if binding is None:
            return None
        # If the file defines `LlamaMLP` and, below it, `MyModelMLP`, both have the same
        # name now. In Python, the last definition of a name hides those above it.
        is_hidden = renamed.original_names[new_name] != parent
        if is_hidden:
            return None
        project = self.project

        def rename_prose(code: SourceSlice) -> SourceSlice:
            """Return code in whose comments and strings `MyModelVision` is the name."""
            return class_names.rename_prose_of_class(
                code, new_name, child, project.names, project.settings.keep_names
            )

        # The code begins with the lead: the comments above the class. The renaming can
        # change the length of the lead, so `start`, the place of the class, is set anew.
        code = rename_prose(binding.statement.code)
        lead = rename_prose(binding.statement.lead)
        return replace(binding.statement, code=code, start=len(lead.text))

    def is_equal(self, name: str, parent: RenamedParent) -> bool:
        """Return whether a name is defined by the same code in the model and a parent file.

        Args:
            name: The name of a class, function or assignment.
            parent: The parent file, with the names of the child's model.
        """
        statement = self.flat.definitions.get(name)
        if statement is None or name not in parent.bindings:
            return False
        parent_code = parent.bindings[name].statement.code
        return equal_after_formatting(parent_code, statement.code)
