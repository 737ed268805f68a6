"""Uses of `super()` in overriding methods, and what the arguments of calls are bound to."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import libcst as cst

from modular.flatten.merged_class import MergedClass
from modular.lint.rule import Syntax
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.facts import SuperUse, When
from modular.semantics.statements import facts_of
from modular.source import fixes
from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Fix, Place
from modular.source.places import place_at, place_of_word_on_line
from modular.source.source_slice import find_word
from modular.source.trees import (
    node_text,
    normalized_text,
    statement_tree,
)


_SELF = "self"
_SUPER = "super"
_STATIC_METHOD = "staticmethod"
_FUNCTION_KEYWORDS = frozenset({"def", "lambda"})


class SuperMember(NamedTuple):
    """An expression `super().method` or `super(X, self).method` in a method.

    Attributes:
        override: The method that contains it.
        position: The index of its statement in the method's body.
        use: The facts about it.
        is_replaced: Whether the parent's body replaces the call.
        is_second: Whether the parent's body replaces another call to the override.
    """

    override: DefinitionView
    position: int
    use: SuperUse
    is_replaced: bool
    is_second: bool

    @property
    def method(self) -> str:
        """The name of the called method."""
        return self.use.method

    @property
    def place(self) -> Place:
        """The place of `super().f`, from the word `super` to the name of the method."""
        code = self.override.body.statements[self.position].bare_code
        line = code.line_at(self.use.line - 1)
        # A line such as `super().f(super().g())` contains the word twice.
        member = f".{self.method}"
        for start in find_word(line.masked_text, _SUPER):
            dot = line.masked_text.find(member, start)
            if dot >= 0:
                return place_at(line, start, dot + len(member) - start)
        return place_of_word_on_line(code, _SUPER, self.use.line)

    def names_another_class(self, class_name: str) -> bool:
        """Whether the use is `super(X, self)`, and `X` is not the given class."""
        named_class = next(iter(self.use.super_arguments), "")
        return named_class not in ("", "__class__", class_name)

    def always_runs(self, parent_method: DefinitionView | None) -> bool:
        """Return whether each call to the generated method evaluates `super().f`.

        A call may skip `super().f` in an `if`, below a `return`, or in a `lambda`.

        Args:
            parent_method: The overridden method; None if there is none.
        """
        return_index = self.override.statement.memoized(_find_return)
        if return_index is not None and return_index < self.position:
            return False
        if self.is_second and parent_method is not None:
            # The parent's body replaces another call, and may return early.
            if parent_method.statement.memoized(_find_return) is not None:
                return False
        return self.use.when is When.NOW and not self.use.is_conditional


def _find_return(method: Statement) -> int | None:
    """Return the index of the first statement of a method that may return.

    The result is None if the method has no such statement.
    """
    for index, statement in enumerate(view_definition(method).body.statements):
        if facts_of(statement).flow.returns:
            return index
    return None


def find_super_uses(merged_class: MergedClass) -> Iterator[SuperMember]:
    """Yield the uses of `super()` in the methods of a class of the modular file.

    In the override `forward`, the parent's body replaces the first statement
    `super().forward(x)`, and other uses of `super()` are copied. If an override has a
    replaced call, its other uses are marked as second.

    Args:
        merged_class: The class, merged with its parent class.
    """
    for key, override in merged_class.overriding.items():
        yield from _find_uses_in_method(override, merged_class.merges.get(key))


def find_copied_super_uses(class_: DefinitionView) -> Iterator[SuperMember]:
    """Yield the uses of `super()` in the methods of a class without parent class."""
    for statement in class_.body.statements:
        if statement.kind is Kind.FUNCTION:
            yield from _find_uses_in_method(view_definition(statement))


def _find_uses_in_method(
    method: DefinitionView, merge: MethodMerge | None = None
) -> Iterator[SuperMember]:
    """Yield the uses of `super()` in a method of the modular file.

    The parent's body replaces one of them if the method is merged. Each other use in
    such a method is marked as second.

    Args:
        method: The method.
        merge: The method, merged with the parent's; None if it is not merged.
    """
    if _SUPER not in method.code.masked_text:
        return
    for index, statement in enumerate(method.body.statements):
        if _SUPER not in statement.code.masked_text:
            continue
        is_replaced = merge is not None and statement is merge.super_call
        for use in facts_of(statement).super_uses:
            # Without a method, `super()` is a value, which `ChangedMethod` reports.
            if use.method:
                yield SuperMember(
                    override=method,
                    position=index,
                    use=use,
                    is_replaced=is_replaced,
                    is_second=merge is not None and not is_replaced,
                )


def call_of_statement(statement: Statement) -> cst.Call:
    """Return the call in the statement `super().f(x)` or `return super().f(x)`.

    Args:
        statement: A call to `super()`, as the parent's body replaces it.

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

    For the call `super().f(a, b=c)` of `def f(self, x, **kwargs)`, yield `a` with `x`,
    and `b=c` with `kwargs`. If the first argument is `self`, it is left out.

    Args:
        call: A call to the method.
        method: The method as it is defined.

    Yields:
        The argument, and the parameter's name without stars; None if there is none.
    """
    parameters = method.parameters
    if _STATIC_METHOD not in method.decorators.words():
        # Python binds the first parameter, `self`, without an argument.
        parameters = parameters[1:]
    # `x` and `y` of `x, y, *args, z, **kwargs`.
    positional_names = list(takewhile(lambda name: name[0] != "*", parameters))
    args_name = _name_after_stars(parameters, "*")
    kwargs_name = _name_after_stars(parameters, "**")

    arguments = list(call.args)
    if arguments and not arguments[0].star:
        if normalized_text(arguments[0].value) == _SELF:
            del arguments[0]

    for argument in arguments:
        if argument.star == "**":
            yield argument, kwargs_name
        elif argument.star:
            yield argument, args_name
        elif argument.keyword is not None:
            name = argument.keyword.value
            has_parameter = name in parameters
            yield argument, name if has_parameter else kwargs_name
        elif positional_names:
            yield argument, positional_names.pop(0)
        else:
            yield argument, args_name


def _name_after_stars(parameters: Sequence[str], stars: str) -> str | None:
    """Return `args` for the parameter `*args` if `stars` is `*`; None if there is none."""
    for parameter in parameters:
        name = parameter.lstrip("*")
        if name and parameter == stars + name:
            return name
    return None


def assign_above(statement: Statement, argument: cst.Arg, parameter: str) -> Fix:
    """Return the fix that assigns an argument to a parameter above a call.

    It replaces `super().forward(2 * x)` with `x = 2 * x` and `super().forward(x)`.

    Args:
        statement: The statement of the call.
        argument: An argument of the call, on one line.
        parameter: The name of the parameter.
    """
    place = Syntax(statement.bare_code, statement_tree(statement)).place(argument.value)
    line = f"{parameter} = {node_text(argument.value)}"
    assignment = fixes.insert_above(statement, line)
    shorter_call = fixes.replace(place, parameter)
    return fixes.join(assignment.title, (assignment, shorter_call))


def is_read_elsewhere(
    call: Statement, argument: cst.Arg, name: str, override: DefinitionView
) -> bool:
    """Whether code of the child may read a variable that a fix would set above a call.

    That code is the call's other arguments, the statements below the call, and
    functions that are defined above it.

    Args:
        call: The statement with the call to `super()`.
        argument: The argument whose value the variable gets.
        name: The variable.
        override: The method that contains the call.
    """
    for other_argument in call_of_statement(call).args:
        if other_argument is not argument and name in _words_of(other_argument.value):
            return True
    statements = override.body.statements
    index = statements.index(call)
    for statement in statements[index + 1 :]:
        if name in statement.words:
            return True
    for statement in statements[:index]:
        has_function = not _FUNCTION_KEYWORDS.isdisjoint(statement.words)
        if has_function and name in statement.words:
            return True
    return False


def _words_of(node: cst.CSTNode) -> set[str]:
    """Return the words in the code of a node."""
    return set(re.findall(r"\w+", normalized_text(node)))


def is_assigned_above(
    argument: cst.Arg, parameter: str | None, statements_above: Sequence[Statement]
) -> bool:
    """Whether a variable named like the parameter already has the argument's value.

    In `super().forward(x=y)`, the variable `x` has the value of `y` if the last
    statement above the call that mentions `x` or `y` is `x = y`.

    Args:
        argument: The argument of the call.
        parameter: The parameter of the parent's method that would get it.
        statements_above: The statements above the call.
    """
    value = normalized_text(argument.value)
    argument_words = _words_of(argument.value)
    # Below `x = x + 1`, the call `super().forward(x + 1)` adds 1 again.
    if parameter is None or parameter in argument_words:
        return False

    names = {parameter, *argument_words}
    for statement in reversed(statements_above):
        if statement.words.isdisjoint(names):
            continue
        # This is the last statement that mentions one of the names.
        target = assigned_target(statement)
        assigned = assigned_value(statement)
        if target is None or assigned is None:
            return False
        return target.text == parameter and normalized_text(assigned) == value
    return False
