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
        "`{inlined}` instead"
    )
    hint = "rename `{name}` to `{inlined}`, or remove it"

    def check(self) -> None:
        """Report changed classes that nothing uses, although inherited code uses their parent class.

        For example, `OlmoFastMLP(LlamaMLP)` is unused, while `OlmoModel(LlamaModel)` uses
        the class `OlmoMLP` that is copied from `LlamaMLP`.
        """
        modular = self.modular
        for name, definition in modular.definitions.classes.items():
            parents = modular.parents_of(name)
            if not parents or name in self.layout.mentioned:
                continue
            if not _changes_its_parent(definition) or self._is_in_string(name):
                continue

            # The name of the parent class where it is copied: `OlmoMLP` for `LlamaMLP`.
            base = parents[0]
            renamer = self.layout.parents[modular.parent_of[base]].renamer
            inlined = renamer.word(modular.original_names[base])
            if _is_same(self.layout.flattened[name], name, inlined):
                continue
            for user in _find_users(self.layout, name, base):
                if _uses_inlined(self.context.generated, user.child, inlined, name):
                    self._report_class(definition, inlined, user)
                    break

    def _is_in_string(self, name: str) -> bool:
        """Whether `__all__` or a string of the generated code has the name of a class."""
        exports = self.modular.last_assignment(ALL)
        is_exported = exports is not None and name in exported_names(exports)
        return is_exported or _is_quoted(self.context.generated, name)

    def _report_class(
        self, definition: ModuleBinding, inlined: str, user: "_ParentUser"
    ) -> None:
        """Report an unused class.

        Args:
            definition: The class.
            inlined: The name under which its parent class is copied.
            user: The class that uses the copied parent class instead.
        """
        name = definition.name
        self.report(
            place_of_word(view_definition(definition.statement).header, name),
            rename_definition(self.modular, name, inlined),
            fixes.remove(definition.statement, f"Remove `{name}`"),
            related=user.place,
            name=name,
            child=user.child,
            inlined=inlined,
        )


def _is_same(flat: Flattened, name: str, inlined: str) -> bool:
    """Whether a flattened class differs from its parent class only by its name."""
    result = join_slices([run.code for run in flat.parts], flat.path).normalized()
    parent = flat.parent.code.normalized()
    return result.replace(name, inlined) == parent.replace(name, inlined)


def _changes_its_parent(definition: ModuleBinding) -> bool:
    """Whether a class differs from its parent class by more than its name."""
    view = view_definition(definition.statement)
    if view.decorators.text or len(view.bases) > 1:
        return True
    for statement in view.body.statements:
        if statement.kind is not Kind.STRING and not statement.does_nothing:
            return True
    return False


def _uses_inlined(
    generated: Mapping[str, DraftStatement], child: str, inlined: str, name: str
) -> bool:
    """Whether a generated class uses the copy of a parent class, directly or indirectly.

    For example, `OlmoModel` uses `OlmoMLP`, the copy of `LlamaMLP`, and not
    `OlmoFastMLP`, which inherits from `LlamaMLP`.

    Args:
        generated: The generated definitions by name.
        child: The class that may use the copy, `OlmoModel`.
        inlined: The copy, `OlmoMLP`.
        name: The child of the copied class, `OlmoFastMLP`. Its dependencies do not count.
    """
    if child not in generated:
        return False

    def dependencies(user: str) -> set[str]:
        return (generated[user].words & generated.keys()) - {name}

    # The walk yields the class, its dependencies, and theirs.
    return any(inlined in generated[user].words for user in walk([child], dependencies))


def _is_quoted(generated: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names a class."""
    codes = []
    for statement in generated.values():
        if statement.name != name:
            codes += [run.code for run in statement.parts]
    return name in UsedNames(codes, frozenset())


class _ParentUser(NamedTuple):
    """A class of the modular file whose parent class uses some other class of its file.

    Attributes:
        child: The class of the modular file.
        place: The use in the parent file.
    """

    child: str
    place: Place


def _find_users(layout: Layout, name: str, base: str) -> Iterator[_ParentUser]:
    """Yield the classes of the modular file whose inherited code uses the parent of a class.

    For the class `OlmoFastMLP(LlamaMLP)`, this is `OlmoModel(LlamaModel)` if `LlamaModel`
    uses `LlamaMLP`, directly or indirectly.

    Args:
        layout: The flattened classes and their parent files.
        name: The class, `OlmoFastMLP`.
        base: Its parent class as the modular file imports it, `LlamaMLP`.
    """
    modular = layout.modular
    path = modular.parent_of[base]
    used_class = modular.original_names[base]
    # The definitions of the parent file by name.
    statements = {}
    for statement in layout.parents[path].source.module.block.statements:
        if statement.name:
            statements[statement.name] = statement

    def dependencies(definition: str) -> list[str]:
        return sorted(statements[definition].words & statements.keys())

    for child, parent in modular.children_of(path):
        if child == name or parent == used_class:
            continue
        # The walk yields the parent class, its dependencies, and theirs.
        for user in walk([parent], dependencies):
            if used_class in dependencies(user):
                place = place_of_word(statements[user].bare_code, used_class)
                yield _ParentUser(child, place)
                break
