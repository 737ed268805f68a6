"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections import deque
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition
from modular.flatten.merged_class import MergedClass
from modular.lint.context import LintContext
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, DraftStatement
from modular.rules.files.exports import exported_names
from modular.rules.files.used_names import UsedNames
from modular.source import fixes
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.definitions import ModuleBinding
from modular.source.diagnostics import Place, Problem
from modular.source.places import place_of_word
from modular.source.source_slice import join_slices


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
            merged_class = self.layout.flattened.get(name)
            if merged_class is None or _equals_copy(merged_class, name, copy):
                continue
            user = self._find_user(parent_class, copy)
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
        """The classes of the modular file that other generated definitions name.

        Names in quoted annotations count.
        """
        classes = self.modular.definitions.classes.keys()
        used_classes: set[str] = set()
        for statement in self.context.generated.values():
            codes = [run.code for run in statement.parts]
            other_classes = classes - {statement.name}
            used_classes |= UsedNames(codes, frozenset()).among(other_classes)
        return used_classes

    def _find_user(self, parent_class: str, copy: str) -> "_ParentUser | None":
        """Return the first class of the modular file whose inherited code uses a parent class.

        For `LlamaMLP`, return `OlmoModel(LlamaModel)` if `LlamaModel` uses `LlamaMLP`,
        directly or through other definitions of the parent file.

        Args:
            parent_class: The parent class as the modular file imports it, `LlamaMLP`.
            copy: The name of its copy, `OlmoMLP`.

        Returns:
            None if there is no such class, or if no child in the generated files uses the
            copy. A child may override the code that uses the parent class.
        """
        # `LlamaMLP` is the name in the parent file, also after `import LlamaMLP as Base`.
        original_name = self.modular.original_names[parent_class]
        path = self.modular.parent_of[parent_class]
        uses = self.context.memoized(_find_uses, path)
        user_in_parent = uses.in_parent.get(original_name)
        user_of_copy = uses.in_output.get(copy)
        if user_in_parent is None or user_of_copy is None:
            return None
        code = uses.parent_definitions[user_in_parent.definition].code
        return _ParentUser(user_of_copy.child, place_of_word(code, original_name))

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


def _equals_copy(merged_class: MergedClass, name: str, copy: str) -> bool:
    """Whether a class differs only in its name from the copy of its parent class."""
    result = join_slices(
        [run.code for run in merged_class.parts], merged_class.path
    ).normalized()
    parent = merged_class.parent.code.normalized()
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


class _User(NamedTuple):
    """The first class whose code uses a definition.

    Attributes:
        child: The class.
        definition: The definition that mentions the used one: the class, or a definition
            that it needs.
    """

    child: str
    definition: str


class _Uses(NamedTuple):
    """Who uses the definitions of a parent file, and their copies in generated files.

    Attributes:
        parent_definitions: The definitions of the parent file.
        in_parent: The first child whose inherited code uses each of them.
        in_output: The first child that uses each definition of the generated files.
    """

    parent_definitions: Mapping[str, Statement]
    in_parent: Mapping[str, _User]
    in_output: Mapping[str, _User]


def _find_uses(context: LintContext, path: str) -> _Uses:
    """Return the users of the definitions of a parent file."""
    definitions = {}
    for statement in context.layout.parents[path].source.module.block.statements:
        if statement.name:
            definitions[statement.name] = statement
    # In the parent file, a child's code is that of its parent class. In the output
    # files, it has the child's own name.
    children = context.modular.children_of(path)
    generated_children = [(child, child) for child, _ in children]
    return _Uses(
        parent_definitions=definitions,
        in_parent=_find_first_users(definitions, children),
        in_output=_find_first_users(context.generated, generated_children),
    )


def _find_first_users(
    definitions: Mapping[str, DraftStatement | Statement],
    classes: Iterable[tuple[str, str]],
) -> Mapping[str, _User]:
    """Return the first class that uses each definition, directly or through others.

    If `LlamaModel` creates a `LlamaLayer`, which creates a `LlamaMLP`, the class
    `OlmoModel(LlamaModel)` is the user of both. `LlamaLayer` is the definition that
    mentions `LlamaMLP`.

    Args:
        definitions: The definitions of a file by name.
        classes: Pairs of a class and the definition that has its code. The class does
            not count as a user of this definition.
    """
    users: dict[str, _User] = {}
    visited: set[str] = set()
    for child, child_definition in classes:
        pending = deque([child_definition])
        while pending:
            name = pending.popleft()
            # The base in `OlmoModel(LLamaModel)` has other capitals than the class that it
            # means, and is not a definition.
            if name in visited or name not in definitions:
                continue
            visited.add(name)
            for used_name in sorted(definitions[name].words & definitions.keys()):
                if used_name != child_definition:
                    users.setdefault(used_name, _User(child, name))
                pending.append(used_name)
    return users


class _ParentUser(NamedTuple):
    """A class of the modular file whose inherited code uses a parent class.

    Attributes:
        child: The class, `OlmoModel`.
        place: The first use of the parent class `LlamaMLP` in the parent file.
    """

    child: str
    place: Place
