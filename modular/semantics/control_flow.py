"""Whether control can reach the code below some statements."""

import ast
from collections.abc import Iterable, Sequence


def always_leaves(statements: Sequence[ast.stmt]) -> bool:
    """Return whether code below some statements is never reached.

    That is certain below `return` and `raise`, and below an `if` of which all branches
    end so. False is also the answer where it is not certain: below a `with`, which can
    swallow an exception.

    Args:
        statements: The statements of one block.
    """
    return any(_leaves(statement) for statement in statements)


def _leaves(statement: ast.stmt) -> bool:
    """Return whether code below a statement is never reached."""
    match statement:
        case ast.Return() | ast.Raise():
            return True
        case ast.If():
            return _all_branches_leave(statement)
        case ast.Try() | ast.TryStar():
            if always_leaves(statement.finalbody):
                return True
            is_left = always_leaves(statement.body) or always_leaves(statement.orelse)
            return is_left and all(
                always_leaves(handler.body) for handler in statement.handlers
            )
        case ast.While(test=ast.Constant(value=True), body=body):
            return not _has_break(body)
        case ast.Match(cases=cases):
            last = cases[-1]
            is_complete = last.guard is None and _matches_all(last.pattern)
            return is_complete and all(always_leaves(case.body) for case in cases)
    return False


def _all_branches_leave(statement: ast.If) -> bool:
    """Return whether an `if` has an `else`, and all of its branches end so."""
    # A long chain of `elif` is nested deeply, so it is read without recursion.
    orelse: list[ast.stmt] = [statement]
    while len(orelse) == 1 and isinstance(orelse[0], ast.If):
        branch = orelse[0]
        if not always_leaves(branch.body):
            return False
        orelse = branch.orelse
    return always_leaves(orelse)


def _matches_all(pattern: ast.pattern) -> bool:
    """Return whether a pattern is `_` or a name."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _has_break(statements: Iterable[ast.stmt]) -> bool:
    """Return whether a loop contains a `break`, perhaps of a loop in it."""
    return any(
        isinstance(node, ast.Break)
        for statement in statements
        for node in ast.walk(statement)
    )
