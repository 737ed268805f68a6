"""A rule about parameters that the parent's body reads though a call of `super()` does not pass them."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.calls import (
    bind_arguments,
    call_of_statement,
    is_assigned_above,
)
from modular.lint.merged_bodies import (
    parent_reads_variable,
    variables_above_call,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.merge_record import MethodMerge
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem
from modular.source.places import place_of_word
from modular.source.trees import node_text, normalized_text


class OmittedArgument(LintRule):
    """An unravelled call does not pass a parameter that the parent's body reads.

    The generated method uses your parameter, although your call does not pass it. In
    Python, the parent's method would use its own default, or the call would fail.
    modular replaces the call with the parent's body, which reads the variable of that
    name in your method.

    Pass the parameter.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def scale(self, x, factor=2):
            return x * factor
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:16: the generated code uses this method's `factor`, which the call does not pass: the parent's code replaces the call and reads it
    hint: pass it: `factor=factor`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(x, factor=factor)
    ```

    A call can also pass a different parameter instead:

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(factor)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:16: the generated code uses this method's `x`, for which the call passes `factor`: the parent's code replaces the call and reads it
    hint: pass `x` there, and `factor` by keyword: `factor=factor`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(x, factor=factor)
    ```
    """

    code = Problem.OMITTED_ARGUMENT
    precision = Precision(findings=98, real=0)
    message = (
        "the generated code uses this method's {names}, which the call does not pass: "
        "the parent's code replaces the call and reads {pronoun}"
    )
    hint = "pass {pronoun}: `{added}`"

    def check_class(self, flat: Flattened) -> None:
        """Report parameters that the parent's body reads, though the call does not pass them.

        The parent's body replaces the call, so it reads the variables of the child's
        method. Let the parent's method be `scale(self, x, factor=2)`:

        - `super().scale(factor)` misplaces `factor`: Python binds its value to `x`, but
          the generated code reads the child's `x`.
        - `super().scale(x)` omits `factor`: in Python, the parent's `factor` is 2, but the
          generated code reads the child's `factor`.
        """
        for body in flat.merges.values():
            call = call_of_statement(body.super_call)
            # `f(*values)` may pass any parameter.
            if _has_unknown_arguments(call, body.override):
                continue
            # The argument that Python binds to each parameter of the parent's method.
            argument_by_parameter = {}
            for argument, parameter in bind_arguments(call, body.parent):
                if parameter is not None:
                    argument_by_parameter[parameter] = argument

            # For `super().scale(factor)`, this is `{"x": "factor"}`. The wrong value is
            # that of `x`.
            misplaced = _find_misplaced(body, argument_by_parameter)
            for wrong_parameter, passed_name in misplaced.items():
                if _parent_reads_child_variable(body, wrong_parameter):
                    self._report_misplaced(body, wrong_parameter, passed_name)

            # A parameter that is passed in the position of another is not omitted.
            passed_names = {*argument_by_parameter, *misplaced.values()}
            omitted = _find_omitted(body, passed_names)
            if omitted:
                self._report_omitted(body, omitted)

    def _report_omitted(self, body: MethodMerge, parameters: Sequence[str]) -> None:
        """Report the parameters that a call of `super()` omits.

        If `super().scale(x)` omits `factor`, the fix is `super().scale(x, factor=factor)`.

        Args:
            body: The method with the call.
            parameters: The omitted parameters in their order, with stars as in `*args`.
        """
        added = ", ".join(_write_arguments(parameters))
        autofixes: list[Fix] = []
        # No fix adds `*args` at the end of a call: in `f(x=x, *args)`, Python would bind
        # the first value of `args` to `x`, too.
        if not any(map(_collects_positional, parameters)):
            autofixes += _add_arguments(body.super_call, added)
        self.report(
            place_of_word(body.super_call.bare_code, "super"),
            *autofixes,
            related=body.parent.header,
            names=" and ".join(f"`{name.lstrip('*')}`" for name in parameters),
            pronoun="it" if len(parameters) == 1 else "them",
            added=added,
        )

    def _report_misplaced(self, body: MethodMerge, name: str, passed_name: str) -> None:
        """Report that a call passes one parameter in the position of another.

        If the parent's method is `scale(self, x, factor)`, `super().scale(factor)` passes
        `factor` in the position of `x`.

        Args:
            body: The method with the call.
            name: The parameter in whose position another is passed, `x`.
            passed_name: The other parameter, `factor`.
        """
        self.report(
            place_of_word(body.super_call.bare_code, "super"),
            related=body.parent.header,
            message=f"the generated code uses this method's `{name}`, for which the call "
            f"passes `{passed_name}`: the parent's code replaces the call and reads it",
            # With `x` in its position, the call would no longer pass `factor`.
            hint=f"pass `{name}` there, and `{passed_name}` by keyword: "
            f"`{passed_name}={passed_name}`",
        )


def _collects_positional(parameter: str) -> bool:
    """Whether a parameter is one such as `*args`, and not `x` or `**kwargs`."""
    return parameter.startswith("*") and not parameter.startswith("**")


def _find_omitted(body: MethodMerge, passed_names: AbstractSet[str]) -> list[str]:
    """Return the omitted parameters whose names are variables of the child's method.

    The call is `super().scale(x)`, and the parent's method `scale(self, x, factor=2)`. The
    parameter `factor` is returned if the child's method has a variable `factor`, which the
    parent's body then reads. A parameter such as `*args` is returned with its stars.

    Args:
        body: The method with the call of `super()`.
        passed_names: The parameters that the call passes, without stars.
    """
    omitted = []
    # The first parameter is `self`, which Python passes.
    for parameter in body.parent.parameters[1:]:
        name = parameter.lstrip("*")
        if name not in passed_names and _parent_reads_child_variable(body, name):
            omitted.append(parameter)
    return omitted


def _write_arguments(parameters: Sequence[str]) -> Iterator[str]:
    """Yield for each parameter the argument that passes the variable of the same name.

    For the parameters `x`, `*args` and `factor`, they are `x`, `*args` and
    `factor=factor`. Arguments before `*args` have no keywords: in `f(x=x, *args)`, Python
    would bind the first value of `args` to `x`, too.
    """
    args_index = -1
    for index, parameter in enumerate(parameters):
        if _collects_positional(parameter):
            args_index = index
    for index, parameter in enumerate(parameters):
        if index < args_index or parameter.startswith("*"):
            yield parameter
        else:
            yield f"{parameter}={parameter}"


def _has_unknown_arguments(call: cst.Call, override: DefinitionView) -> bool:
    """Whether a call unpacks a value that may hold any parameter, as in `f(*values)`.

    The `**kwargs` of the calling method does not count, because it never holds the
    method's other parameters.
    """
    for argument in call.args:
        # `override.parameters` contains `**kwargs` with its stars.
        unpacked = f"{argument.star}{node_text(argument.value)}"
        is_own_kwargs = argument.star == "**" and unpacked in override.parameters
        if argument.star and not is_own_kwargs:
            return True
    return False


def _find_misplaced(
    body: MethodMerge, arguments: Mapping[str, cst.Arg]
) -> dict[str, str]:
    """Return the parent's parameters that get the value of another parameter from a call.

    With the parent's method `scale(self, x, factor)`, the call `super().scale(factor)`
    passes `factor` for `x`, so this is `{"x": "factor"}`. Other arguments that differ
    from their parameter, such as `2 * x`, are left to `DroppedArgument`.

    Args:
        body: The method with the call.
        arguments: The arguments of the call by the parameters that they are bound to.
    """
    misplaced = {}
    for name, argument in arguments.items():
        is_positional = argument.keyword is None and not argument.star
        passed_name = normalized_text(argument.value)
        is_other_parameter = (
            passed_name != name and passed_name in body.parent.parameters
        )
        # `DroppedArgument` reports calls that pass two parameters in each other's place.
        is_passed = passed_name in arguments
        if not is_positional or not is_other_parameter or is_passed:
            continue
        # With `x = factor` above the call, the parent's body reads the right value of `x`.
        if not is_assigned_above(argument, name, body.statements_above_call):
            misplaced[name] = passed_name
    return misplaced


def _parent_reads_child_variable(body: MethodMerge, name: str) -> bool:
    """Whether the parent's statements read a parameter or variable of the child's method."""
    variables = body.override.parameter_names | variables_above_call(body)
    return name in variables and parent_reads_variable(body, name)


def _add_arguments(call: Statement, added: str) -> Iterator[Fix]:
    """Yield the fix that adds arguments to a call, unless it ends with a comma.

    Args:
        call: The statement, such as `super().scale(x)`.
        added: The arguments, such as `factor=factor`.
    """
    code = call.bare_code
    # The mask is the code with blanks in place of comments, so a comment after the call
    # is stripped.
    mask = code.mask.rstrip()
    call_start = mask.removesuffix(")").rstrip()
    if not mask.endswith(")") or call_start.endswith(","):
        return
    separator = "" if call_start.endswith("(") else ", "
    edit = fixes.make_insertion(code, len(call_start), f"{separator}{added}")
    yield Fix(f"Pass `{added}`", (edit,))
