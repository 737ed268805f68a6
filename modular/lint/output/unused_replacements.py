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
            generated = self.context.generated
            for user in _find_users(self.layout, parent_class):
                # The child may override the code that uses the parent class.
                if _find_direct_user(generated, user.child, copy):
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
        """Report `OlmoFastMLP(LlamaMLP)`, which no code uses.

        `OlmoModel` inherits code from `LlamaModel`, which creates a `LlamaMLP`. The
        generated `OlmoModel` creates an `OlmoMLP`, which is a renamed copy of `LlamaMLP`.

        One fix renames `OlmoFastMLP` to `OlmoMLP`, so that `OlmoModel` uses the class. The
        other fix removes `OlmoFastMLP`.

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


def _find_direct_user(
    definitions: Mapping[str, DraftStatement | Statement], user: str, used: str
) -> str | None:
    """Return the name of the definition through which a class uses another class.

    If `OlmoModel` creates an `OlmoLayer`, which creates an `OlmoMLP`, this is `OlmoLayer`.
    If `OlmoModel` creates an `OlmoMLP` itself, this is `OlmoModel`.

    Args:
        definitions: The definitions of a file by name.
        user: The first class, `OlmoModel`.
        used: The other class, `OlmoMLP`.

    Returns:
        None if the first class does not use the other class, or is not defined there.
    """
    # The base in `OlmoModel(LLamaModel)` has other capitals than the class that it means.
    if user not in definitions:
        return None

    def dependencies(name: str) -> list[str]:
        return sorted(definitions[name].words & definitions.keys())

    # The walk yields the first class, its dependencies, and theirs.
    for name in walk([user], dependencies):
        if used in definitions[name].words:
            return name
    return None


def _is_quoted(generated: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names a class."""
    codes = []
    for statement in generated.values():
        if statement.name != name:
            codes += [run.code for run in statement.parts]
    return name in UsedNames(codes, frozenset())


class _ParentUser(NamedTuple):
    """A class of the modular file whose inherited code uses a parent class.

    Attributes:
        child: The class, `OlmoModel`.
        place: The first use of the parent class `LlamaMLP` in the parent file.
    """

    child: str
    place: Place


def _find_users(layout: Layout, parent_class: str) -> Iterator[_ParentUser]:
    """Yield the classes of the modular file whose inherited code uses a parent class.

    For `LlamaMLP`, `OlmoModel(LlamaModel)` is yielded if `LlamaModel` uses `LlamaMLP`,
    directly or through other definitions of the parent file.

    Args:
        layout: The flattened classes and their parent files.
        parent_class: The parent class as the modular file imports it, `LlamaMLP`.
    """
    modular = layout.modular
    path = modular.parent_of[parent_class]
    # `LlamaMLP` is the name in the parent file, also after `import LlamaMLP as Base`.
    original_name = modular.original_names[parent_class]
    # The definitions of the parent file by name.
    definitions = {}
    for statement in layout.parents[path].source.module.block.statements:
        if statement.name:
            definitions[statement.name] = statement

    for child, parent_of_child in modular.children_of(path):
        # `OlmoFastMLP(LlamaMLP)` is a child of the parent class, and not a user.
        if parent_of_child == original_name:
            continue
        name = _find_direct_user(definitions, parent_of_child, original_name)
        if name is not None:
            code = definitions[name].bare_code
            yield _ParentUser(child, place_of_word(code, original_name))
