"""Whether control can reach the code below some statements."""

import ast
from collections.abc import Iterable, Sequence


def always_leaves(statements: Sequence[ast.stmt]) -> bool:
    """Return whether code below some statements is certainly never reached.

    Such code is below a `return` or `raise`, or below an `if` all of whose branches end
    with one. The code below a `with` may be reached, because a context manager can
    swallow an exception.

    Args:
        statements: The statements of one block.
    """
    return any(_leaves(statement) for statement in statements)


def _leaves(statement: ast.stmt) -> bool:
    """Return whether code below a statement is certainly never reached."""
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
    """Return whether code below an `if` is certainly never reached.

    Its branches include an `else`, and control leaves in all of them.
    """
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
    """Return whether the body of a loop contains a `break`, also of an inner loop."""
    return any(
        isinstance(node, ast.Break)
        for statement in statements
        for node in ast.walk(statement)
    )
