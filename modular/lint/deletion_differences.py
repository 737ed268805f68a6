"""The judge of `del` statements that remove an assignment of the parent from a merged method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from modular.lint.inheritance import Difference
from modular.lint.instance_model import InstanceModel
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.merge_record import Fate, MethodMerge, Step
from modular.semantics.instances import uses_of_instance
from modular.semantics.statements import facts_of, names_bound_by, names_read_by
from modular.source.assignments import assigned_target, deleted_targets
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.places import place_of


def compare_deletions(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield a `del` after which the generated method differs from the one in Python.

    `del self.size` below a call of `super()` removes the parent's assignment to `self.size`.
    The method differs if another statement still sets or reads `self.size`, or if the
    removed assignment has another effect.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call of `super()`.
    """
    judged_targets = set()
    for step in merge.steps:
        target = assigned_target(step.statement)
        if step.fate is not Fate.DELETED or target is None or step.cause is None:
            continue
        # A `del` can remove several assignments to its target.
        if target.text not in judged_targets:
            judged_targets.add(target.text)
            deletion = _Deletion(instances, merge, step, step.cause, target.text)
            difference = deletion.find_difference()
            if difference is not None:
                yield difference


@dataclass(frozen=True, eq=False)
class _Deletion:
    """A `del` that removes an assignment of the parent.

    Attributes:
        instances: What code runs on an instance.
        merge: The generated method.
        step: The step of the parent's assignment.
        statement: The `del`.
        target: What it deletes, such as `self.size`.
    """

    instances: InstanceModel
    merge: MethodMerge
    step: Step
    statement: Statement
    target: str

    @property
    def attribute(self) -> str:
        """The deleted attribute: `size` for `self.size`."""
        return self.target.rpartition(".")[2]

    def find_difference(self) -> Difference | None:
        """Return what the generated method does differently because of the `del`."""
        name = self.merge.override.name
        # The lines are compared, because `del a, b` is divided into two statements.
        code = self.merge.override.code
        last_line = code.line + code.text.count("\n")
        if not self.merge.super_call.line <= self.statement.line <= last_line:
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
            verb = "sets" if self.target in names_bound_by(use) else "reads"
            return self._differ(
                f"this removes only the parent's assignment to `{self.target}`: another "
                f"statement of the generated method still {verb} it",
                "copy the code of the parent's method, without that statement",
                use,
            )
        if self._is_set_by_base():
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
                f"write `{lost} = ...` below the call of `super()`",
                self.step.statement,
            )
        return None

    def _differ(self, message: str, hint: str, related: Statement) -> Difference:
        return Difference(
            self.merge.override.name,
            place_of(self.statement.bare_code),
            message,
            hint,
            related=place_of(related.bare_code),
        )

    @cached_property
    def _earlier_statements(self) -> Sequence[Statement]:
        """The statements of the generated method that Python runs before the `del`."""
        earlier = []
        for statement in self.merge.all_generated_statements:
            is_below_call = statement in self.merge.indexes_below_call
            if not is_below_call or statement.line < self.statement.line:
                earlier.append(statement)
        return earlier

    def _find_remaining_use(self) -> Statement | None:
        """Return an earlier statement that still sets or reads the deleted attribute.

        One that sets it is preferred. If nothing in the class sets it, its reads do not
        count, because `RemovedMemberUsed` reports them.
        """
        setting = _find_setting(self.target, self._earlier_statements)
        if setting is not None:
            return setting
        for statement in self._earlier_statements:
            if self.attribute not in statement.words:
                continue
            if self.target in names_read_by(statement):
                return statement if self._is_set_elsewhere() else None
        return None

    def _is_set_elsewhere(self) -> bool:
        """Whether another method of the class sets the target."""
        flat = self.instances.pair.flat
        methods: list[DefinitionView] = [*flat.inherited.values()]
        methods += flat.overriding.values()
        for method in methods:
            if method not in (self.merge.override, self.merge.parent):
                if _find_setting(self.target, method.body.statements) is not None:
                    return True
        return False

    def _is_set_by_base(self) -> bool:
        """Whether the parent's method calls that of a base, which sets the attribute."""
        statements = self.merge.kept_parent_statements
        if not any("super" in statement.words for statement in statements):
            return False
        inherited = self.instances.inherited_uses_of(self.merge.override.name)
        return self.attribute in inherited.set - inherited.read

    def _find_lost_names(self) -> set[str]:
        """Return what else the removed assignment sets, also by methods that it calls."""
        lost = set(names_bound_by(self.step.statement))
        facts = facts_of(self.step.statement)
        for instance in self.merge.parent.parameters[:1]:
            for method in uses_of_instance(facts, instance).called:
                for attribute in self.instances.effects_of(method).set:
                    lost.add(f"{instance}.{attribute}")
        # `del a, b` removes `a, b = 1, 2`.
        lost.difference_update(deleted_targets(self.statement))
        for statement in self.merge.all_generated_statements if lost else ():
            lost -= names_bound_by(statement)
        return lost


def _find_setting(target: str, statements: Sequence[Statement]) -> Statement | None:
    """Return the first statement that sets a target such as `self.size`; None without any."""
    name = target.rpartition(".")[2]
    for statement in statements:
        # `del self.size` binds the name, too, but does not set it.
        if name in statement.words and deleted_target(statement) is None:
            if target in names_bound_by(statement):
                return statement
    return None
