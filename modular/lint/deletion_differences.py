"""The judge of `del` statements that remove an assignment of the parent from a merged method."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.context import LintContext
from modular.lint.inheritance import Difference
from modular.lint.moved_assignments import (
    find_callable_base_methods,
    names_in_called_methods,
)
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.statements import names_bound_by, names_read_by
from modular.source.assignments import deleted_targets
from modular.source.blocks import Statement
from modular.source.places import place_of


def compare_deletions(
    context: LintContext, flat: Flattened, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield a `del` after which the generated method differs from the one in Python.

    `del self.size` below a call of `super()` removes the parent's assignment to `self.size`.
    There are two cases:

    - Another statement above the `del` still sets or reads `self.size`.
    - The assignment is `self.size = self.measure()`, and `measure` sets `self.width`. Nothing
      sets `self.width` if the assignment is removed.

    Args:
        context: The modular file and its project.
        flat: The generated class.
        merge: A method in which the parent's body replaces a call of `super()`.
    """
    # Below `return super().f()`, Python runs nothing.
    for deletion in () if merge.returns_call else _find_deletions(merge):
        # A `del` that has removed no assignment is left to `UselessDel`.
        if deletion.target not in flat.deleted:
            continue
        use = _find_remaining_use(flat, merge, deletion)
        if use is None:
            yield from _compare_removed_calls(context, flat, merge, deletion)
            continue
        yield Difference(
            merge.override.name,
            place_of(deletion.statement.bare_code),
            f"this removes only the parent's assignment to `{deletion.target}`: another "
            f"statement of the generated method still {use.verb} it",
            "copy the code of the parent's method, without that statement",
            related=place_of(use.statement.bare_code),
        )


def _compare_removed_calls(
    context: LintContext, flat: Flattened, merge: MethodMerge, deletion: "_Deletion"
) -> Iterator[Difference]:
    """Yield a `del` that also removes the call of a method that sets another attribute."""
    for assignment in merge.find_replaced_assignments(deletion.target):
        base_methods = find_callable_base_methods(context, flat.child.name, assignment)
        called_methods = names_in_called_methods(flat, assignment, base_methods)
        lost_attributes = set()
        for name in called_methods.bound_names - {deletion.target}:
            if name.startswith("self."):
                lost_attributes.add(name)
        if lost_attributes:
            name = min(lost_attributes)
            yield Difference(
                merge.override.name,
                place_of(deletion.statement.bare_code),
                f"this removes the parent's assignment to `{deletion.target}` and the call "
                f"in it, which sets `{name}`; in Python the call still runs",
                f"write `{name} = ...` below the call of `super()`",
                related=place_of(assignment.bare_code),
            )
            return


class _Deletion(NamedTuple):
    """A `del` of a target below an unravelled call.

    Attributes:
        target: One target, such as `self.size`.
        statement: The statement, which may delete other targets, too.
        earlier: The statements of the generated method that Python runs before it, from
            the call on. What the author sets above the call is on purpose.
    """

    target: str
    statement: Statement
    earlier: Sequence[Statement]


def _find_deletions(merge: MethodMerge) -> Iterator[_Deletion]:
    """Yield each target of the `del` statements below a call of `super()`.

    With `del self.x, self.y` below the call, this yields `self.x` and `self.y`. Each comes
    with the statements of the generated method that Python runs before the `del`.
    """
    generated_statements = set(merge.generated_statements)
    # The parent's body replaces the call, so it runs before the first `del`.
    earlier = list(merge.kept_parent_statements)
    for statement in merge.statements_below_call:
        for target in deleted_targets(statement):
            yield _Deletion(target, statement, tuple(earlier))
        # Some statements are not generated, so they do not run. A `del self.x` that has
        # removed the parent's `self.x = 1` is one of them.
        if statement in generated_statements:
            earlier.append(statement)


class _RemainingUse(NamedTuple):
    """A statement that uses a deleted attribute.

    Attributes:
        verb: What it does to the attribute: `sets` or `reads`.
        statement: The statement.
    """

    verb: str
    statement: Statement


def _find_remaining_use(
    flat: Flattened, merge: MethodMerge, deletion: _Deletion
) -> _RemainingUse | None:
    """Return the statement above a `del` that still sets or reads the deleted attribute.

    One that sets it is preferred. If nothing in the class sets it, its reads do not
    count, because `RemovedMemberUsed` reports them.
    """
    setting = _find_setting(deletion.target, deletion.earlier)
    if setting is not None:
        return _RemainingUse("sets", setting)
    # Few statements read it, and asking all methods of the class is slow.
    reading = _find_reading(deletion.target, deletion.earlier)
    if reading is not None and _is_set_elsewhere(flat, merge, deletion.target):
        return _RemainingUse("reads", reading)
    return None


def _find_setting(target: str, statements: Sequence[Statement]) -> Statement | None:
    """Return the first statement that sets a target such as `self.size`; None without any."""
    name = target.rpartition(".")[2]
    for statement in statements:
        # `del self.size` binds the name, too, but does not set it.
        if name in statement.words and deleted_target(statement) is None:
            if target in names_bound_by(statement):
                return statement
    return None


def _find_reading(target: str, statements: Sequence[Statement]) -> Statement | None:
    """Return the first statement that reads a target such as `self.size`; None without any."""
    name = target.rpartition(".")[2]
    for statement in statements:
        if name in statement.words and target in names_read_by(statement):
            return statement
    return None


def _is_set_elsewhere(flat: Flattened, merge: MethodMerge, target: str) -> bool:
    """Whether another method of a class sets a target."""
    for method in (*flat.inherited.values(), *flat.overriding.values()):
        if method not in (merge.override, merge.parent):
            if _find_setting(target, method.body.statements) is not None:
                return True
    return False
