"""Rules about an unravelled call whose `return` differs from the one in Python."""

from collections.abc import Sequence

from modular.flatten.flattened import Flattened
from modular.lint.calls import return_call
from modular.lint.merged_bodies import (
    find_unreachable_code,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.facts import Return
from modular.semantics.statements import facts_of
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem
from modular.source.source_slice import has_word


def find_returns(statement: Statement) -> Sequence[Return]:
    """Return the `return` statements in a statement, but not those of nested functions."""
    # Most statements have none, and are not parsed.
    if statement.is_definition or not has_word(statement.code.mask, "return"):
        return ()
    return facts_of(statement).flow.returns


class UnreturnedCall(LintRule):
    """The generated method returns a value, but the method that you wrote does not.

    The method in the modular file returns None in Python, and a reader may think that
    the generated method does, too. modular replaces a call such as `super().forward(x)`
    with the body of the parent's method, including its `return`.

    Write `return` before the call. If statements below the call change the parent's
    body, keep the call as it is and silence the finding. Such a method works only in
    the generated file.

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            x = x + 1
            super().forward(x)
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: the generated `forward` returns the value of this call, because the parent's code replaces it; in Python the method returns None
    hint: write `return` before the call
    ```

    Fixed `models/olmo/modular_olmo.py`:

    ```python
    from ..llama.modeling_llama import LlamaMLP


    class OlmoMLP(LlamaMLP):
        def forward(self, x):
            x = x + 1
            return super().forward(x)
    ```
    """

    code = Problem.UNRETURNED_CALL
    precision = Precision(findings=26, real=0)
    message = (
        "the generated `{method}` returns the value of this call, because the "
        "parent's code replaces it; in Python the method returns None"
    )
    hint = "write `return` before the call"

    def check_class(self, flat: Flattened) -> None:
        """Report calls of `super()` without `return` if the parent's method returns a value.

        With `super().forward(x)` in its `forward`, the child class returns None in Python.
        The generated `forward` ends with the parent's `return y` in place of the call. If
        code of the child follows that never runs, `UnreachableAfterSuper` reports this code
        instead.
        """
        for body in flat.merges.values():
            has_unreachable_code = find_unreachable_code(body) is not None
            if has_unreachable_code or not returns_only_when_generated(body):
                continue
            if body.statements_below_call:
                # With `return`, Python would not run the statements below the call.
                autofixes = []
                hint = "copy the code of the parent's method and change it"
            else:
                autofixes = [return_call(body.super_call)]
                hint = self.hint
            self.report(
                body.super_call.bare_code,
                *autofixes,
                hint=hint,
                method=body.override.name,
            )


def returns_only_when_generated(body: MethodMerge) -> bool:
    """Whether the parent's `return` ends the generated method, but not the method in Python.

    The child calls `super().forward(x)` without `return`. In Python, the value is lost,
    and the method goes on below the call. In the generated method, the parent's
    `return y` stands in place of the call, and ends the method.
    """
    if body.returns_call:
        return False
    for statement in body.kept_parent_statements:
        if any(item.has_value for item in find_returns(statement)):
            return True
    return False
