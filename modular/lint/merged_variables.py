"""Rules about variables that the child's method and the parent's body share in a generated method."""

from collections.abc import Iterator, Sequence, Set

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    bodies_continued_below_call,
    parent_reads_variable,
)
from modular.lint.merged_flow import returns_only_when_generated
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.statements import names_bound_by, names_read_by
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word


class ChangedVariable(LintRule):
    """A parameter or variable has a different value than in Python.

    The generated method can compute a different result from your method in Python. It
    combines your statements with the parent's body, so both share their variables.
    modular reports two cases:

    - The parent's body assigns to a parameter. Your statements below the `super()` call
      then read the new value.
    - You assign to a variable of the parent's body below the `super()` call. Your
      assignment then replaces the parent's.

    Copy the parameter to a variable above the call, or use another name for the
    variable. If you want both to share the value, silence the finding.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTCache:
        def update(self, x):
            x = x + 1
            size = 2 * x
            self.last = size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCache


    class OlmoCache(ViTCache):
        def update(self, x):
            super().update(x)
            self.seen = x
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:21: `x` has been changed by the parent's code that replaces the call; in Python it would still be the argument
    hint: save `x` in another variable above the call, and read that variable
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCache


    class OlmoCache(ViTCache):
        def update(self, x):
            argument = x
            super().update(x)
            self.seen = argument
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCache


    class OlmoCache(ViTCache):
        def update(self, x):
            super().update(x)
            size = 8
            self.depth = size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment also changes the variable `size` that the inherited code reads
    hint: give the variable another name
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTCache


    class OlmoCache(ViTCache):
        def update(self, x):
            super().update(x)
            depth = 8
            self.depth = depth
    ```
    """

    code = Problem.CHANGED_VARIABLE
    precision = Precision(findings=6, real=0)
    message = (
        "`{name}` has been changed by the parent's code that replaces the call; "
        "in Python it would still be the argument"
    )
    hint = "save `{name}` in another variable above the call, and read that variable"

    def check_class(self, flat: Flattened) -> None:
        """Report parameters that the parent's body changes, and variables that the child changes.

        In the generated method, the parent's body stands in place of the `super()` call,
        and both methods share their variables.
        """
        for body in bodies_continued_below_call(flat):
            # If the parent's `return y` may end the generated method above the child's
            # code, `UnreturnedCall` reports the call.
            if not returns_only_when_generated(body):
                self._check_parameters(body)
                self._check_variables(body)

    def _check_parameters(self, body: MethodMerge) -> None:
        """Report parameters that the parent's body changes before the child reads them.

        The parent's body contains `x = x + 1`. The child's `self.seen = x` below the call
        then reads a changed `x`. In Python, `x` is still the argument.
        """
        parameters = body.override.parameter_names
        for name, statement in find_overwritten_reads(body, parameters):
            self.report(place_of_word(statement.bare_code, name), name=name)

    def _check_variables(self, body: MethodMerge) -> None:
        """Report variables of the parent's body that the child sets below the call.

        The child's `size = 8` replaces the parent's `size = 2 * x`. If the parent's body
        then reads `size`, it reads 8.
        """
        for statement in body.statements_below_call:
            target = assigned_target(statement)
            # An attribute such as `self.size` is not a variable.
            if target is None or not target.text.isidentifier():
                continue
            replaced = body.find_replaced_assignments(target.text)
            if not replaced or not parent_reads_variable(body, target.text):
                continue
            parent_code = replaced[0].bare_code
            # The same assignment in both methods changes nothing.
            if parent_code.normalized() != statement.bare_code.normalized():
                self.report(
                    statement.bare_code,
                    related=parent_code,
                    message="this assignment also changes the variable `{name}` "
                    "that the inherited code reads",
                    hint="give the variable another name",
                    name=target.text,
                )


def find_overwritten_reads(
    body: MethodMerge, child_names: Set[str]
) -> Iterator[tuple[str, Statement]]:
    """Yield the child's names that the parent's body overwrites before the child reads them.

    The child sets `size = 8` and calls `super().f()`, whose body sets `size = 2`. If the
    child then reads `size`, it gets 2. Each name comes with the first statement that reads
    it.

    Args:
        body: The method.
        child_names: The variables and parameters that have a value above the call.
    """
    # The child's names that have the parent's value, and are not yielded yet.
    overwritten = variables_bound(body.parent_statements, child_names)
    for statement in body.statements_below_call:
        # Other statements need not be parsed.
        if overwritten.isdisjoint(statement.words):
            continue
        # Reading `size.width` reads the variable `size`.
        read = {name.partition(".")[0] for name in names_read_by(statement)}
        set_by_child = names_bound_by(statement)
        if statement.is_compound:
            # A block such as `if` may set the name before it reads it.
            read -= set_by_child
        for name in sorted(overwritten & read):
            yield name, statement
        # `size = size + 1` reads `size` before it sets it, so this comes last.
        overwritten -= read | set_by_child


def variables_bound(statements: Sequence[Statement], names: Set[str]) -> set[str]:
    """Return those of some names that statements set as variables."""
    bound: set[str] = set()
    for statement in statements:
        mentioned = names & statement.words
        if mentioned:
            bound |= mentioned & names_bound_by(statement)
    return bound
