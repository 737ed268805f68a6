"""Finds the classes of other models that are renamed along, and those that have a member.

A model has the parent's `LlamaMLP` under its own name, `MyModelMLP`: inlined, or
defined in its modular file and used by code that is inlined from the parent. If the
parent's class is renamed, this one is renamed too, or it would no longer replace it.
A child that only inherits from the parent's class keeps its name.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname
from typing import NamedTuple

from modular.refactor.errors import RenameError
from modular.refactor.object_types import ObjectTypes
from modular.refactor.project_files import Definition, ProjectFiles
from modular.rules.reading.modular_file import ModularFile
from modular.source.walking import walk
from modular.system.printable import one_line


@dataclass(frozen=True)
class RenamedDefinition:
    """A class or function of one model, with its new name.

    Attributes:
        path: A parent file written by hand, the modular file that defines it or, if it
            is inlined, the generated file.
        name: The name now.
        new: The name afterwards.
    """

    path: str
    name: str
    new: str


class _Inheritance(NamedTuple):
    """A modular file, and the path of a parent file that it inherits from."""

    modular: ModularFile
    parent_path: str


class _ReplacedClasses(NamedTuple):
    """The parent classes that one class of a model replaces in inlined code.

    Code that is inlined from the files of these parent classes uses the class of the
    model instead.

    Attributes:
        renamed: The parent classes that get a new name.
        unchanged: The parent classes that keep their names.
    """

    renamed: set[Definition]
    unchanged: set[Definition]


@dataclass(frozen=True)
class Counterparts:
    """Finds the counterparts of definitions. Raises RenameError for broken files.

    A counterpart is the same class or function in a model that inherits from the first
    one: `GemmaMLP` is a counterpart of `LlamaMLP`.

    Attributes:
        files: The files of the project.
    """

    files: ProjectFiles

    def find(self, path: str, name: str, new: str) -> list[RenamedDefinition]:
        """Return all definitions that are renamed if one class or function is renamed.

        If `LlamaMLP` becomes `LlamaFFN`, then `GemmaMLP`, its counterpart in a model
        that inherits from Llama, becomes `GemmaFFN`. The counterparts of `GemmaMLP` are
        renamed as well.

        Args:
            path: The file of the definition.
            name: The name now.
            new: The name afterwards.

        Returns:
            The definition itself, and then its counterparts.

        Raises:
            RenameError: Code that is inlined from another parent needs the old name of
                a class that must be renamed.
        """
        self.files.convert_dependents(path)
        target = RenamedDefinition(path, name, new)
        keeping_name: frozenset[Definition] = frozenset()
        # Each search leaves out the classes that must keep their names. The last search
        # finds no other such class.
        while True:
            definitions = self._with_counterparts(target, keeping_name)
            more_keeping_name = frozenset(self._classes_keeping_name(definitions))
            if not more_keeping_name:
                return definitions
            keeping_name |= more_keeping_name

    def _with_counterparts(
        self, target: RenamedDefinition, left_out: Collection[Definition]
    ) -> list[RenamedDefinition]:
        """Return a definition, its counterparts, their counterparts, and so on.

        Args:
            target: The definition.
            left_out: Counterparts that are not returned. Their own counterparts are
                not searched for.
        """

        def find_counterparts(
            definition: RenamedDefinition,
        ) -> Iterator[RenamedDefinition]:
            for counterpart in self._direct_counterparts(definition):
                if Definition(counterpart.path, counterpart.name) not in left_out:
                    yield counterpart

        return list(walk([target], find_counterparts))

    def classes_with_member(self, path: str, name: str) -> frozenset[Definition]:
        """Return a class, the classes that inherit from it, and their counterparts.

        A class is returned once for each file that others can import it from.
        """
        self.files.convert_dependents(path)
        return frozenset(walk(self._everywhere(path, name), self._heirs))

    def ancestors(self, classes: Iterable[Definition]) -> frozenset[Definition]:
        """Return the classes that some classes inherit from, directly or not."""
        direct_bases: list[Definition] = []
        for path, name in sorted(classes):
            direct_bases += self.files.bases(path, name)
        return frozenset(walk(direct_bases, lambda base: self.files.bases(*base)))

    def _heirs(self, owner: Definition) -> Iterator[Definition]:
        """Yield the classes that inherit directly from a class, and their counterparts."""
        for path in self.files.mentioning(owner.name):
            for name in self.files.children_in(path, owner):
                yield from self._everywhere(path, name)

    def _everywhere(self, path: str, name: str) -> Iterator[Definition]:
        """Yield a definition and its counterparts, once for each importable file."""
        definition = RenamedDefinition(path, name, new=name)
        for counterpart in walk([definition], self._direct_counterparts):
            for importable_path in self.files.importable(counterpart.path):
                yield Definition(importable_path, counterpart.name)

    def _direct_counterparts(
        self, definition: RenamedDefinition
    ) -> Iterator[RenamedDefinition]:
        """Yield the same class or function in the models that inherit from its model.

        For `LlamaMLP`, this is `GemmaMLP` if `modular_gemma.py` inherits from a file of
        Llama. The class of a model that inherits only from Gemma is not yielded: it is a
        direct counterpart of `GemmaMLP`.
        """
        # The folder of the file, and the folder of the files that it generates: Gemma
        # may import `LlamaMLP` from any file in these folders.
        paths = self.files.importable(definition.path)
        folders = {dirname(path) for path in paths}
        for folder in sorted(folders):
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                yield from self._counterparts_in_model(
                    inheritance.modular, inheritance.parent_path, definition
                )

    @cached_property
    def _inheritances_by_folder(self) -> dict[str, list[_Inheritance]]:
        """For each folder, the modular files that inherit from a file in it.

        A modular file is listed once for each parent file, such as `modeling_llama.py`.
        """
        inheritances: dict[str, list[_Inheritance]] = {}
        for path in self.files.project.modular_files:
            modular = self.files.modular(path)
            if modular is None:
                continue
            for parent_path in sorted(modular.parent_paths):
                inheritance = _Inheritance(modular, parent_path)
                inheritances.setdefault(dirname(parent_path), []).append(inheritance)
        return inheritances

    def _counterparts_in_model(
        self, modular: ModularFile, parent: str, definition: RenamedDefinition
    ) -> Iterator[RenamedDefinition]:
        """Yield the counterparts of a parent's definition in one model.

        For `LlamaMLP`, this is `GemmaMLP` in the model `gemma`. `GemmaMLP` is defined in
        `modular_gemma.py`, or inlined from Llama. If it is inlined, there is one
        counterpart for each generated file that has the class.

        Args:
            modular: The modular file of the model.
            parent: A parent file of the model: the file of the definition, or another
                one in its folder, which may import the definition.
            definition: The definition in the parent, such as `LlamaMLP`.
        """
        # This refuses the rename if the modular file has a syntax error.
        self.files.readable_module(modular.path)
        # The renamer replaces the name of the parent model: `GemmaMLP` for `LlamaMLP`.
        renamer = self.files.converter.renamer(parent, modular)
        name = renamer.word(definition.name)
        new = renamer.own_word(definition.new)
        # The rest takes long, and most models do not have the name.
        if not self._may_generate(modular, name):
            return

        if name in self.files.defined(modular.path):
            # `GemmaMLP` is renamed only if code that is inlined from Llama uses it,
            # because the rename of `LlamaMLP` changes the name in that code.
            if self._uses_in_output(modular.path, parent, name):
                yield RenamedDefinition(modular.path, name, new)
            return
        for output in self.files.generated_code(modular.path):
            if output.has_definition_from(parent, name):
                yield RenamedDefinition(output.path, name, new)

    def _may_generate(self, modular: ModularFile, name: str) -> bool:
        """Tell whether a generated file of a model may have a name, judging by its text."""
        for path in self.files.outputs(modular.path):
            text = self.files.text(path)
            # The text is empty if the file is not on disk: it may get the name.
            if not text or name in text:
                return True
        return False

    def _classes_keeping_name(
        self, definitions: list[RenamedDefinition]
    ) -> Iterator[Definition]:
        """Yield the classes that must keep their names because of another parent.

        If Olmo inherits from Llama and Mistral, its `OlmoMLP` can replace `LlamaMLP` and
        `MistralMLP` in the code of both. If only `LlamaMLP` is renamed, the code that is
        inlined from Mistral still needs a class called `OlmoMLP`.

        `OlmoMLP` keeps its name if people write it in the modular file, and only code
        of Mistral uses it. In other cases, the rename is refused.

        Args:
            definitions: The definition that the user renames, then its counterparts.

        Raises:
            RenameError: A class must keep its name, but cannot.
        """
        target = definitions[0]
        # Other files can import a definition from several paths.
        renamed: set[Definition] = set()
        for definition in definitions:
            for path in self.files.importable(definition.path):
                renamed.add(Definition(path, definition.name))

        for definition in definitions:
            modular = self.files.modular(self.files.handwritten_path(definition.path))
            if modular is None or definition.name == definition.new:
                continue
            replaced = self._replaced_classes(modular, definition.name, renamed)
            if not replaced.unchanged:
                continue
            first_unchanged = min(
                f"`{name}` of `{one_line(path)}`" for path, name in replaced.unchanged
            )
            # Code of Mistral needs the old name. Code of Llama may need the new one.
            needs_new_name = bool(replaced.renamed)
            if definition is target and not needs_new_name:
                # If the user renames `OlmoMLP`, the converter inlines `MistralMLP` as
                # another `OlmoMLP`.
                raise RenameError(
                    f"`{definition.name}` replaces {first_unchanged}, which would come "
                    "back under this name; rename that class instead"
                )
            # The name of an inlined class follows from the name of its parent class.
            is_inlined = definition.path != modular.path
            if needs_new_name or is_inlined:
                raise RenameError(
                    f"`{definition.name}` of `{one_line(modular.path)}` also replaces "
                    f"{first_unchanged}, which keeps its name; first override the code "
                    "that uses the one or the other in that modular file"
                )
            yield Definition(definition.path, definition.name)

    def _replaced_classes(
        self, modular: ModularFile, name: str, renamed: set[Definition]
    ) -> _ReplacedClasses:
        """Return the parent classes that a class of a model replaces in inlined code.

        If the model `gemma` inlines code of Llama that uses `LlamaMLP`, this code uses
        `GemmaMLP` in the generated file. So `GemmaMLP` replaces `LlamaMLP`. The result
        tells whether `LlamaMLP` gets a new name as well.

        Args:
            modular: The modular file of the model.
            name: The name of the class in the model, such as `GemmaMLP`.
            renamed: All definitions that are renamed.
        """
        replaced = _ReplacedClasses(renamed=set(), unchanged=set())
        # The header `class GemmaMLP` is no use of the class.
        for parent_file in self._parents_using(modular, name, ignore_header=True):
            # The parent's class, once for each file that may define it.
            parent_class = self._parent_definitions(modular, parent_file, {name})
            if renamed.isdisjoint(parent_class):
                replaced.unchanged.update(parent_class)
            else:
                replaced.renamed.update(parent_class)
        return replaced

    def refuse_shared_member(self, owners: Collection[Definition], member: str) -> None:
        """Refuse to rename a member that inlined code of another parent uses.

        For example, Olmo inlines code from a file of Llama and from one of Mistral. In
        both, `OlmoMLP` replaces the parent's class:

            self.mlp = LlamaMLP(); self.mlp.act_fn      # becomes OlmoMLP().act_fn
            self.mlp = MistralMLP(); self.mlp.act_fn    # becomes OlmoMLP().act_fn

        If `act_fn` is renamed in `LlamaMLP` and `OlmoMLP`, the second line still reads
        `act_fn`, which `OlmoMLP` does not have any more.

        Args:
            owners: The classes whose member is renamed, `LlamaMLP` and `OlmoMLP`. A
                class is given with each file from which it can be imported.
            member: The old name of the member, `act_fn`.

        Raises:
            RenameError: Such code exists.
        """
        for modular_path, names in sorted(self._names_by_file(owners).items()):
            modular = self.files.modular(modular_path)
            if modular is None:
                # A file such as `modeling_llama.py`, into which nothing is inlined.
                continue
            for parent_file in self._parents_using(modular, member):
                parent_classes = self._parent_definitions(modular, parent_file, names)
                # `MistralMLP` is no owner, unlike `LlamaMLP`. The line of Mistral keeps
                # the old name.
                if parent_classes and parent_classes.isdisjoint(owners):
                    _refuse_shared_name(modular_path, parent_file, member)

    def _names_by_file(self, classes: Iterable[Definition]) -> dict[str, set[str]]:
        """Return the names of classes for each file in which people write them.

        `OlmoMLP` of the generated `modeling_olmo.py` belongs to `modular_olmo.py`.
        """
        names: defaultdict[str, set[str]] = defaultdict(set)
        for path, name in classes:
            names[self.files.handwritten_path(path)].add(name)
        return names

    def refuse_shared_field(self, types: ObjectTypes, field_name: str) -> None:
        """Refuse to rename a configuration field that code of another parent uses.

        If Olmo inherits from Llama and Mistral, the code of both reads the fields of its
        `OlmoConfig`. If `hidden_size` is renamed in `LlamaConfig` and `OlmoConfig`, the
        code that is inlined from Mistral still reads `config.hidden_size`.

        A model can have several configurations. Which of them the code of a parent
        reads is not known, so all of them must have the field under the name that the
        code reads.

        Args:
            types: Knows the configurations whose field is renamed, `LlamaConfig` and
                `OlmoConfig`.
            field_name: The old name of the field, `hidden_size`.

        Raises:
            RenameError: Such code exists.
        """
        renamed_configs = types.classes_with_member
        for path, modular in sorted(self._children_of(renamed_configs).items()):
            child_configs = self._configurations(path)
            for parent_file in self._parents_using(modular, field_name):
                if types.config_has_member(parent_file):
                    # Code of Llama reads the new name, so each of them must get it.
                    is_safe = child_configs <= renamed_configs
                else:
                    # Code of Mistral reads the old name, so none of them may lose it.
                    is_safe = child_configs.isdisjoint(renamed_configs)
                if not is_safe:
                    _refuse_shared_name(path, parent_file, field_name)

    def _children_of(self, classes: Iterable[Definition]) -> dict[str, ModularFile]:
        """Return the modular files that inherit from a model of some classes, by path."""
        children = {}
        for folder in {dirname(path) for path, _ in classes}:
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                children[inheritance.modular.path] = inheritance.modular
        return children

    def _configurations(self, modular: str) -> set[Definition]:
        """Return the configuration classes of the files that a modular file generates."""
        configs = set()
        for output in self.files.generated_code(modular):
            for statement in output.module.block.statements:
                if statement.name.endswith("Config"):
                    configs.add(Definition(output.path, statement.name))
        return configs

    def _parents_using(
        self, modular: ModularFile, word: str, *, ignore_header: bool = False
    ) -> Iterator[str]:
        """Yield the parent files from which a model inlines code that has a word.

        Args:
            modular: The modular file of the model.
            word: The name, as the generated files have it.
            ignore_header: Whether to skip the header of the class with that name.
        """
        for parent_file in modular.parent_paths:
            if self._uses_in_output(
                modular.path, parent_file, word, ignore_header=ignore_header
            ):
                yield parent_file

    def _uses_in_output(
        self, modular: str, parent: str, word: str, *, ignore_header: bool = False
    ) -> bool:
        """Tell whether code that a model inlines from a parent file has a word."""
        return any(
            output.has_word_from(parent, word, ignore_header=ignore_header)
            for output in self.files.generated_code(modular)
        )

    def _parent_definitions(
        self, modular: ModularFile, parent: str, names: Collection[str]
    ) -> set[Definition]:
        """Return the parent's definitions that a model calls by the given names.

        If the model `gemma` inherits from Llama, the parent's `LlamaMLP` is called
        `GemmaMLP` in the model. The parent file may define the class or import it from
        another file, so the result has a definition for each file that may define it.

        Args:
            modular: The modular file of the model.
            parent: The parent file in which the definitions are used.
            names: The names in the model, `GemmaMLP`.
        """
        module = self.files.module(parent)
        if module is None:
            return set()
        # A renamer cannot be inverted, so all words of the parent file are renamed.
        renamer = self.files.converter.renamer(parent, modular)
        definitions = set()
        for word in module.code.words():
            if renamer.word(word) in names:
                definitions.add(Definition(parent, word))
                definitions.update(self.files.imported_as(parent, word))
        return definitions


def _refuse_shared_name(modular: str, parent: str, member: str) -> None:
    """Raise RenameError: inherited code uses the member of a class with two parents."""
    raise RenameError(
        f"code of `{one_line(parent)}` in `{one_line(modular)}` uses `{member}` of a "
        "class with another parent, where it would keep its name; first override "
        "that code in the modular file"
    )
