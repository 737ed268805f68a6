"""Methods in which the parent's body replaced a call of `super()`."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from modular.flatten.flattened import Flattened
from modular.lint.statement_names import names_read_by
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.super_call import find_super_call
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import SourceSlice


@dataclass(eq=False)
class MergedBody:
    """The body of a method in which the parent's body replaced a call of `super()`.

    Attributes:
        key: The key of the method in its class.
        override: The method of the modular file.
        parent: The parent's method, renamed.
        call: The statement that was replaced.
        above_call: The child's statements above the call.
        below_call: The child's statements below the call.
        parent_statements: The statements of the parent's method without its docstring.
        merged: The statements of the parent and those below the call, in the order of
            the generated method. Some may come from another method of the child.
    """

    key: str
    override: DefinitionView
    parent: DefinitionView
    call: Statement
    above_call: Sequence[Statement]
    below_call: Sequence[Statement]
    parent_statements: Sequence[Statement]
    merged: list[Statement] = field(default_factory=list)

    @cached_property
    def kept_parent_statements(self) -> list[Statement]:
        """The parent's statements that the generated method has."""
        return [statement for statement in self.merged if self.is_of_parent(statement)]

    def is_of_parent(self, statement: Statement) -> bool:
        """Whether a statement is one of the parent's."""
        return statement in self._parent_statement_set

    @cached_property
    def _parent_statement_set(self) -> frozenset[Statement]:
        return frozenset(self.parent_statements)

    def replaced(self, target: str) -> list[Statement]:
        """Return the parent's assignments to a target that the child's code replaced or removed."""
        kept = set(self.merged)
        replaced = []
        for statement in self.parent_statements:
            if statement not in kept:
                assigned = assigned_target(statement)
                if assigned is not None and assigned.text == target:
                    replaced.append(statement)
        return replaced

    def position(self, statement: Statement) -> int | None:
        """Return the index in `merged` of a statement, or of an equal one that stands for it.

        A statement that the merged body already has is not added again.

        Returns:
            None if the generated method has no such statement, as for a merged `del`.
        """
        if statement in self.merged:
            return self.merged.index(statement)
        if deleted_target(statement) is not None:
            return None
        text = statement.bare_code.normalized()
        for index, merged_statement in enumerate(self.merged):
            if merged_statement.bare_code.normalized() == text:
                return index
        return None

    def overtaken(self, index: int) -> list[Statement]:
        """Return the statements that an assignment of the child overtakes.

        Python runs them before the assignment, but the generated method after it. The
        parent sets `self.total = 0` and then `self.size = 8`. If the child assigns
        `self.total = 1` below the call, this takes the place of the first line, and
        overtakes the second.

        Args:
            index: The index of the child's statement in `below_call`.
        """
        position = self.position(self.below_call[index])
        if position is None:
            return []
        child_statements = set(self.below_call[:index])
        overtaken = []
        for statement in self.merged[position + 1 :]:
            if self.is_of_parent(statement) or statement in child_statements:
                overtaken.append(statement)
        return overtaken


@lru_cache(maxsize=64)
def merged_bodies(flat: Flattened) -> Sequence[MergedBody]:
    """Return the methods of a class in which the parent's body replaced a call of `super()`.

    Each of them gets its `merged` statements: those of the generated method, in order.
    """
    bodies = {body.key: body for body in _find_bodies(flat)}
    # An assignment below one call also replaces the parent's assignments in other
    # methods, so the statements of a generated method may come from any of the bodies.
    statements_by_code: dict[SourceSlice, Statement] = {}
    for body in bodies.values():
        for statement in (*body.parent_statements, *body.below_call):
            statements_by_code[statement.code] = statement
    # The parts of the generated class are in order. `member` is the key of the method.
    for part in flat.parts:
        if part.member in bodies and part.code in statements_by_code:
            bodies[part.member].merged.append(statements_by_code[part.code])
    return list(bodies.values())


def _find_bodies(flat: Flattened) -> Iterator[MergedBody]:
    """Yield the methods with a call of `super()` that the parent's body replaces."""
    for key, override in flat.overriding.items():
        parent = flat.inherited.get(key)
        if parent is None or override.name in flat.removed:
            # The method overrides nothing, or the child removes the parent's method.
            continue
        if "super" not in override.code.mask:
            # Most methods do not mention `super`. Their statements need not be read.
            continue
        statements = override.body.statements
        index = find_super_call(statements, override.name)
        if index is not None:
            yield MergedBody(
                key=key,
                override=override,
                parent=parent,
                call=statements[index],
                above_call=statements[:index],
                below_call=statements[index + 1 :],
                parent_statements=parent.body_without_docstring,
            )


def reads_variable(body: MergedBody, name: str) -> bool:
    """Whether a parent's statement in the generated method reads a variable, as in `x.size`."""
    for statement in body.kept_parent_statements:
        if name in statement.words:
            for read in names_read_by(statement):
                if read.partition(".")[0] == name:
                    return True
    return False


def first_shared(bound: Set[str], used: Set[str]) -> str:
    """Return the first bound name, in alphabetical order, that a used name depends on.

    `self.size` depends on `self.size`, and `self.size.width` does, too.

    Returns:
        Empty if no used name depends on a bound one.
    """
    for bound_name in sorted(bound):
        for used_name in used:
            if f"{used_name}.".startswith(f"{bound_name}."):
                return bound_name
    return ""


def may_use(statement: Statement, names: Set[str]) -> bool:
    """Whether a statement has the last word of one of some names.

    Other statements cannot use them, so they need not be parsed.
    """
    return any(name.rpartition(".")[2] in statement.words for name in names)
