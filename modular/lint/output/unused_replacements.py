"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition
from modular.flatten.flattened import Flattened
from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, DraftStatement
from modular.rules.files.exports import exported_names
from modular.rules.files.used_names import UsedNames
from modular.rules.reading.modular_file import ModularFile
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word
from modular.source.source_slice import join_slices
from modular.source.walking import walk


class UnusedReplacement(LintRule):
    """A class is not used where another class needs its parent class, which lacks its changes."""

    code = Problem.UNUSED_REPLACEMENT
    message = (
        "`{name}` is never used: the code that `{child}` inherits uses the class "
        "`{copy}` instead"
    )
    hint = "rename `{name}` to `{copy}`, or remove it"

    def check(self) -> None:
        """Report an unused class if inherited code uses a copy of its parent class instead.

        The author wrote `OlmoFastMLP(LlamaMLP)`, expecting that `OlmoModel(LlamaModel)`
        uses this class. But the code that `OlmoModel` inherits uses `OlmoMLP`, an
        unchanged copy of `LlamaMLP`, and nothing uses `OlmoFastMLP`.
        """
        modular = self.modular
        for name, definition in modular.definitions.classes.items():
            parents = modular.parents_of(name)
            if not parents or not _changes_its_parent(definition):
                continue
            if self._is_used(name):
                continue

            parent_class = parents[0]
            renamer = self.layout.parents[modular.parent_of[parent_class]].renamer
            # The name of the parent class where it is copied: `OlmoMLP` for `LlamaMLP`.
            copy = renamer.word(modular.original_names[parent_class])
            # A class that equals the copy has no changes that could be lost. If the parent
            # class is kept, there is no copy.
            flat = self.layout.flattened.get(name)
            if flat is None or _equals_copy(flat, name, copy):
                continue
            # The child may override the code that uses the parent class.
            users_in_output = self._generated_uses.find_users(copy)
            # The first user is enough.
            user = _find_user(self._parent_uses, modular, parent_class, users_in_output)
            if user is not None:
                self._report_class(definition, copy, user)

    def _is_used(self, name: str) -> bool:
        """Whether generated code uses a class, also in a string, or `__all__` lists it."""
        if name in self.layout.mentioned:
            return True
        exports = self.modular.last_assignment(ALL)
        is_exported = exports is not None and name in exported_names(exports)
        return is_exported or name in self._classes_in_annotations

    @cached_property
    def _classes_in_annotations(self) -> set[str]:
        """The classes that other definitions name, also in quoted annotations."""
        classes = self.modular.definitions.classes.keys()
        used_classes: set[str] = set()
        for statement in self.context.generated.values():
            codes = [run.code for run in statement.parts]
            other_classes = classes - {statement.name}
            used_classes |= UsedNames(codes, frozenset()).among(other_classes)
        return used_classes

    @cached_property
    def _generated_uses(self) -> "_Uses":
        """The uses of generated definitions."""
        return _Uses(self.context.generated)

    def _parent_uses(self, path: str) -> "_Uses":
        """Return the uses of the definitions of a parent file."""
        return self.context.memoized(_find_uses_in_parent, path)

    def _report_class(
        self, definition: ModuleBinding, copy: str, user: "_ParentUser"
    ) -> None:
        """Report `OlmoFastMLP(LlamaMLP)`, which no code uses.

        `OlmoModel` inherits code from `LlamaModel`, which creates a `LlamaMLP`. The
        generated `OlmoModel` creates an `OlmoMLP`, which is a renamed copy of
        `LlamaMLP`.

        One fix renames `OlmoFastMLP` to `OlmoMLP`, so that `OlmoModel` uses the class.
        The other fix removes `OlmoFastMLP`.

        Args:
            definition: The unused class, `OlmoFastMLP`.
            copy: The name of the copy, `OlmoMLP`.
            user: The class whose inherited code uses the copy, `OlmoModel`.
        """
        name = definition.name
        renaming = rename_definition(self.modular, name, copy)
        removal = fixes.remove(definition.statement, f"Remove `{name}`")
        self.report(
            place_of_word(view_definition(definition.statement).header, name),
            renaming,
            removal,
            related=user.place,
            name=name,
            child=user.child,
            copy=copy,
        )


def _equals_copy(flat: Flattened, name: str, copy: str) -> bool:
    """Whether a class differs only in its name from the copy of its parent class."""
    result = join_slices([run.code for run in flat.parts], flat.path).normalized()
    parent = flat.parent.code.normalized()
    return result.replace(name, copy) == parent.replace(name, copy)


def _changes_its_parent(definition: ModuleBinding) -> bool:
    """Whether a class differs from its parent class by more than its name.

    `class OlmoMLP(LlamaMLP): pass` does not.
    """
    view = view_definition(definition.statement)
    if view.decorators.text or len(view.bases) > 1:
        return True
    for statement in view.body.statements:
        if statement.kind is not Kind.STRING and not statement.does_nothing:
            return True
    return False


class _Uses:
    """The definitions of a file, and which of them use which words.

    Attributes:
        definitions: The definitions by name.
    """

    def __init__(self, definitions: Mapping[str, DraftStatement | Statement]) -> None:
        self.definitions = definitions

    @cached_property
    def _users_by_word(self) -> Mapping[str, Sequence[str]]:
        """The names of the definitions that contain each word."""
        users: dict[str, list[str]] = {}
        for name, definition in self.definitions.items():
            for word in definition.words:
                users.setdefault(word, []).append(name)
        return users

    def find_users(self, used: str) -> set[str]:
        """Return the definitions that use a class directly or through others.

        If `OlmoModel` creates an `OlmoLayer`, which creates an `OlmoMLP`, these are
        `OlmoModel` and `OlmoLayer` for `OlmoMLP`.
        """

        def direct_users(name: str) -> Sequence[str]:
            return self._users_by_word.get(name, ())

        return set(walk(direct_users(used), direct_users))

    def find_direct_user(self, user: str, used: str) -> str:
        """Return the name of the definition through which a class uses another class.

        If `OlmoModel` creates an `OlmoLayer`, which creates an `OlmoMLP`, this is
        `OlmoLayer`. If `OlmoModel` creates an `OlmoMLP` itself, this is `OlmoModel`.

        Args:
            user: The first class, `OlmoModel`.
            used: The other class, `OlmoMLP`.

        Raises:
            LookupError: The first class does not use the other class.
        """

        def dependencies(name: str) -> list[str]:
            return sorted(self.definitions[name].words & self.definitions.keys())

        # The walk yields the first class, its dependencies, and theirs.
        for name in walk([user], dependencies):
            if used in self.definitions[name].words:
                return name
        raise LookupError(used)


def _find_uses_in_parent(context: LintContext, path: str) -> _Uses:
    """Return the uses of the definitions of a parent file."""
    definitions = {}
    for statement in context.layout.parents[path].source.module.block.statements:
        if statement.name:
            definitions[statement.name] = statement
    return _Uses(definitions)


class _ParentUser(NamedTuple):
    """A class of the modular file whose inherited code uses a parent class.

    Attributes:
        child: The class, `OlmoModel`.
        place: The first use of the parent class `LlamaMLP` in the parent file.
    """

    child: str
    place: Place


def _find_user(
    parent_uses: Callable[[str], _Uses],
    modular: ModularFile,
    parent_class: str,
    children: AbstractSet[str],
) -> _ParentUser | None:
    """Return the first class of the modular file whose inherited code uses a parent class.

    For `LlamaMLP`, this is `OlmoModel(LlamaModel)` if `LlamaModel` uses `LlamaMLP`,
    directly or through other definitions of the parent file.

    Args:
        parent_uses: Returns the uses of the definitions of a parent file.
        modular: The modular file.
        parent_class: The parent class as the modular file imports it, `LlamaMLP`.
        children: The classes that are considered.

    Returns:
        None if there is no such class.
    """
    if not children:
        return None
    path = modular.parent_of[parent_class]
    # `LlamaMLP` is the name in the parent file, also after `import LlamaMLP as Base`.
    original_name = modular.original_names[parent_class]
    uses = parent_uses(path)
    users = uses.find_users(original_name)
    for child, parent_of_child in modular.children_of(path):
        # `OlmoFastMLP(LlamaMLP)` is a child of the parent class, and not a user.
        if child not in children or parent_of_child == original_name:
            continue
        # The base in `OlmoModel(LLamaModel)` has other capitals than the class that it
        # means, and is not a definition.
        if parent_of_child not in users:
            continue
        name = uses.find_direct_user(parent_of_child, original_name)
        code = uses.definitions[name].code
        return _ParentUser(child, place_of_word(code, original_name))
    return None
