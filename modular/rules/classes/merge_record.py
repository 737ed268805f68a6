"""The record of a merge: the fate of each member of two classes, and of each statement of two methods."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from modular.semantics.statements import names_bound_by
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Place
from modular.source.source_slice import SourceSlice, has_word


class Fate(Enum):
    """The ways in which a statement or member ends up in a merged body, or is left out."""

    KEPT = "a statement of the parent that is generated"
    PRIVATE = "a method of the parent that is generated under a private name"
    REPLACED = "a statement of the parent, left out for one of the child"
    DELETED = "a statement of the parent, left out because of a `del`"
    OWN = "a statement of the child that is generated where it stands"
    MOVED = "a statement of the child, generated in place of one of the parent"
    REPEATED = "a statement of the child, left out because an equal one is generated"
    DROPPED = "a `del` or removal of the child, which only changes what is inherited"
    LEFT_OUT = "a statement that the rules of transformers do not generate"

    @property
    def is_generated(self) -> bool:
        """Whether a statement with this fate is in the generated body."""
        return self in (Fate.KEPT, Fate.PRIVATE, Fate.OWN, Fate.MOVED)


@dataclass(frozen=True, eq=False)
class Step:
    """A statement of a merged body with its fate.

    Attributes:
        statement: The statement as its author wrote it.
        fate: Its fate.
        cause: The statement because of which it has this fate. For `MOVED` this is the
            parent's statement whose place it takes. None if there is no such statement.
        rewritten: Its code in the generated body; None if that is the author's.
    """

    statement: Statement
    fate: Fate
    cause: Statement | None = None
    rewritten: SourceSlice | None = None

    @property
    def code(self) -> SourceSlice:
        """The code of the statement in the generated body."""
        return self.statement.code if self.rewritten is None else self.rewritten


class Obstacle(NamedTuple):
    """Something because of which a class cannot be merged with its parent class.

    Attributes:
        place: The code that prevents the merge.
        reason: Why it does, as the end of a message: "its name is used here".
        hint: What to write instead; may be empty.
        related: A second place, or None.
    """

    place: Place
    reason: str
    hint: str
    related: Place | None = None


def render_steps(steps: Sequence[Step]) -> list[SourceSlice]:
    """Return the code of the generated statements in their order."""
    return [step.code for step in steps if step.fate.is_generated]


@dataclass(frozen=True, eq=False)
class MethodMerge:
    """An override in which the parent's body takes the place of a call to `super()`.

    Attributes:
        key: The key of the method in its class.
        override: The method of the modular file.
        parent: The parent's method, renamed.
        call_index: The index of the replaced call among the statements of the override,
            its docstring left out.
        steps: All statements except the call, with their fates, in the order of the
            generated method. Statements that are left out stand where they would be.
    """

    key: str
    override: DefinitionView
    parent: DefinitionView
    call_index: int
    steps: Sequence[Step]

    @cached_property
    def super_call(self) -> Statement:
        """The statement that is replaced."""
        return self.override.body_without_docstring[self.call_index]

    @cached_property
    def statements_above_call(self) -> Sequence[Statement]:
        """The child's statements above the call."""
        return self.override.body_without_docstring[: self.call_index]

    @cached_property
    def statements_below_call(self) -> Sequence[Statement]:
        """The child's statements below the call."""
        return self.override.body_without_docstring[self.call_index + 1 :]

    @property
    def returns_call(self) -> bool:
        """Whether the call is `return super().f()`, below which Python runs nothing."""
        return has_word(self.super_call.code.masked_text, "return")

    @property
    def parent_statements(self) -> Sequence[Statement]:
        """The statements of the parent's method without its docstring."""
        return self.parent.body_without_docstring

    @cached_property
    def all_generated_statements(self) -> Sequence[Statement]:
        """The statements of the generated method in their order."""
        return [step.statement for step in self.steps if step.fate.is_generated]

    @cached_property
    def changed_names(self) -> Set[str]:
        """The names that the generated statements set or delete."""
        names: set[str] = set()
        for statement in self.all_generated_statements:
            names |= names_bound_by(statement)
        return names

    @cached_property
    def generated_statements(self) -> Sequence[Statement]:
        """The statements of the generated method without those above the replaced call.

        These are the parent's statements and the child's statements below the call. By the
        rules of transformers, there can also be statements of a method that was merged
        earlier: the `self.x = 1` of an `__init__` replaces assignments in later methods.
        """
        above_call = set(self.statements_above_call)
        statements = []
        for statement in self.all_generated_statements:
            if statement not in above_call:
                statements.append(statement)
        return statements

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

    @cached_property
    def replaced_targets(self) -> Set[str]:
        """The targets, such as `self.x`, of the parent's assignments that are left out.

        The child's assignment to the same target has replaced them, or its `del` has
        removed them.
        """
        targets = set()
        for step in self.steps:
            if step.fate in (Fate.REPLACED, Fate.DELETED):
                target = assigned_target(step.statement)
                if target is not None:
                    targets.add(target.text)
        return targets

    @property
    def deletions(self) -> Mapping[str, Statement]:
        """The child's `del` statements that removed an assignment of the parent, by target.

        The target of `del self.x` is `self.x`.
        """
        deletions: dict[str, Statement] = {}
        for step in self.steps:
            if step.fate is Fate.DELETED:
                # The cause of the parent's deleted assignment is the `del` statement.
                target = assigned_target(step.statement)
                assert target is not None and step.cause is not None
                deletions[target.text] = step.cause
        return deletions

    @cached_property
    def generated_indexes(self) -> Mapping[Statement, int]:
        """The position of each statement among the `generated_statements` of the method.

        If a child's statement repeats one of the parent's, the generated method has only
        one of them. Then both have the same position.
        """
        indexes: dict[Statement, int] = {}
        for index, statement in enumerate(self.generated_statements):
            indexes.setdefault(statement, index)
        for step in self.steps:
            # The cause of a repeated statement is the equal statement, which is kept.
            if step.fate is Fate.REPEATED and step.cause in indexes:
                indexes[step.statement] = indexes[step.cause]
        return indexes

    @cached_property
    def indexes_below_call(self) -> Mapping[Statement, int]:
        """The index of each statement in `statements_below_call`."""
        below = self.statements_below_call
        return {statement: index for index, statement in enumerate(below)}


@dataclass(frozen=True, eq=False)
class MethodParts:
    """The parts of a generated method that is put together from two methods.

    Attributes:
        lead: The comments and blank lines above it.
        decorators: Its decorators.
        header: Its header.
        parent_header: The parent's header that was merged into it; None for a new method.
        docstring: Its docstring, or None.
        steps: The statements of its body with their fates.
        footer: The comments below its last statement.
        merge: The merge of both bodies; None if the method does not contain the parent's.
    """

    lead: SourceSlice
    decorators: Sequence[SourceSlice]
    header: SourceSlice
    parent_header: SourceSlice | None
    docstring: Statement | None
    steps: Sequence[Step]
    footer: SourceSlice
    merge: MethodMerge | None


@dataclass(frozen=True, eq=False)
class MemberStep(Step):
    """A member of a generated class with its fate.

    Attributes:
        key: The key of the method, or the name of the attribute; empty for others.
        parts: The parts of a method that is not generated as one slice, or None.
    """

    key: str = ""
    parts: MethodParts | None = None
