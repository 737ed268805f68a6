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
        "`{inlined}` instead"
    )
    hint = "rename `{name}` to `{inlined}`, or remove it"

    def check(self) -> None:
        """Check the classes that nothing uses or exports, though another class seems to need them."""
        modular, nodes = self.modular, self.context.generated
        exports = modular.last_assignment(ALL)
        exported = set() if exports is None else set(exported_names(exports))
        for name, definition in modular.definitions.classes.items():
            parents = modular.parents_of(name)
            if not parents or name in exported or name in self.layout.mentioned:
                continue
            if not _changes_its_parent(definition) or _is_quoted(nodes, name):
                continue

            parent = modular.original_names[parents[0]]
            renamer = self.layout.parents[modular.parent_of[parents[0]]].renamer
            inlined = renamer.word(parent)
            if _is_same(self.layout.flattened[name], name, inlined):
                continue
            for need in _find_needs(self.layout, name, parents[0]):
                if _uses_inlined(nodes, need.child, inlined, name):
                    self._report_class(definition, parent, inlined, need)
                    break

    def _report_class(
        self, definition: ModuleBinding, parent: str, inlined: str, need: "_Need"
    ) -> None:
        """Report an unused class.

        Args:
            definition: The class.
            parent: Its parent class, as its own file calls it.
            inlined: The name under which the parent class is inlined.
            need: The class that uses the inlined parent class instead.
        """
        name = definition.name
        self.report(
            place_of_word(view_definition(definition.statement).header, name),
            rename_definition(self.modular, name, inlined),
            fixes.remove(definition.statement, f"Remove `{name}`"),
            related=need.place,
            name=name,
            child=need.child,
            parent=parent,
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
    nodes: Mapping[str, DraftStatement], child: str, inlined: str, name: str
) -> bool:
    """Whether a flattened class, or a dependency of it, uses the inlined parent class instead of the class ``name``."""
    if child not in nodes:
        return False
    reached = walk([child], lambda used: (nodes[used].words & nodes.keys()) - {name})
    return any(inlined in nodes[used].words for used in reached)


def _is_quoted(nodes: Mapping[str, DraftStatement], name: str) -> bool:
    """Whether an annotation in quotes names the class."""
    codes = []
    for node in nodes.values():
        if node.name != name:
            codes += [run.code for run in node.parts]
    return name in UsedNames(codes, frozenset())


class _Need(NamedTuple):
    """A class of the modular file whose parent needs another class of its file, and the place of that need."""

    child: str
    place: Place


def _find_needs(layout: Layout, name: str, base: str) -> Iterator[_Need]:
    """Yield the other classes of the modular file whose parents depend on the parent class of a class."""
    modular = layout.modular
    path, needed = modular.parent_of[base], modular.original_names[base]
    statements = {}
    for statement in layout.parents[path].source.module.block.statements:
        if statement.name:
            statements[statement.name] = statement
    for child, parent in modular.children_of(path):
        if child != name and parent != needed:
            place = _find_use(parent, needed, statements)
            if place is not None:
                yield _Need(child, place)


def _find_use(
    start: str, needed: str, statements: Mapping[str, Statement]
) -> Place | None:
    """Return the place at which a class of a parent file, or a dependency of it, uses another definition of the file."""

    def dependencies(name: str) -> list[str]:
        return sorted(statements[name].words & statements.keys())

    for user in walk([start], dependencies):
        if needed in dependencies(user):
            return place_of_word(statements[user].bare_code, needed)
    return None
