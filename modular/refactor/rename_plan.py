"""Finds the classes and functions of other models that are renamed along.

A model has the parent's `LlamaMLP` under its own name, `MistralMLP`: inlined, or defined
in its modular file and used by code that is inlined from the parent. If the parent's
class is renamed, this one is renamed, too, or it would no longer replace it.

Nothing is analysed for that: one answer is tried, and the other one if the generated
files then differ by more than the name (`modular.refactor.rename_proof`).
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from posixpath import dirname
from typing import NamedTuple

from modular.refactor.project_files import Child, ProjectFiles
from modular.rules.names.renaming import Renamer
from modular.semantics.meanings import QualifiedName
from modular.source.source_slice import find_word


class Counterpart(NamedTuple):
    """A definition under a child model's name: `MistralMLP` for the parent's `LlamaMLP`.

    Attributes:
        key: The modular file of the child, and the name there.
        renamer: The renamer of the parent file.
        is_defined: Whether a file of the model defines it. Otherwise only comments and
            strings may have the name.
    """

    key: QualifiedName
    renamer: Renamer
    is_defined: bool


@dataclass
class Choices:
    """Tells which counterparts are renamed with the parent's definition.

    Attributes:
        files: The files of the project.
        flipped: Counterparts for which the less likely answer is tried.
        seen: All counterparts so far.
        new_names: The names that these have, or would have, after the rename.
        models: The modular files of models whose files have the name of a counterpart.
    """

    files: ProjectFiles
    flipped: AbstractSet[QualifiedName] = frozenset()
    seen: set[QualifiedName] = field(default_factory=set)
    new_names: dict[QualifiedName, str] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    _renamers: dict[Child, Renamer] = field(default_factory=dict)
    _preferences: dict[QualifiedName, bool] = field(default_factory=dict)

    def retry(self, flipped: AbstractSet[QualifiedName]) -> "Choices":
        """Return choices for a further attempt, with other answers for some classes.

        `follows` tells which answers these are.

        Args:
            flipped: The modular file and the name of each of these classes.
        """
        return Choices(
            self.files,
            flipped=flipped,
            _renamers=self._renamers,
            _preferences=self._preferences,
        )

    def follows(self, key: QualifiedName) -> bool:
        """Return whether a model's own version of a renamed class is renamed, too.

        If `LlamaMLP` is renamed, the question is whether `MistralMLP` must be renamed
        with it. It probably must if code that the model copies from its parent uses it.
        For a class in `flipped`, the opposite is answered, because an attempt with the
        likely answer has failed.

        Args:
            key: The modular file and the name there, such as `MistralMLP`.
        """
        self.seen.add(key)
        if key not in self._preferences:
            is_inlined = self.files.definition(*key) is None
            is_used = is_inlined or _is_used_by_inlined_code(self.files, key)
            self._preferences[key] = is_used
        likely_answer = self._preferences[key]
        if key in self.flipped:
            return not likely_answer
        return likely_answer

    def counterparts(self, definition: QualifiedName) -> Iterator[Counterpart]:
        """Yield the counterparts of a definition in the models that inherit from its model.

        For `LlamaMLP`, these are `MistralMLP` and `GemmaMLP` if files of these models
        have the names. The modular files of these models are added to `models`.

        Args:
            definition: The definition in the file that people write.
        """
        folders = {dirname(path) for path in self.files.importable(definition.path)}
        for folder in sorted(folders):
            for child in self.files.children.get(folder, ()):
                if child not in self._renamers:
                    self._renamers[child] = self.files.renamer(child)
                renamer = self._renamers[child]
                key = QualifiedName(child.modular, renamer.word(definition.name))
                paths = self.files.importable(child.modular)
                is_mentioned = any(key.name in self.files.text(path) for path in paths)
                if is_mentioned:
                    self.models.add(child.modular)
                    is_defined = any(self.places(key))
                    yield Counterpart(key, renamer, is_defined)

    def places(self, key: QualifiedName) -> Iterator[QualifiedName]:
        """Yield a definition once for each file from which it can be imported.

        For a class of a modular file, this is once for the modular file and once for a
        generated file, if both have the class.
        """
        for path in self.files.importable(key.path):
            if self.files.definition(path, key.name) is not None:
                yield QualifiedName(path, key.name)


def find_new_names(
    choices: Choices, target: QualifiedName, new: str
) -> dict[QualifiedName, str]:
    """Return the new names of a definition and of its counterparts in other models.

    If `LlamaMLP` becomes `LlamaGate`, then `MistralMLP` becomes `MistralGate`. A
    counterpart can have counterparts of its own, in models that inherit from its model.

    Args:
        choices: Tells which counterparts are renamed.
        target: The definition in the file that people write.
        new: Its new name.
    """
    new_names: dict[QualifiedName, str] = {}
    chosen = {target: new}
    waiting = [target]
    while waiting:
        definition = waiting.pop()
        for place in choices.places(definition):
            new_names[place] = chosen[definition]
        for counterpart in choices.counterparts(definition):
            if not counterpart.is_defined or counterpart.key in chosen:
                continue
            new_name = counterpart.renamer.own_word(chosen[definition])
            # Another attempt may rename a counterpart that keeps its name in this one.
            choices.new_names[counterpart.key] = new_name
            if choices.follows(counterpart.key):
                chosen[counterpart.key] = new_name
                waiting.append(counterpart.key)
    return new_names


def find_owners(choices: Choices, target: QualifiedName) -> frozenset[QualifiedName]:
    """Return the classes whose member gets a new name.

    These are the given class, the classes that inherit from it, and counterparts of all
    of these in other models, such as `MistralMLP` for `LlamaMLP`.

    Args:
        choices: Tells in which counterparts the member is renamed.
        target: The class in the file that people write.
    """
    files = choices.files
    owners: set[QualifiedName] = set()
    waiting = [target]
    reached = {target}
    while waiting:
        class_ = waiting.pop()
        places = list(choices.places(class_))
        owners.update(places)
        related_classes = list(_subclasses(files, places, class_.name))
        for counterpart in choices.counterparts(class_):
            if counterpart.is_defined and choices.follows(counterpart.key):
                related_classes.append(counterpart.key)
        for related in related_classes:
            if related not in reached:
                reached.add(related)
                waiting.append(related)
    return frozenset(owners)


def _subclasses(
    files: ProjectFiles, places: list[QualifiedName], name: str
) -> Iterator[QualifiedName]:
    """Yield the direct subclasses of a class, in the files that people write.

    Args:
        files: The files of the project.
        places: The class, once for each file from which it can be imported.
        name: Its name.
    """
    for path in files.mentioning(name):
        if path in files.generated:
            continue
        subclasses = files.subclasses_in(path)
        for place in places:
            yield from subclasses.get(place, ())


def _is_used_by_inlined_code(files: ProjectFiles, key: QualifiedName) -> bool:
    """Return whether code that a model inlines from its parents uses a name.

    Inlined code is only in the generated files. So the answer is yes if these use the
    name more often than the modular file.

    Args:
        files: The files of the project.
        key: The modular file and the name.
    """
    used_in_modular = _count_uses(files, *key)
    used_in_outputs = 0
    for path in files.outputs.get(key.path, ()):
        used_in_outputs += _count_uses(files, path, key.name)
    return used_in_outputs > used_in_modular


def _count_uses(files: ProjectFiles, path: str, name: str) -> int:
    """Count the uses of a name in the code of a file, apart from its definition."""
    module = files.module(path)
    if module is None:
        return 0
    count = len(list(find_word(module.code.masked_text, name)))
    has_definition = files.definition(path, name) is not None
    return count - 1 if has_definition else count
