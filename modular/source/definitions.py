"""What a file defines at module level."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from modular.source.assignments import owner
from modular.source.blocks import Kind, Statement
from modular.source.module import Module


@dataclass(eq=False)
class ModuleBinding:
    """A function, class or assignment at module level, renamed or not.

    ``original`` is how it is in its file, and ``rename`` makes it what it is here when it is first asked for: most are never
    needed.
    """

    name: str
    original: Statement
    rename: Callable[[Statement], Statement] | None = None

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.original.kind

    @cached_property
    def statement(self) -> Statement:
        """The statement itself."""
        return self.original if self.rename is None else self.rename(self.original)

    @property
    def words(self) -> frozenset[str]:
        """Every identifier in it."""
        return self.statement.words


@dataclass(eq=False)
class Definitions:
    """What a file defines at module level, by name, in file order.

    ``items`` names, for an assigned name, the assignments to its items and attributes; they are among ``assignments``,
    each under its own text. ``lines`` says where each name, or text, is first defined.
    """

    functions: dict[str, ModuleBinding] = field(default_factory=dict)
    assignments: dict[str, ModuleBinding] = field(default_factory=dict)
    classes: dict[str, ModuleBinding] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, definition: ModuleBinding) -> None:
        """Record one more definition; a later one of the same name wins."""
        key = definition.name
        if definition.kind is Kind.FUNCTION:
            self.functions[key] = definition
        elif definition.kind is Kind.CLASS:
            self.classes[key] = definition
        elif definition.kind is Kind.ASSIGNMENT:
            self.assignments[key] = definition
        else:
            key = definition.statement.own.text
            self.assignments[key] = definition
            self.items.setdefault(definition.name, []).append(key)
        self.lines.setdefault(key, definition.original.line)

    def by_name(self) -> dict[str, ModuleBinding]:
        """All definitions by name."""
        return {**self.assignments, **self.classes, **self.functions}


def definitions(module: Module) -> Definitions:
    """Return what a module defines, as it stands."""
    defined = Definitions()
    for statement in module.block.statements:
        if name := defined_name(statement):
            defined.add(ModuleBinding(name, statement))
    return defined


def defined_name(statement: Statement) -> str:
    """Return what a statement defines: for an assignment to an item or attribute the name on the very left."""
    return statement.name or owner(statement)
