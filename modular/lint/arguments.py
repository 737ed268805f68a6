"""The call of a parent's method that its body replaces, and what its arguments are bound to."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat, takewhile

import libcst as cst

from modular.lint.rule import Syntax
from modular.source import fixes
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix
from modular.source.trees import node_text, normalized_text, statement_tree


_SELF = "self"
_STATIC_METHOD = "staticmethod"


def call_of_statement(statement: Statement) -> cst.Call:
    """Return the call that a statement consists of, or returns.

    Args:
        statement: A call of `super()`, as `find_super_call` finds it.

    Raises:
        ValueError: It is another statement.
    """
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[
                cst.Expr(value=cst.Call() as call)
                | cst.Return(value=cst.Call() as call)
            ]
        ):
            return call
    raise ValueError("the statement is not a call")


def bind_arguments(
    call: cst.Call, method: DefinitionView
) -> Iterator[tuple[cst.Arg, str | None]]:
    """Yield each argument of a call with the parameter that Python would bind it to.

    The parameter of the object itself, and a `self` that is written out, are left out.

    Args:
        call: A call of the method.
        method: The method as it is defined.

    Yields:
        The argument, and the parameter's name without stars; None if there is none.
    """
    names = method.parameters
    if _STATIC_METHOD not in method.decorators.words():
        names = names[1:]
    args_name = _name_after_stars(names, "*")
    kwargs_name = _name_after_stars(names, "**")
    positional_names = takewhile(lambda name: not name.startswith("*"), names)
    # Further positional arguments are collected in `*args`.
    bound_by_position: Iterator[str | None] = chain(positional_names, repeat(args_name))

    arguments = list(call.args)
    if arguments and not arguments[0].star:
        if normalized_text(arguments[0].value) == _SELF:
            del arguments[0]

    for argument in arguments:
        if argument.star == "**":
            yield argument, kwargs_name
        elif argument.star:
            yield argument, args_name
        elif argument.keyword is None:
            yield argument, next(bound_by_position)
        elif argument.keyword.value in names:
            yield argument, argument.keyword.value
        else:
            yield argument, kwargs_name


def _name_after_stars(parameters: Iterable[str], stars: str) -> str | None:
    """Return the name of the parameter with exactly some stars, as `args` for `*args`."""
    for parameter in parameters:
        name = parameter.lstrip("*")
        if name and parameter == f"{stars}{name}":
            return name
    return None


def assign_above(statement: Statement, argument: cst.Arg, parameter: str) -> Fix:
    """Return the fix that assigns an argument to a parameter above a call, and passes the parameter.

    Args:
        statement: The statement of the call.
        argument: An argument of the call, on one line.
        parameter: The name of the parameter.
    """
    place = Syntax(statement.bare_code, statement_tree(statement)).place(argument.value)
    above = fixes.insert_above(statement, f"{parameter} = {node_text(argument.value)}")
    return fixes.join(above.title, (above, fixes.replace(place, parameter)))


def is_assigned_above(
    argument: cst.Arg, parameter: str | None, statements_above: Sequence[Statement]
) -> bool:
    """Whether the parameter of an argument has its value already above the call.

    It has if the last statement that mentions either is `x = y`, and the call is
    `super().forward(x=y)`. The parent's body then reads that value as `x`. It has not
    below `x = x + 1` if the call is `super().forward(x + 1)`: Python adds twice.

    Args:
        argument: The argument of the call.
        parameter: The parameter of the parent's method that would get it.
        statements_above: The statements above the call.
    """
    value = normalized_text(argument.value)
    relevant_words = set(re.findall(r"\w+", value))
    if parameter is None or parameter in relevant_words:
        return False

    relevant_words.add(parameter)
    last_relevant = None
    for statement in statements_above:
        if not relevant_words.isdisjoint(statement.words):
            last_relevant = statement
    if last_relevant is None:
        return False
    target = assigned_target(last_relevant)
    assigned = assigned_value(last_relevant)
    if target is None or assigned is None:
        return False
    return target.text == parameter and normalized_text(assigned) == value
