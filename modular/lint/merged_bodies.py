"""Questions about methods in which the parent's body replaced a call to `super()`."""

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import libcst as cst

from modular.rules.classes.merge_record import MethodMerge
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.trees import statement_tree


FINAL_KEYWORDS = frozenset({"return", "raise"})
"""Keywords of statements after which nothing is reached."""


class UnreachableCode(NamedTuple):
    """The statements of a generated method below the end of the parent's body.

    Attributes:
        parent_end: The last statement of the parent, which contains `final_line`.
        final_line: The tree of its line, which ends in `return` or `raise`.
        statements: The child's statements below it, which never run.
    """

    parent_end: Statement
    final_line: cst.SimpleStatementLine
    statements: Sequence[Statement]


def find_unreachable_code(body: MethodMerge) -> UnreachableCode | None:
    """Return the child's statements below a parent's body that ends in `return` or `raise`.

    The child has `super().f()` and then `self.x = 2`. If the parent's body is
    `return 1`, the generated method is `return 1` and then `self.x = 2`, which never
    runs.

    Returns:
        None if there are no such statements.
    """
    # The child's statements can replace all statements of the parent.
    if not body.kept_parent_statements:
        return None
    parent_end = body.kept_parent_statements[-1]
    end_index = body.generated_statements.index(parent_end)
    statements = body.generated_statements[end_index + 1 :]
    if not statements or parent_end.words.isdisjoint(FINAL_KEYWORDS):
        return None
    match statement_tree(parent_end).node:
        case cst.SimpleStatementLine(body=[*_, cst.Return() | cst.Raise()]) as line:
            return UnreachableCode(parent_end, line, statements)
    return None


def assignments_by_target(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the assignments to a single target such as `self.size`, by the target.

    If several statements assign to a target, the last assignment counts.
    """
    assignments = {}
    for statement in statements:
        target = assigned_target(statement)
        if target is not None:
            assignments[target.text] = statement
    return assignments


def is_used(name: str, used_names: Set[str]) -> bool:
    """Whether a name or an attribute of it is among the names that some code uses.

    Code that uses `self.size.width` uses `self.size`, too.
    """
    return any(f"{used_name}.".startswith(f"{name}.") for used_name in used_names)


def last_words(names: Iterable[str]) -> set[str]:
    """Return the last word of each name, such as `size` of `self.size`."""
    return {name.rpartition(".")[2] for name in names}
