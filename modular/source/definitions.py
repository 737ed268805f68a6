"""The definitions of a file at module level."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from modular.source.assignments import item_owner
from modular.source.blocks import Kind, Statement
from modular.source.module import Module
from modular.source.walking import inverted


@dataclass(eq=False)
class ModuleBinding:
    """A name that is bound at module level: a function, a class or an assignment.

    Attributes:
        name: The name.
        original: The statement as it is in its file.
        rename: Renames the statement when it is first asked for, because most are
            never needed; None if nothing is renamed.
    """

    name: str
    original: Statement
    rename: Callable[[Statement], Statement] | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the statement."""
        return self.original.kind

    @property
    def is_item(self) -> bool:
        """Whether it assigns to an item or attribute of the name: `TABLE["x"] = 1`."""
        return self.kind not in (Kind.FUNCTION, Kind.CLASS, Kind.ASSIGNMENT)

    @cached_property
    def statement(self) -> Statement:
        """The statement, renamed if that is asked for."""
        if self.rename is None:
            return self.original
        return self.rename(self.original)

    @property
    def words(self) -> frozenset[str]:
        """All identifiers and keywords in the statement."""
        return self.statement.words


@dataclass(eq=False)
class Definitions:
    """The definitions of a file by name, in file order.

    Attributes:
        functions: The functions.
        assignments: The assignments. Those to items and attributes have their text as
            key.
        classes: The classes.
        items: The keys of the assignments to items and attributes of each name.
        lines: The line on which each key is first defined.
        changes: All other statements that bind or change a name, by a key that begins
            with their text: `A, B = 1, 2` or `TABLE.update(x)`. Only projects that follow
            Python's inheritance have them.
        changes_of: The keys in `changes` of the statements that bind or change each name.
        bound_by: The names that each statement in `changes` binds.
    """

    functions: dict[str, ModuleBinding] = field(default_factory=dict)
    assignments: dict[str, ModuleBinding] = field(default_factory=dict)
    classes: dict[str, ModuleBinding] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    changes: dict[str, ModuleBinding] = field(default_factory=dict)
    changes_of: dict[str, list[str]] = field(default_factory=dict)
    bound_by: dict[str, frozenset[str]] = field(default_factory=dict)

    def add_change(
        self,
        binding: ModuleBinding,
        names: Iterable[str],
        bound_names: Iterable[str],
        key: str,
    ) -> None:
        """Add a statement to `changes`: one that is no plain definition of one name.

        `TABLE.update(x)` changes `TABLE` and binds nothing. `A, B = 1, 2` binds `A` and
        `B`.

        Args:
            binding: The statement. Its name is one of `names`.
            names: All names that it binds or changes.
            bound_names: Those of them that it binds.
            key: The key of the statement in `changes`. Equal statements of two parent files
                have the same key.
        """
        self.changes[key] = binding
        self.bound_by[key] = frozenset(bound_names)
        self.lines[key] = binding.original.line
        for name in names:
            self.changes_of.setdefault(name, []).append(key)

    def add_changes(self, other: "Definitions") -> None:
        """Add the `changes` of other definitions."""
        changed_names = inverted(other.changes_of)
        for key, binding in other.changes.items():
            names = dict.fromkeys(changed_names.get(key, ()))
            self.add_change(binding, names, other.bound_by[key], key)

    def add(self, definition: ModuleBinding) -> None:
        """Add a definition, in the place of an earlier one with the same key.

        The key of most definitions is their name. The key of `TABLE["x"] = 1` is this
        text, because `TABLE` can have many items.
        """
        key = definition.name
        if definition.is_item:
            key = definition.statement.bare_code.text
            self.items.setdefault(definition.name, []).append(key)

        if definition.kind is Kind.FUNCTION:
            self.functions[key] = definition
        elif definition.kind is Kind.CLASS:
            self.classes[key] = definition
        else:
            self.assignments[key] = definition
        # The key keeps the line of its first definition.
        self.lines.setdefault(key, definition.original.line)

    def __contains__(self, key: str) -> bool:
        """Whether there is a definition with a key."""
        return key in self.assignments or key in self.classes or key in self.functions

    def by_name(self) -> dict[str, ModuleBinding]:
        """Return all definitions by their keys."""
        return {**self.assignments, **self.classes, **self.functions}


def find_definitions(module: Module) -> Definitions:
    """Return the functions, classes and assignments at module level."""
    defined = Definitions()
    for statement in module.block.statements:
        name = defined_name(statement)
        if name:
            defined.add(ModuleBinding(name, statement))
    return defined


def defined_name(statement: Statement) -> str:
    """Return the name that a statement defines, or to whose item it assigns."""
    return statement.name or item_owner(statement)
