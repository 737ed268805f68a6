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

from modular.flatten.outputs import OutputFile
from modular.refactor.errors import RenameError
from modular.refactor.object_types import ObjectTypes
from modular.refactor.project_files import Definition, ProjectFiles
from modular.rules.reading.modular_file import ModularFile
from modular.source.source_slice import find_word
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
        """Return a definition and its counterparts in all models that inherit from it.

        A class of a modular file that also replaces a class of another parent keeps its
        name: that other class would come back.

        Args:
            path: The file of the definition.
            name: The name now.
            new: The name afterwards.

        Raises:
            RenameError: A name replaces classes of two parents in inlined code, so it
                can neither stay nor change.
        """
        self._keeping_name.clear()
        while True:
            counterparts = list(walk([Counterpart(path, name, new)], self._successors))
            keeping_name = set(self._with_another_parent(counterparts))
            if not keeping_name:
                return counterparts
            # If these keep their names, their own counterparts may keep theirs, too.
            self._keeping_name.update(keeping_name)

    def classes_with_member(self, path: str, name: str) -> frozenset[Definition]:
        """Return a class, the classes that inherit from it, and their counterparts.

        A class is returned once for each file that others can import it from.
        """
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
        for counterpart in walk([Counterpart(path, name, name)], self._successors):
            for importable_path in self.files.importable(counterpart.path):
                yield Definition(importable_path, counterpart.name)

    def _successors(self, counterpart: Counterpart) -> Iterator[Counterpart]:
        """Yield the counterparts in the models that inherit from a definition's folder."""
        paths = self.files.importable(counterpart.path)
        for folder in sorted({dirname(path) for path in paths}):
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                yield from self._in_model(
                    inheritance.modular, inheritance.parent_path, counterpart
                )

    @cached_property
    def _inheritances_by_folder(self) -> dict[str, list[_Inheritance]]:
        """For each folder, the modular files that inherit from one of its files."""
        inheritances: dict[str, list[_Inheritance]] = {}
        for path in self.files.project.modular_files:
            modular = self.files.modular(path)
            if modular is None:
                continue
            for parent_path in sorted(modular.parent_paths):
                inheritance = _Inheritance(modular, parent_path)
                inheritances.setdefault(dirname(parent_path), []).append(inheritance)
        return inheritances

    def _in_model(
        self, modular: ModularFile, parent: str, counterpart: Counterpart
    ) -> Iterator[Counterpart]:
        """Yield the counterparts of a definition in one model.

        `LlamaMLP` has a counterpart `GemmaMLP` in `gemma` if `modular_gemma.py` defines
        a class of this name that code inlined from Llama uses, or if the class itself is
        inlined from Llama.

        Args:
            modular: The modular file of the model.
            parent: The file of the definition, or one beside it that imports from it.
            counterpart: The definition.
        """
        self.files.readable_module(modular.path)
        renamer = self.files.converter.renamer(parent, modular)
        name = renamer.word(counterpart.name)
        new = renamer.word(counterpart.new)
        if not self._may_mention(modular.path, name):
            return
        outputs = self.files.converted(modular.path)
        if name in self.files.defined(modular.path):
            keeps_name = Definition(modular.path, name) in self._keeping_name
            is_used = any(_refers(output, parent, name) for output in outputs)
            if is_used and not keeps_name:
                yield Counterpart(modular.path, name, new)
            return
        for output in outputs:
            if any(code.path == parent for code in output.find(name)):
                yield Counterpart(output.path, name, new)

    def _may_mention(self, modular: str, name: str) -> bool:
        """Tell whether a generated file has a name; one that is not on disk may."""
        for path in self.files.outputs(modular):
            text = self.files.text(path)
            if not text or name in text:
                return True
        return False

    def _with_another_parent(
        self, counterparts: list[Counterpart]
    ) -> Iterator[Definition]:
        """Yield the classes that also replace a class of another parent.

        If `GemmaMLP` replaces `LlamaMLP` and `MistralMLP`, and only the first of them is
        renamed, code from Mistral still needs a class of the old name.

        Raises:
            RenameError: Code from both parents needs the class.
        """
        renamed = set()
        for counterpart in counterparts:
            for path in self.files.importable(counterpart.path):
                renamed.add(Definition(path, counterpart.name))

        for counterpart in counterparts:
            path = self.files.generated.get(counterpart.path, counterpart.path)
            modular = self.files.modular(path)
            if modular is None or counterpart.name == counterpart.new:
                continue
            replaced = self._replaced_classes(modular, counterpart, renamed)
            if not replaced.keeping_name:
                continue
            replaced_class = min(replaced.keeping_name)
            is_target = counterpart is counterparts[0]
            is_inlined = path != counterpart.path
            if is_target and not replaced.has_renamed:
                raise RenameError(
                    f"`{counterpart.name}` replaces {replaced_class}, which would come "
                    "back under this name; rename that class instead"
                )
            if replaced.has_renamed or is_inlined:
                raise RenameError(
                    f"`{counterpart.name}` of `{one_line(path)}` also replaces "
                    f"{replaced_class}, which keeps its name; first override the code "
                    "that uses the one or the other in that modular file"
                )
            yield Definition(path, counterpart.name)

    def refuse_shared_member(self, types: ObjectTypes, member: str) -> None:
        """Refuse to rename a member that code of another parent uses in some model.

        A class that replaces classes of two parents has the members of both, and the
        configuration of a model that inherits from two parents has the fields of both.

        Raises:
            RenameError: Such code exists. It would not find the new name.
        """
        owners: dict[str, set[str]] = {}
        for path, name in types.owners:
            owners.setdefault(self.files.generated.get(path, path), set()).add(name)
        for path, names in sorted(owners.items()):
            modular = self.files.modular(path)
            if modular is None:
                continue
            for parent in modular.parent_paths:
                if not self._uses_in_output(path, parent, member):
                    continue
                originals: set[Definition] = set()
                for name in names:
                    originals |= self._originals(modular, parent, name)
                if originals and originals.isdisjoint(types.owners):
                    self._refuse_shared(path, parent, member)

    def refuse_shared_field(self, types: ObjectTypes, field_name: str) -> None:
        """Refuse to rename a field that code of another parent uses in some model.

        This is `refuse_shared_member` for the fields of configurations.

        Raises:
            RenameError: Such code exists. It would not find the new name.
        """
        folders = {dirname(path) for path, _ in types.owners}
        models = {}
        for folder in folders:
            for inheritance in self._inheritances_by_folder.get(folder, ()):
                models[inheritance.modular.path] = inheritance.modular
        for path, modular in sorted(models.items()):
            # Whether the field of each configuration of this model is renamed.
            configs_are_renamed = set()
            for output in self.files.converted(path):
                for statement in output.statements:
                    if statement.name.endswith("Config"):
                        config = Definition(output.path, statement.name)
                        configs_are_renamed.add(config in types.owners)
            for parent in modular.parent_paths:
                if self._uses_in_output(path, parent, field_name):
                    is_renamed = types.has_config_of_owner(parent)
                    if (not is_renamed) in configs_are_renamed:
                        self._refuse_shared(path, parent, field_name)

    def _refuse_shared(self, modular: str, parent: str, member: str) -> None:
        """Raise RenameError: inherited code uses the member of a class with two parents."""
        raise RenameError(
            f"code of `{one_line(parent)}` in `{one_line(modular)}` uses `{member}` of a "
            "class with another parent, where it would keep its name; first override "
            "that code in the modular file"
        )

    def _uses_in_output(self, modular: str, parent: str, word: str) -> bool:
        """Tell whether code that a model inherits from a parent file has a word."""
        for output in self.files.converted(modular):
            if _refers(output, parent, word):
                return True
        return False

    def _replaced_classes(
        self, modular: ModularFile, counterpart: Counterpart, renamed: set[Definition]
    ) -> _ReplacedClasses:
        """Return the parent classes that a class of a model replaces in inlined code.

        Args:
            modular: The modular file of the model.
            counterpart: The class.
            renamed: All definitions that are renamed.
        """
        keeping_name: list[str] = []
        has_renamed = False
        outputs = self.files.converted(modular.path)
        for parent in modular.parent_paths:
            is_used_by_parent = any(
                _refers(output, parent, counterpart.name, ignore_header=True)
                for output in outputs
            )
            if not is_used_by_parent:
                continue
            replaced = self._originals(modular, parent, counterpart.name)
            if not replaced.isdisjoint(renamed):
                has_renamed = True
                continue
            for path, name in replaced:
                keeping_name.append(f"`{name}` of `{one_line(path)}`")
        return _ReplacedClasses(keeping_name, has_renamed)

    def _originals(
        self, modular: ModularFile, parent: str, name: str
    ) -> set[Definition]:
        """Return the definitions whose name becomes a given name in a model.

        In the model `gemma`, the name `GemmaMLP` has the original `LlamaMLP`.

        Args:
            modular: The modular file of the model.
            parent: The parent file in which the definitions are used.
            name: Their name in the model.
        """
        module = self.files.module(parent)
        if module is None:
            return set()
        renamer = self.files.converter.renamer(parent, modular)
        originals = set()
        for word in module.code.words():
            if renamer.word(word) == name:
                originals.add(Definition(parent, word))
                originals.update(self.files.sources_of(parent, word))
        return originals


def _refers(
    output: OutputFile, parent: str, name: str, *, ignore_header: bool = False
) -> bool:
    """Tell whether code that comes from a parent file refers to a name.

    With ``ignore_header``, `class LlamaMLP` itself does not count for `LlamaMLP`.
    """
    for statement in output.statements:
        for run in statement.parts:
            if run.code.path != parent:
                continue
            is_header = statement.name == name and not run.member
            text = run.code.mask
            if is_header and ignore_header:
                text = text.replace(f"class {name}", "", 1)
                text = text.replace(f"def {name}", "", 1)
            if next(find_word(text, name), None) is not None:
                return True
    return False
