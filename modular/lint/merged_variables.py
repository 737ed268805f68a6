"""Rules about variables that the child's method and the parent's body share in a generated method."""

from collections.abc import Iterator, Sequence, Set

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    MergedBody,
    merged_bodies,
    reads_variable,
)
from modular.lint.merged_flow import returns_value_unlike_python
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem
from modular.source.places import place_of_word


class SharedVariable(LintRule):
    """A variable of a method has the same name as a variable of the parent's method.

    modular replaces the `super()` call by the body of the parent's method. In the
    generated method, both then share one variable. In Python, each method has its own
    variables. If you set the variable above the call, the parent's body may change it
    before you read it below the call.

    Use another name.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def __init__(self, config):
            size = config.size
            self.width = 2 * size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            size = 8
            super().__init__(config)
            self.depth = size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:22: this `size` has the value that the parent's code gave it; in Python it would keep the value that this method gave it
    hint: give the variable another name
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            depth = 8
            super().__init__(config)
            self.depth = depth
    ```
    """

    code = Problem.SHARED_VARIABLE
    message = (
        "this `{name}` has the value that the parent's code gave it; "
        "in Python it would keep the value that this method gave it"
    )
    hint = "give the variable another name"

    def check_class(self, flat: Flattened) -> None:
        """Report variables of a method that the parent's body overwrites, or reads instead of its own."""
        for body in merged_bodies(flat):
            # Only variables that the parent's body mentions can be shared with it.
            parent_words: set[str] = set()
            for statement in body.parent_statements:
                parent_words |= statement.words
            variables = _variables_bound(body.above_call, parent_words)
            # Parameters that the child sets again are left to `ChangedVariable`.
            variables -= _parameters_among(body.override, variables)
            for name, statement in _find_overwritten_reads(body, variables):
                self.report(place_of_word(statement.bare_code, name), name=name)

            child_names = variables
            # With the same header, all parameters are also those of the parent's method,
            # and hide nothing from its body.
            if body.override.header.mask != body.parent.header.mask:
                child_names = variables | _parameters_among(body.override, parent_words)
            self._check_hidden_names(body, child_names)

    def _check_hidden_names(self, body: MergedBody, child_names: set[str]) -> None:
        """Report variables of the child that hide a global name that the parent's body reads.

        If the child sets `size = 8` above the call, and the parent's body reads a global
        `size`, the generated method reads 8 instead.

        Args:
            body: The method.
            child_names: The variables above the call, and the parameters of the child,
                that are words of the parent's body.
        """
        parent_parameters = _parameters_among(body.parent, child_names)
        hiding_names = child_names - parent_parameters
        # A variable that the parent's body sets itself is not global there.
        hiding_names -= _variables_bound(body.parent_statements, hiding_names)
        for name in sorted(hiding_names):
            if reads_variable(body, name):
                self.report(
                    body.call.bare_code,
                    related=body.parent.header,
                    message="the parent's code, which replaces this call, reads this "
                    "method's variable `{name}`; in Python it reads a global `{name}`",
                    name=name,
                )


class ChangedVariable(LintRule):
    """A parameter or variable has a different value than in Python.

    modular replaces the `super()` call by the body of the parent's method, so your
    method and that body share their variables. In Python, each method has its own
    variables. Two cases are reported:

    - The parent's body assigns to a parameter. The statements below the call then read
      the new value.
    - A statement below the call assigns to a variable of the parent's body. It then
      replaces the parent's assignment.

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
        """Report parameters that the parent's body changes, and variables of it that the child changes."""
        for body in merged_bodies(flat):
            # `UnreturnedCall` reports methods that lose what the parent returns.
            if returns_value_unlike_python(body):
                continue
            self._check_parameters(body)
            for statement in body.below_call:
                target = assigned_target(statement)
                if target is not None and target.text.isidentifier():
                    self._check_assignment(body, statement, target.text)

    def _check_parameters(self, body: MergedBody) -> None:
        """Report parameters that the parent's body sets, and the child reads below the call."""
        header_words = body.override.header.words()
        mentioned: set[str] = set()
        for statement in body.below_call:
            mentioned |= header_words & statement.words
        bound_by_parent = _variables_bound(body.parent_statements, mentioned)
        parameters = _parameters_among(body.override, bound_by_parent)
        for name, statement in _find_overwritten_reads(body, parameters):
            self.report(place_of_word(statement.bare_code, name), name=name)

    def _check_assignment(
        self, body: MergedBody, statement: Statement, name: str
    ) -> None:
        """Report an assignment that replaces the parent's, if the parent's body reads the variable.

        Args:
            body: The method.
            statement: The assignment, which is below the call of `super()`.
            name: The variable that it sets.
        """
        replaced = body.replaced(name)
        if not replaced or not reads_variable(body, name):
            return
        if replaced[0].bare_code.normalized() != statement.bare_code.normalized():
            self.report(
                statement.bare_code,
                related=replaced[0].bare_code,
                message="this assignment also changes the variable `{name}` "
                "that the inherited code reads",
                hint="give the variable another name",
                name=name,
            )


def _parameters_among(method: DefinitionView, names: Set[str]) -> set[str]:
    """Return those of some names that are parameters of a method; `args` for `*args`.

    A header that has none of the names is not parsed.
    """
    if names.isdisjoint(method.header.words()):
        return set()
    parameters = {parameter.lstrip("*") for parameter in method.parameters}
    return parameters & names


def _find_overwritten_reads(
    body: MergedBody, child_names: set[str]
) -> Iterator[tuple[str, Statement]]:
    """Yield the child's names that the parent's body overwrites before the child reads them.

    The child sets `size = 8` and calls `super().f()`, whose body sets `size = 2`. If the
    child then reads `size`, it gets 2. Each name comes with the first statement that reads
    it. A name that the child sets again before that is left out.

    Args:
        body: The method.
        child_names: The variables and parameters that have a value above the call.
    """
    # The names that still have the value from above the call, and are not reported yet.
    open_names = set(child_names)
    for statement in body.below_call:
        # Most statements mention none. They need not be parsed.
        mentioned = open_names & statement.words
        if not mentioned:
            continue
        # Reading `config.size` reads the variable `config`.
        read = {name.partition(".")[0] for name in names_read_by(statement)}
        set_by_child = names_bound_by(statement)
        if statement.is_compound:
            # A block such as `if` may set the name before it reads it.
            read -= set_by_child
        set_by_parent = _variables_bound(body.parent_statements, mentioned)
        overwritten_reads = set_by_parent & read
        for name in sorted(overwritten_reads):
            yield name, statement
        # `size = size + 1` reads `size` before it sets it, so reads are yielded first.
        open_names -= overwritten_reads | set_by_child


def _variables_bound(statements: Sequence[Statement], names: set[str]) -> set[str]:
    """Return those of some names that statements set as variables."""
    bound: set[str] = set()
    for statement in statements:
        mentioned = names & statement.words
        if mentioned:
            bound |= mentioned & names_bound_by(statement)
    return bound
