"""A rule about parameters that the parent's body reads though a call of `super()` does not pass them."""

from collections.abc import Iterator, Mapping, Sequence, Set

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.arguments import (
    bind_arguments,
    call_of_statement,
    is_assigned_above,
)
from modular.lint.merged_bodies import (
    MergedBody,
    merged_bodies,
    reads_variable,
)
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by
from modular.source import fixes
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Fix, Problem
from modular.source.places import place_of_word
from modular.source.trees import node_text, normalized_text


class OmittedArgument(LintRule):
    """An unravelled call does not pass a parameter that the parent's body reads.

    The parent's body replaces the call, and reads the variable of that name. In Python
    the parent's method has the default of the parameter, or cannot be called.

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
    models/olmo/modular_olmo.py:6:16: the parent's code, which replaces this call, reads this method's `factor`; in Python the call does not pass it
    hint: pass it: `factor=factor`
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(x, factor=factor)
    ```

    A call may also pass another parameter in the place of one:

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            return super().scale(factor, factor=factor)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:6:16: the parent's code, which replaces this call, reads this method's `x`; in Python the call passes `factor` for it
    hint: pass `x` there, or write `x = factor` above the call
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def scale(self, x, factor=3):
            x = factor
            return super().scale(x, factor=factor)
    ```
    """

    code = Problem.OMITTED_ARGUMENT
    precision = Precision(findings=98, real=0)
    message = (
        "the parent's code, which replaces this call, reads this method's {names}; "
        "in Python the call does not pass {pronoun}"
    )
    hint = "pass {pronoun}: `{added}`"

    def check_class(self, flat: Flattened) -> None:
        """Check the arguments of the unravelled calls."""
        for body in merged_bodies(flat):
            call = call_of_statement(body.call)
            if _has_unknown_arguments(call, body.override):
                continue
            arguments = {}
            for argument, parameter in bind_arguments(call, body.parent):
                if parameter is not None:
                    arguments[parameter] = argument

            misplaced = _misplaced_parameters(body, arguments)
            for name, value in misplaced.items():
                if _reads_variable_of_child(body, name):
                    self._report_misplaced(body, name, value, value in arguments)
            omitted = _omitted_parameters(body, {*arguments, *misplaced.values()})
            if omitted:
                self._report_omitted(body, omitted)

    def _report_omitted(self, body: MergedBody, parameters: Sequence[str]) -> None:
        """Report parameters for which the call passes nothing."""
        arguments: list[str] = []
        for parameter in reversed(parameters):
            is_above_rest = any(_is_rest(argument) for argument in arguments)
            if is_above_rest or parameter.startswith("*"):
                arguments.insert(0, parameter)
            else:
                arguments.insert(0, f"{parameter}={parameter}")
        added = ", ".join(arguments)
        autofixes: list[Fix] = []
        if not any(_is_rest(argument) for argument in arguments):
            autofixes += _add_arguments(body.call, added)
        self.report(
            place_of_word(body.call.bare_code, "super"),
            *autofixes,
            related=body.parent.header,
            names=" and ".join(f"`{name.lstrip('*')}`" for name in parameters),
            pronoun="it" if len(parameters) == 1 else "them",
            added=added,
        )

    def _report_misplaced(
        self, body: MergedBody, name: str, value: str, is_passed: bool
    ) -> None:
        """Report a parameter for which the call passes another one.

        Args:
            body: The method.
            name: The parameter.
            value: The other parameter.
            is_passed: Whether the call also passes that in its own place.
        """
        hint = "pass `{name}` there, and `{value}` by keyword: `{value}={value}`"
        if is_passed:
            hint = "pass `{name}` there, or write `{name} = {value}` above the call"
        self.report(
            place_of_word(body.call.bare_code, "super"),
            related=body.parent.header,
            message=_MISPLACED,
            hint=hint,
            name=name,
            value=value,
        )


_MISPLACED = (
    "the parent's code, which replaces this call, reads this method's `{name}`; "
    "in Python the call passes `{value}` for it"
)


def _is_rest(parameter: str) -> bool:
    """Whether a parameter is one such as `*args`, before which arguments have no keyword."""
    return parameter.startswith("*") and not parameter.startswith("**")


def _has_unknown_arguments(call: cst.Call, override: DefinitionView) -> bool:
    """Whether a call unpacks a value that may hold parameters of the parent's method.

    The `**kwargs` of a method never hold its other parameters.
    """
    for argument in call.args:
        if argument.star == "*":
            return True
        unpacked = f"{argument.star}{node_text(argument.value)}"
        if argument.star and unpacked not in override.parameters:
            return True
    return False


def _misplaced_parameters(
    body: MergedBody, arguments: Mapping[str, cst.Arg]
) -> dict[str, str]:
    """Return the parameters for which a call passes another parameter, with that.

    `DroppedArgument` reports all other arguments that the parent's body does not read.
    """
    misplaced = {}
    for name, argument in arguments.items():
        value = normalized_text(argument.value)
        if value == name or value not in body.parent.parameters:
            continue
        if argument.keyword is None and not argument.star:
            if not is_assigned_above(argument, name, body.before):
                misplaced[name] = value
    return misplaced


def _omitted_parameters(body: MergedBody, passed: Set[str]) -> list[str]:
    """Return the other parameters that the parent's statements read, with their stars."""
    omitted = []
    for parameter in body.parent.parameters[1:]:
        name = parameter.lstrip("*")
        if name not in passed and _reads_variable_of_child(body, name):
            omitted.append(parameter)
    return omitted


def _reads_variable_of_child(body: MergedBody, name: str) -> bool:
    """Whether the parent's statements read a parameter or a variable of the child's method."""
    parameters = {parameter.lstrip("*") for parameter in body.override.parameters}
    if name not in parameters:
        binding = [other for other in body.before if name in other.words]
        if not any(name in names_bound_by(other) for other in binding):
            return False
    return reads_variable(body, name)


def _add_arguments(call: Statement, added: str) -> Iterator[Fix]:
    """Yield the fix that adds arguments to a call, unless that ends with a comma."""
    code = call.bare_code
    end = len(code.mask.rstrip()) - 1
    before = code.mask[:end].rstrip()
    if not code.mask[: end + 1].endswith(")") or before.endswith(","):
        return
    separator = "" if before.endswith("(") else ", "
    start = len(before)
    edit = fixes.make_insertion(code, start, f"{separator}{added}")
    yield Fix(f"Pass `{added}`", (edit,))
