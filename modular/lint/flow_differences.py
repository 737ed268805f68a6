"""Finds statements that run only in Python, or only in the generated method."""

from collections.abc import Iterator

from modular.flatten.merged_class import MergedClass
from modular.lint.inheritance import Difference
from modular.lint.merged_bodies import (
    find_unreachable_code,
)
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.statements import returns_in
from modular.source.assignments import assigned_target, deleted_targets
from modular.source.blocks import Statement
from modular.source.places import place_of


def compare_flow(merged_class: MergedClass, merge: MethodMerge) -> Iterator[Difference]:
    """Yield the first statement that runs only in Python, or only when generated.

    Args:
        merged_class: The child class, merged with its parent class.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    if merge.returns_call:
        yield from _compare_code_below_return(merged_class, merge)
    else:
        yield from _compare_skipped_code(merge)


def _compare_code_below_return(
    merged_class: MergedClass, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield the first statement below `return super().f()`, where Python runs nothing."""
    statement = _find_effective_statement(merged_class, merge)
    if statement is not None:
        name = merge.override.name
        yield Difference(
            name,
            place_of(statement.bare_code),
            f"Python never runs this statement, but the generated `{name}` may run it",
            "remove it, or write it above the call",
            related=place_of(merge.parent.header),
        )


def _compare_skipped_code(merge: MethodMerge) -> Iterator[Difference]:
    """Yield the child's first statement that the parent's body skips if it returns early.

    Below `super().f()`, Python runs each statement of the child. In the generated
    method, the parent's `if x: return` ends the whole method.
    """
    name = merge.override.name
    # The last block of the parent so far that may return.
    returning_block = None
    for statement in merge.generated_statements:
        if merge.is_of_parent(statement):
            if statement.is_compound and returns_in(statement):
                returning_block = statement
            continue
        # If the child's `size = 8` replaces the parent's `size = 2`, authors want it to
        # run, or to be skipped, where the parent's assignment is.
        if returning_block is None or _replaces_variable(merge, statement):
            continue
        yield Difference(
            name,
            place_of(statement.bare_code),
            f"this statement is skipped if the code of the parent's `{name}`, which "
            "replaces the call, returns early; Python always runs it",
            "move it above the call, or copy the code of the parent's method and "
            "change it",
            related=place_of(returning_block.bare_code),
        )
        return


def _find_effective_statement(
    merged_class: MergedClass, merge: MethodMerge
) -> Statement | None:
    """Return the child's first statement below the call that changes the generated method.

    There are two cases:

    - The statement is in the generated method, and may run. A statement below the
      parent's final `return` never runs, and is left to `UnreachableAfterSuper`.
    - The statement is a `del` that has removed an assignment of the parent.
    """
    reachable = set(merge.generated_statements)
    unreachable = find_unreachable_code(merge)
    if unreachable is not None:
        reachable.difference_update(unreachable.statements)
    for statement in merge.statements_below_call:
        if statement in reachable:
            return statement
        if not merged_class.deleted.keys().isdisjoint(deleted_targets(statement)):
            return statement
    return None


def _replaces_variable(merge: MethodMerge, statement: Statement) -> bool:
    """Whether a statement takes the place of the parent's assignment to a variable."""
    target = assigned_target(statement)
    if target is None or "." in target.text:
        return False
    return target.text in merge.replaced_targets
