"""Finds `del` statements after which a merged method differs from Python."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from modular.lint.inheritance import Difference
from modular.lint.instance_model import InstanceModel
from modular.lint.merged_bodies import last_words
from modular.rules.classes.merge_record import Fate, MethodMerge, Step
from modular.semantics.statements import facts_of, names_bound_by, names_read_by
from modular.source.assignments import assigned_target, deleted_targets
from modular.source.blocks import Statement
from modular.source.places import place_of


def compare_deletions(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield each `del` after which the generated method differs from the one in Python.

    `del self.size` below a call to `super()` removes the parent's assignment to
    `self.size`. The method differs if another statement still sets or reads
    `self.size`, or if the removed assignment has another effect.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    # The parent's first deleted assignment to each target. A `del` can remove several.
    deleted_assignments: dict[str, Step] = {}
    for step in merge.steps:
        if step.fate is Fate.DELETED:
            target = assigned_target(step.statement)
            assert target is not None, "a `del` removes only assignments"
            deleted_assignments.setdefault(target.text, step)
    if not deleted_assignments:
        return
    method = _GeneratedMethod(instances, merge, deleted_assignments.keys())
    for target_text, step in deleted_assignments.items():
        assert step.cause is not None, "the cause is the `del`"
        deletion = _Deletion(method, step, step.cause, target_text)
        difference = deletion.find_difference()
        if difference is not None:
            yield difference


@dataclass(frozen=True, eq=False)
class _GeneratedMethod:
    """The uses of deleted attributes, which are read once for all deletions of a method.

    Attributes:
        instances: What code runs on an instance.
        merge: The generated method.
        targets: All that is deleted, such as `self.size`.
    """

    instances: InstanceModel
    merge: MethodMerge
    targets: Set[str]

    @cached_property
    def last_line(self) -> int:
        """The last line of the child's method."""
        code = self.merge.override.code
        return code.line + code.text.count("\n")

    @cached_property
    def setters(self) -> Mapping[str, Sequence[Statement]]:
        """The generated statements that set or delete each target, in their order."""
        setters: dict[str, list[Statement]] = {}
        for statement in self._select_users(self.merge.all_generated_statements):
            for target in names_bound_by(statement) & self.targets:
                setters.setdefault(target, []).append(statement)
        return setters

    @cached_property
    def readers(self) -> Mapping[str, Sequence[Statement]]:
        """The generated statements that read each target, in their order."""
        readers: dict[str, list[Statement]] = {}
        for statement in self._select_users(self.merge.all_generated_statements):
            for target in names_read_by(statement) & self.targets:
                readers.setdefault(target, []).append(statement)
        return readers

    @cached_property
    def first_return(self) -> Statement | None:
        """The child's first statement below the call that may return; None without one."""
        for statement in self.merge.statements_below_call:
            if facts_of(statement).flow.returns:
                return statement
        return None

    def is_set_elsewhere(self, target: str) -> bool:
        """Whether another method of the class sets a target."""
        merged_methods = (self.merge.override, self.merge.parent)
        methods = self.instances.methods_setting.get(target, ())
        return any(method not in merged_methods for method in methods)

    @cached_property
    def set_by_base(self) -> Set[str]:
        """The attributes that a base sets if the parent's method calls its method."""
        statements = self.merge.kept_parent_statements
        if not any("super" in statement.words for statement in statements):
            return frozenset()
        return self.instances.inherited_uses_of(self.merge.override.name).only_set

    @cached_property
    def _words(self) -> Set[str]:
        """The last words of the targets."""
        return last_words(self.targets)

    def _select_users(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """Yield the statements with the last word of a target: `size` of `self.size`.

        Others cannot use a target, and need not be parsed.
        """
        for statement in statements:
            if not self._words.isdisjoint(statement.words):
                yield statement


@dataclass(frozen=True, eq=False)
class _Deletion:
    """A `del` that removes an assignment of the parent.

    Attributes:
        method: The generated method.
        step: The step of the parent's assignment.
        statement: The `del`.
        target: What it deletes, such as `self.size`.
    """

    method: _GeneratedMethod
    step: Step
    statement: Statement
    target: str

    @property
    def merge(self) -> MethodMerge:
        """The method and its parent's."""
        return self.method.merge

    @property
    def attribute(self) -> str:
        """The deleted attribute: `size` for `self.size`."""
        return self.target.rpartition(".")[2]

    def find_difference(self) -> Difference | None:
        """Return what the generated method does differently because of the `del`."""
        name = self.merge.override.name
        # The lines are compared, because `del a, b` is divided into two statements.
        call_line = self.merge.super_call.line
        is_in_method = call_line <= self.statement.line <= self.method.last_line
        # A `del` of another method removes the assignment from this one, too.
        if not is_in_method:
            return self._differ(
                f"this `del` also removes the parent's assignment to `{self.target}` in "
                f"`{name}`; in Python that assignment stays",
                f"write out the parent's `{name}`",
                self.step.statement,
            )
        # Below `return super().f()`, Python runs nothing.
        if self.merge.returns_call:
            return None
        use = self._find_remaining_use()
        if use is not None:
            verb = "reads"
            if deleted_targets(use):
                verb = "deletes"
            elif self.target in names_bound_by(use):
                verb = "sets"
            return self._differ(
                f"this removes only the parent's assignment to `{self.target}`: another "
                f"statement of the generated method still {verb} it",
                "copy the code of the parent's method, without that statement",
                use,
            )
        skipping = self.method.first_return
        if skipping is not None and self._is_earlier(skipping):
            return self._differ(
                f"this removes the parent's assignment to `{self.target}` even if the method "
                "returns above this line; in Python that assignment then stays",
                "write out the code of the parent's method",
                skipping,
            )
        if self.attribute in self.method.set_by_base:
            return self._differ(
                f"this removes only the parent's assignment to `{self.target}`, which a base "
                "of the parent class sets, too; in Python it is deleted",
                "copy the code of the parent's method, without that statement",
                self.step.statement,
            )
        lost_names = self._find_lost_names()
        if lost_names:
            lost = min(lost_names)
            return self._differ(
                f"this removes the parent's statement that also sets `{lost}`; in Python "
                "that is still set",
                f"write `{lost} = ...` below the call to `super()`",
                self.step.statement,
            )
        return None

    def _differ(self, message: str, hint: str, related: Statement) -> Difference:
        """Return a difference whose place is the `del`."""
        return Difference(
            self.merge.override.name,
            place_of(self.statement.bare_code),
            message,
            hint,
            related=place_of(related.bare_code),
        )

    def _find_remaining_use(self) -> Statement | None:
        """Return the first statement above the `del` that still sets or deletes its target.

        If there is none, return the first statement that reads the target. None if there
        is neither, or if nothing in the class sets the attribute that is read.
        """
        for statement in self.method.setters.get(self.target, ()):
            if self._is_earlier(statement):
                return statement
        for statement in self.method.readers.get(self.target, ()):
            if self._is_earlier(statement):
                is_parameter = self.target in self.merge.override.parameter_names
                is_set = is_parameter or self.method.is_set_elsewhere(self.target)
                # If nothing sets it, `RemovedMemberUsed` reports the first reader.
                return statement if is_set else None
        return None

    def _is_earlier(self, statement: Statement) -> bool:
        """Whether Python runs a statement of the generated method before the `del`."""
        is_below_call = statement in self.merge.indexes_below_call
        return not is_below_call or statement.line < self.statement.line

    def _find_lost_names(self) -> set[str]:
        """Return the names that nothing sets without the removed assignment.

        `self.size = self.width = 8` also sets `self.width`.
        `self.size = self.measure()` also sets what the method `measure` sets.
        """
        instance = next(iter(self.merge.parent.parameters), "")
        set_names = self.method.instances.find_set_names(self.step.statement, instance)
        # `del a, b` removes `a, b = 1, 2`.
        lost_names = set_names.difference(deleted_targets(self.statement))
        # Most assignments set nothing else. Then the other statements are not parsed.
        if not lost_names:
            return lost_names
        return lost_names - self.merge.changed_names
