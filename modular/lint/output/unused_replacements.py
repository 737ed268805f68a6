"""A class that changes what another class of the modular file needs, but is not used: its changes would be lost."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from modular.flatten.autofixes import rename_definition
from modular.flatten.flattened import Flattened
from modular.flatten.layout import Layout
from modular.lint.rule import LintRule
from modular.rules.files.drafts import ALL, DraftStatement
from modular.rules.files.exports import exported_names
from modular.rules.files.used_names import UsedNames
from modular.source import fixes
from modular.source.blocks import Kind
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
        uses this class. But the code that `OlmoModel` inherits uses `OlmoMLP`, an unchanged
        copy of `LlamaMLP`, and nothing uses `OlmoFastMLP`.
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
            # A class that equals the copy has no changes that could be lost.
            if _equals_copy(self.layout.flattened[name], name, copy):
                continue
            for user in _find_users(self.layout, parent_class):
                if _uses_class(self.context.generated, user.child, copy):
                    self._report_class(definition, copy, user)
                    # The first user is enough.
                    break

    def _is_used(self, name: str) -> bool:
        """Whether generated code uses a class, also in a string, or `__all__` lists it."""
        if name in self.layout.mentioned:
            return True
        exports = self.modular.last_assignment(ALL)
        is_exported = exports is not None and name in exported_names(exports)
        return is_exported or _is_quoted(self.context.generated, name)

    def _report_class(
        self, definition: ModuleBinding, copy: str, user: "_ParentUser"
    ) -> None:
        """Report an unused class, because inherited code uses a copy of its parent class.

        One fix renames the class to the name of the copy, so that inherited code uses it.
        The other removes the class.

        Args:
            definition: The class, `OlmoFastMLP(LlamaMLP)`.
            copy: The name of the copy of `LlamaMLP`, `OlmoMLP`.
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
    """Whether a flattened class differs from the copy of its parent class only by its name."""
    result = join_slices([run.code for run in flat.parts], flat.path).normalized()
    parent = flat.parent.code.normalized()
    return result.replace(name, copy) == parent.replace(name, copy)


def _changes_its_parent(definition: ModuleBinding) -> bool:
    """Whether a class differs from its parent class by more than its name."""
    view = view_definition(definition.statement)
    if view.decorators.text or len(view.bases) > 1:
        return True
    for statement in view.body.statements:
        if statement.kind is not Kind.STRING and not statement.does_nothing:
            return True
    return False


def _uses_class(generated: Mapping[str, DraftStatement], user: str, used: str) -> bool:
    """Whether a generated class uses another one, directly or through other definitions.

    For example, `OlmoModel` creates an `OlmoLayer`, which creates an `OlmoMLP`.

    Args:
        generated: The generated definitions by name.
        user: The first class, `OlmoModel`.
        used: The other class, `OlmoMLP`.
    """
    if user not in generated:
        return False

    def dependencies(name: str) -> set[str]:
        return generated[name].words & generated.keys()

    # The walk yields the first class, its dependencies, and theirs.
    return any(used in generated[name].words for name in walk([user], dependencies))


def _is_quoted(generated: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names a class."""
    codes = []
    for statement in generated.values():
        if statement.name != name:
            codes += [run.code for run in statement.parts]
    return name in UsedNames(codes, frozenset())


class _ParentUser(NamedTuple):
    """A class of the modular file that inherits code which uses another parent class.

    Attributes:
        child: The class of the modular file.
        place: The use in the parent file.
    """

    child: str
    place: Place


def _find_users(layout: Layout, parent_class: str) -> Iterator[_ParentUser]:
    """Yield the classes of the modular file that inherit code which uses a parent class.

    For `LlamaMLP`, this is `OlmoModel(LlamaModel)` if `LlamaModel` uses `LlamaMLP`,
    directly or through other definitions of the parent file. Children of `LlamaMLP` itself
    are not yielded.

    Args:
        layout: The flattened classes and their parent files.
        parent_class: The parent class as the modular file imports it, `LlamaMLP`.
    """
    modular = layout.modular
    path = modular.parent_of[parent_class]
    # `LlamaMLP` is the name in the parent file, also after `import LlamaMLP as Base`.
    original_name = modular.original_names[parent_class]
    # The definitions of the parent file by name.
    statements = {}
    for statement in layout.parents[path].source.module.block.statements:
        if statement.name:
            statements[statement.name] = statement

    def dependencies(name: str) -> list[str]:
        return sorted(statements[name].words & statements.keys())

    # For example, `OlmoModel` inherits from `LlamaModel`.
    for child, parent_of_child in modular.children_of(path):
        if parent_of_child == original_name:
            continue
        # The walk yields `LlamaModel`, its dependencies, and theirs. The first one that
        # mentions `LlamaMLP` is shown.
        for name in walk([parent_of_child], dependencies):
            if original_name in dependencies(name):
                place = place_of_word(statements[name].bare_code, original_name)
                yield _ParentUser(child, place)
                break
