"""The record of a merge: the fate of each statement of the parent's method and of its override."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.source_slice import SourceSlice


class Fate(Enum):
    """The ways in which a statement ends up in a merged method, or is left out."""

    KEPT = "a statement of the parent that is generated"
    REPLACED = "a statement of the parent, left out for one of the child"
    DELETED = "a statement of the parent, left out because of a `del`"
    OWN = "a statement of the child that is generated where it stands"
    MOVED = "a statement of the child, generated in place of one of the parent"
    REPEATED = "a statement of the child, left out because an equal one is generated"
    DROPPED = "a `del` of the child, which only changes what the parent's body contains"

    @property
    def is_generated(self) -> bool:
        """Whether a statement with this fate is in the generated method."""
        return self in (Fate.KEPT, Fate.OWN, Fate.MOVED)


@dataclass(frozen=True, eq=False)
class Step:
    """A statement of a merged method with its fate.

    Attributes:
        statement: The statement as its author wrote it.
        fate: Its fate.
        cause: The statement because of which it has this fate. For `MOVED` this is the
            parent's statement whose place it takes. None if there is no such statement.
        rewritten: Its code in the generated method; None if that is the author's.
    """

    statement: Statement
    fate: Fate
    cause: Statement | None = None
    rewritten: SourceSlice | None = None

    @property
    def code(self) -> SourceSlice:
        """The code of the statement in the generated method."""
        return self.statement.code if self.rewritten is None else self.rewritten


def render_steps(steps: Sequence[Step]) -> list[SourceSlice]:
    """Return the code of the generated statements in their order."""
    return [step.code for step in steps if step.fate.is_generated]


@dataclass(frozen=True, eq=False)
class MethodMerge:
    """An override in which the parent's body takes the place of a call of `super()`.

    Attributes:
        key: The key of the method in its class.
        override: The method of the modular file.
        parent: The parent's method, renamed.
        super_call: The statement that is replaced.
        statements_above_call: The child's statements above the call.
        statements_below_call: The child's statements below the call.
        steps: All statements with their fates, in the order of the generated method. Those
            that are left out are where they would have been. The call is none of them.
    """

    key: str
    override: DefinitionView
    parent: DefinitionView
    super_call: Statement
    statements_above_call: Sequence[Statement]
    statements_below_call: Sequence[Statement]
    steps: Sequence[Step]

    @property
    def returns_call(self) -> bool:
        """Whether the call is `return super().f()`, below which Python runs nothing."""
        return "return" in self.super_call.words

    @property
    def parent_statements(self) -> Sequence[Statement]:
        """The statements of the parent's method without its docstring."""
        return self.parent.body_without_docstring

    @cached_property
    def generated_statements(self) -> Sequence[Statement]:
        """The statements of the generated method, without those above the call.

        They are statements of the parent, and statements from below a call, some of them
        in another method of the child.
        """
        above = set(self.statements_above_call)
        return [
            step.statement
            for step in self.steps
            if step.fate.is_generated and step.statement not in above
        ]

    @cached_property
    def kept_parent_statements(self) -> list[Statement]:
        """The parent's statements that the generated method has."""
        return list(filter(self.is_of_parent, self.generated_statements))

    def is_of_parent(self, statement: Statement) -> bool:
        """Whether a statement is one of the parent's."""
        return statement in self._parent_statement_set

    @cached_property
    def _parent_statement_set(self) -> Set[Statement]:
        return frozenset(self.parent_statements)

    def find_replaced_assignments(self, target: str) -> list[Statement]:
        """Return the parent's assignments to a target that the child's code replaced or removed."""
        replaced = []
        for step in self.steps:
            if step.fate in (Fate.REPLACED, Fate.DELETED):
                assigned = assigned_target(step.statement)
                if assigned is not None and assigned.text == target:
                    replaced.append(step.statement)
        return replaced

    def index_in_generated(self, statement: Statement) -> int | None:
        """Return the index in `generated_statements` of a child's statement below the call.

        If the parent's body contains the same statement, the generated method has only
        one of them. Then this is the index of the parent's.

        Returns:
            None if it has neither, as for `del self.x`, which only removes an assignment.
        """
        for step in self.steps:
            if step.statement is statement and step.fate is Fate.REPEATED:
                assert step.cause is not None, "the cause is the equal statement"
                return self.generated_statements.index(step.cause)
        if statement in self.generated_statements:
            return self.generated_statements.index(statement)
        return None

    def find_overtaken(self, index: int) -> list[Statement]:
        """Return the statements that an assignment overtakes in the generated method.

        The child's `self.total = 1` below the call takes the place of the parent's
        `self.total = 0`. The parent's next line is `self.size = 8`, which is returned:
        Python runs it before the assignment, the generated method after it.

        Args:
            index: The index of the assignment in `statements_below_call`.
        """
        position = self.index_in_generated(self.statements_below_call[index])
        if position is None:
            return []
        child_statements_before = set(self.statements_below_call[:index])
        overtaken = []
        for statement in self.generated_statements[position + 1 :]:
            # The child's statements below the assignment stay below it.
            if self.is_of_parent(statement) or statement in child_statements_before:
                overtaken.append(statement)
        return overtaken
