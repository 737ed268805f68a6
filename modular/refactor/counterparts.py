"""Finds the classes of other models that are renamed along, and those that have a member.

A model has the parent's `LlamaMLP` under its own name, `MyModelMLP`: inlined, or
defined in its modular file and used by code that is inlined from the parent. If the
parent's class is renamed, this one is renamed too, or it would no longer replace it.
A child that only inherits from the parent's class keeps its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
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
class Counterpart:
    """A class or function as one model has it.

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

    Attributes:
        keeping_name: Those that are not renamed, as `LlamaMLP` of its file in words.
        has_renamed: Whether inlined code also refers to one that is renamed.
    """

    keeping_name: list[str]
    has_renamed: bool


@dataclass(frozen=True)
class Counterparts:
    """Finds the counterparts of definitions. Raises RenameError for broken files.

    Attributes:
        files: The files of the project.
        _keeping_name: Classes of modular files that are not renamed along.
    """

    files: ProjectFiles
    _keeping_name: set[Definition] = field(default_factory=set)

    def find(self, path: str, name: str, new: str) -> list[Counterpart]:
        """Return all definitions that are renamed if one class or function is renamed.

        If `LlamaMLP` becomes `LlamaFFN`, its counterpart `GemmaMLP` in a model that
        inherits from Llama becomes `GemmaFFN`. But if `GemmaMLP` also replaces
        `MistralMLP`, it keeps its name. Otherwise, `MistralMLP` would be inlined as a
        second class.

        Args:
            path: The file of the definition.
            name: The name now.
            new: The name afterwards.

        Returns:
            The definition itself, and then its counterparts.

        Raises:
            RenameError: Inlined code of two parents uses a class, so it can neither
                change its name nor keep it. Or the definition itself replaces a class
                of a parent, which must be renamed instead.
        """
        self._keeping_name.clear()
        self.files.convert_dependents(path)
        definition = Counterpart(path, name, new)
        while True:
            # The search does not visit the classes in `_keeping_name`.
            counterparts = list(walk([definition], self._direct_counterparts))
            keeping_name = set(self._classes_keeping_name(counterparts))
            if not keeping_name:
                return counterparts
            # The counterparts of these classes are not renamed because of them any more,
            # so the search begins again.
            self._keeping_name.update(keeping_name)

    def classes_with_member(self, path: str, name: str) -> frozenset[Definition]:
        """Return a class, the classes that inherit from it, and their counterparts.

        A class is returned once for each file that others can import it from.
        """
        self.files.convert_dependents(path)
        return frozenset(walk(self._everywhere(path, name), self._heirs))

    def ancestors(self, definition: Definition) -> Iterator[Definition]:
        """Yield the classes that a class inherits from, as far as the project has them."""
        direct = list(self.files.bases(*definition))
        return walk(direct, lambda base: self.files.bases(*base))

    def _heirs(self, owner: Definition) -> Iterator[Definition]:
        """Yield the classes that inherit directly from a class, and their counterparts."""
        for path in self.files.mentioning(owner.name):
            for name in sorted(self.files.defined(path)):
                if owner in self.files.bases(path, name):
                    yield from self._everywhere(path, name)

    def _everywhere(self, path: str, name: str) -> Iterator[Definition]:
        """Yield a definition and its counterparts, once for each importable file."""
        definition = Counterpart(path, name, name)
        for counterpart in walk([definition], self._direct_counterparts):
            for importable_path in self.files.importable(counterpart.path):
                yield Definition(importable_path, counterpart.name)

    def _direct_counterparts(self, counterpart: Counterpart) -> Iterator[Counterpart]:
        """Yield the counterparts of a definition, without those of its counterparts.

        They are in the models that inherit from any file in the folder of the
        definition, since another file there may import the definition.
        """
        paths = self.files.importable(counterpart.path)
        folders = {dirname(path) for path in paths}
        for folder in sorted(folders):
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                yield from self._counterparts_in_model(
                    inheritance.modular, inheritance.parent_path, counterpart
                )

    @cached_property
    def _inheritances_by_folder(self) -> dict[str, list[_Inheritance]]:
        """The modular files that inherit from a file of each folder, by that folder.

        A modular file is listed with each parent file, such as `modeling_llama.py`.
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
        self, modular: ModularFile, parent: str, counterpart: Counterpart
    ) -> Iterator[Counterpart]:
        """Yield the definitions of one model that are renamed with a parent's one.

        `LlamaMLP` has a counterpart `GemmaMLP` in `gemma` if `modular_gemma.py` defines
        a class of this name that code inlined from Llama uses, or if the class itself is
        inlined from Llama.

        Args:
            modular: The modular file of the model.
            parent: The file of the definition, or one beside it that imports from it.
            counterpart: The definition in the parent, such as `LlamaMLP`.
        """
        # This refuses the rename if the modular file has a syntax error.
        self.files.readable_module(modular.path)
        # The model calls `LlamaMLP` by its own prefix: `GemmaMLP`.
        renamer = self.files.converter.renamer(parent, modular)
        name = renamer.word(counterpart.name)
        new = renamer.word(counterpart.new)
        if not self._may_mention(modular.path, name):
            return
        outputs = self.files.generated_code(modular.path)
        is_defined_in_modular = name in self.files.defined(modular.path)
        if is_defined_in_modular:
            keeps_name = Definition(modular.path, name) in self._keeping_name
            is_used_by_inlined_code = self._uses_in_output(modular.path, parent, name)
            if is_used_by_inlined_code and not keeps_name:
                yield Counterpart(modular.path, name, new)
            return

        # Otherwise, a generated file may define it because it is inlined.
        for output in outputs:
            if output.has_definition_from(parent, name):
                yield Counterpart(output.path, name, new)

    def _may_mention(self, modular: str, name: str) -> bool:
        """Tell whether a generated file has a name; one that is not on disk may."""
        for path in self.files.outputs(modular):
            text = self.files.text(path)
            if not text or name in text:
                return True
        return False

    def _classes_keeping_name(
        self, counterparts: list[Counterpart]
    ) -> Iterator[Definition]:
        """Yield the classes that must keep their names because of another parent.

        If `GemmaMLP` replaces `LlamaMLP` and `MistralMLP`, and only the first of them is
        renamed, code from Mistral still needs a class called `GemmaMLP`.

        Raises:
            RenameError: Code from both parents needs the class.
        """
        # Other files can import a definition from several paths.
        renamed: set[Definition] = set()
        for counterpart in counterparts:
            for path in self.files.importable(counterpart.path):
                renamed.add(Definition(path, counterpart.name))

        for counterpart in counterparts:
            # An inlined class is in a generated file, but a modular file decides on it.
            modular_path = self.files.generated.get(counterpart.path, counterpart.path)
            modular = self.files.modular(modular_path)
            if modular is None or counterpart.name == counterpart.new:
                continue
            replaced = self._replaced_classes(modular, counterpart, renamed)
            if not replaced.keeping_name:
                continue
            # The message names one of these classes, always the same one.
            replaced_class = min(replaced.keeping_name)
            is_target = counterpart is counterparts[0]
            is_inlined = modular_path != counterpart.path
            if is_target and not replaced.has_renamed:
                raise RenameError(
                    f"`{counterpart.name}` replaces {replaced_class}, which would come "
                    "back under this name; rename that class instead"
                )
            # Code of one parent needs the new name, and code of another the old one. An
            # inlined class cannot keep its name, since it follows the class it is from.
            if replaced.has_renamed or is_inlined:
                raise RenameError(
                    f"`{counterpart.name}` of `{one_line(modular_path)}` also replaces "
                    f"{replaced_class}, which keeps its name; first override the code "
                    "that uses the one or the other in that modular file"
                )
            yield Definition(modular_path, counterpart.name)

    def refuse_shared_member(self, types: ObjectTypes, member: str) -> None:
        """Refuse to rename a member that inlined code of another parent uses.

        The model Olmo can inherit from Llama and from Mistral. In the code that is
        inlined from both, its class `OlmoMLP` replaces `LlamaMLP` and `MistralMLP`. If
        `act_fn` of `LlamaMLP` and `OlmoMLP` gets a new name, the code that is inlined
        from Mistral still uses `act_fn`, because `MistralMLP` keeps it.

        Args:
            types: Knows the owners, which are the classes whose member is renamed. In
                the example, these are `LlamaMLP` and `OlmoMLP`.
            member: The old name of the member, such as `act_fn`.

        Raises:
            RenameError: Such code exists. It would not find the new name.
        """
        owner_names_by_modular: dict[str, set[str]] = {}
        for path, name in types.owners:
            # An inlined class is in a generated file, and belongs to its modular file.
            modular_path = self.files.generated.get(path, path)
            owner_names_by_modular.setdefault(modular_path, set()).add(name)
        for modular_path, owner_names in sorted(owner_names_by_modular.items()):
            modular = self.files.modular(modular_path)
            if modular is None:
                continue
            for parent in modular.parent_paths:
                if not self._uses_in_output(modular_path, parent, member):
                    continue
                # The classes of this parent file that the model's owners replace.
                replaced_classes: set[Definition] = set()
                for name in owner_names:
                    replaced_classes |= self._parent_definitions(modular, parent, name)
                # If one of them is an owner, the parent's code gets the new name, too.
                keeps_old_name = replaced_classes.isdisjoint(types.owners)
                if replaced_classes and keeps_old_name:
                    self._refuse_shared(modular_path, parent, member)

    def refuse_shared_field(self, types: ObjectTypes, field_name: str) -> None:
        """Refuse to rename a configuration field that code of another parent uses.

        A model can inherit from Llama and from Mistral, with one configuration for the
        code of both. If only `LlamaConfig` gets the new name of a field, the code that
        is inlined from one of the parents would read a name that is not there.

        Args:
            types: Knows the configurations whose field is renamed.
            field_name: The old name of the field.

        Raises:
            RenameError: Such code exists. It would not find the new name.
        """
        parent_folders = {dirname(path) for path, _ in types.owners}
        children = {}
        for folder in parent_folders:
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                children[inheritance.modular.path] = inheritance.modular
        for path, modular in sorted(children.items()):
            configs = self._configurations(path)
            for parent in modular.parent_paths:
                if not self._uses_in_output(path, parent, field_name):
                    continue
                # The inlined code has the new name if the parent's configuration has it.
                # Then all configurations of the model must have it, or else none.
                is_renamed_in_code = types.has_config_of_owner(parent)
                for config in configs:
                    is_renamed_in_config = config in types.owners
                    if is_renamed_in_config != is_renamed_in_code:
                        self._refuse_shared(path, parent, field_name)

    def _configurations(self, modular: str) -> list[Definition]:
        """Return the configuration classes of the files that a modular file generates."""
        configs = []
        for output in self.files.generated_code(modular):
            for statement in output.module.block.statements:
                if statement.name.endswith("Config"):
                    configs.append(Definition(output.path, statement.name))
        return configs

    def _refuse_shared(self, modular: str, parent: str, member: str) -> None:
        """Raise RenameError: inherited code uses the member of a class with two parents."""
        raise RenameError(
            f"code of `{one_line(parent)}` in `{one_line(modular)}` uses `{member}` of a "
            "class with another parent, where it would keep its name; first override "
            "that code in the modular file"
        )

    def _uses_in_output(self, modular: str, parent: str, word: str) -> bool:
        """Tell whether code that a model inherits from a parent file has a word."""
        outputs = self.files.generated_code(modular)
        return any(output.source_refers(parent, word) for output in outputs)

    def _replaced_classes(
        self, modular: ModularFile, counterpart: Counterpart, renamed: set[Definition]
    ) -> _ReplacedClasses:
        """Return the parent classes that a class of a model replaces in inlined code.

        `GemmaMLP` replaces `LlamaMLP` if the model inlines code of Llama that uses
        `LlamaMLP`, because this code then uses `GemmaMLP`.

        Args:
            modular: The modular file of the model.
            counterpart: The class.
            renamed: All definitions that are renamed.
        """
        keeping_name: list[str] = []
        has_renamed = False
        outputs = self.files.generated_code(modular.path)
        for parent in modular.parent_paths:
            # The line `class GemmaMLP` alone is no use of the class.
            is_used_by_parent = any(
                output.source_refers(parent, counterpart.name, ignore_header=True)
                for output in outputs
            )
            if not is_used_by_parent:
                continue
            replaced = self._parent_definitions(modular, parent, counterpart.name)
            if not replaced.isdisjoint(renamed):
                has_renamed = True
                continue
            for path, name in replaced:
                keeping_name.append(f"`{name}` of `{one_line(path)}`")
        return _ReplacedClasses(keeping_name, has_renamed)

    def _parent_definitions(
        self, modular: ModularFile, parent: str, name: str
    ) -> set[Definition]:
        """Return the definitions of a parent that have a given name in a model.

        If the model `gemma` inherits from Llama, its `GemmaMLP` is called `LlamaMLP` in
        the parent file. This file may define that class or import it.

        Args:
            modular: The modular file of the model.
            parent: The parent file in which the definitions are used.
            name: Their name in the model.
        """
        module = self.files.module(parent)
        if module is None:
            return set()
        # The renamer only leads from `LlamaMLP` to `GemmaMLP`, so all words are tried.
        renamer = self.files.converter.renamer(parent, modular)
        definitions = set()
        for word in module.code.words():
            if renamer.word(word) == name:
                definitions.add(Definition(parent, word))
                definitions.update(self.files.sources_of(parent, word))
        return definitions
