"""A rule about assignments that the parent's body uses earlier than in Python."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    first_shared,
    may_use,
    merged_bodies,
)
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem


_SELF = "self."
_CALL_MESSAGE = (
    "this assignment is moved up to where the parent assigns `{target}`, above a line "
    "that it depends on: both use `{name}`, at least one by calling a method"
)


class MovedAssignment(LintRule):
    """An assignment moves up, and the parent's later statements use its new value.

    modular replaces a call such as `super().__init__(config)` by the body of the
    parent's method. An assignment below the call replaces the parent's assignment to
    the same target, and moves to its line. The parent's statements after that line then
    use the new value. So do the methods that they call. In Python these statements run
    before your assignment, with the parent's value.

    Often this is what you want, for example to build the parent's layers with a new
    size. Otherwise add an annotation, as in `self.size: int = 8`. An annotated
    assignment replaces nothing, and modular adds it after the parent's statements.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def __init__(self, config):
            self.size = config.size
            self.total = 2 * self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.size = 8
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.size`, so the rest of the parent's code sees the new value; in Python it runs last
    hint: to keep it below, annotate it: `self.size: int = ...`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.size: int = 8
    ```

    The value may also call a method that reads what is only set further down:

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def __init__(self, config):
            self.total = 0
            self.size = config.size

        def area(self):
            return self.size * self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total = self.area()
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.total`, above a line that it depends on: both use `self.size`, at least one by calling a method
    hint: to keep it below, annotate it: `self.total: int = ...`
    ```
    """

    code = Problem.MOVED_ASSIGNMENT
    precision = Precision(findings=60, real=0)
    message = (
        "this assignment is moved up to where the parent assigns `{target}`, so the "
        "rest of the parent's code sees the new value; in Python it runs last"
    )
    hint = "to keep it below, annotate it: `{target}: int = ...`"

    def check_class(self, flat: Flattened) -> None:
        """Check the assignments that replace one of the parent's body.

        Of those that the parent's body goes on with, only the first in a method is
        reported.
        """
        for body in merged_bodies(flat):
            first_use: _EarlyUse | None = None
            for index, statement in enumerate(body.following):
                target = assigned_target(statement)
                if target is None or target.annotated:
                    continue
                if not target.text.startswith(_SELF):
                    continue
                overtaken = body.overtaken(index)
                replaced = list(body.replaced(target.text))
                self._check_calls(flat, statement, target.text, [*replaced, *overtaken])
                if first_use is not None or _is_early(statement, overtaken):
                    continue
                overtaken_of_parent = [
                    candidate for candidate in overtaken if candidate in body.inherited
                ]
                reading = _find_reading(flat, target.text, overtaken_of_parent)
                if reading is not None:
                    first_use = _EarlyUse(statement, target.text, reading)

            if first_use is not None:
                self.report(
                    first_use.assignment.bare_code,
                    related=first_use.reading.bare_code,
                    target=first_use.target,
                )

    def _check_calls(
        self,
        flat: Flattened,
        statement: Statement,
        target: str,
        earlier: Sequence[Statement],
    ) -> None:
        """Report an assignment that shares a name with an earlier statement by way of a method.

        `self.size = self.count()` depends on `self.items = []` if `count` reads
        `self.items`.

        Args:
            flat: The flattened class.
            statement: The assignment.
            target: Its target.
            earlier: The statements that Python runs earlier than the generated method
                does, or that are replaced.
        """
        if not _uses_methods(flat, statement):
            # What two statements do without methods is left to `EarlyAssignment`.
            earlier = [
                candidate for candidate in earlier if _uses_methods(flat, candidate)
            ]
        if not earlier or target in names_read_by(statement):
            # `EarlyAssignment` reports it, unless it is written as `self.x = self.x`.
            return
        called = names_of_calls(flat, statement)
        read_names = called.read | names_read_by(statement)
        for earlier_statement in earlier:
            called_earlier = names_of_calls(flat, earlier_statement)
            bound_earlier = names_bound_by(earlier_statement)
            name = first_shared(called_earlier.bound | bound_earlier, read_names)
            if name in bound_earlier and name not in called.read:
                # `EarlyAssignment` reports what both name themselves.
                name = ""
            if not name:
                read_earlier = called_earlier.read | names_read_by(earlier_statement)
                name = first_shared(called.bound, read_earlier)
            if name:
                self.report(
                    statement.bare_code,
                    related=earlier_statement.bare_code,
                    message=_CALL_MESSAGE,
                    hint="to keep it below, annotate it: `{target}: int = ...`",
                    name=name,
                    target=target,
                )
                return


class _EarlyUse(NamedTuple):
    """An assignment, its target, and the parent's statement that reads the new value."""

    assignment: Statement
    target: str
    reading: Statement


def _is_early(statement: Statement, overtaken: Sequence[Statement]) -> bool:
    """Whether later statements set what an assignment uses, as `EarlyAssignment` reports."""
    for later_statement in overtaken:
        bound = names_bound_by(later_statement)
        if may_use(statement, bound):
            used = names_read_by(statement) | names_bound_by(statement)
            if first_shared(bound, used):
                return True
    return False


def _find_reading(
    flat: Flattened, target: str, statements: Sequence[Statement]
) -> Statement | None:
    """Return the first statement that reads a target, itself or in a method that it calls.

    A method that changes the target counts as well.
    """
    for statement in statements:
        called = names_of_calls(flat, statement)
        used_names = called.read | called.bound
        if may_use(statement, {target}):
            used_names |= names_read_by(statement)
        if first_shared({target}, used_names):
            return statement
    return None


class CalledNames(NamedTuple):
    """The names and dotted names, such as `self.size`, that called methods read and bind."""

    read: set[str]
    bound: set[str]


def names_of_calls(flat: Flattened, statement: Statement) -> CalledNames:
    """Return the names that the methods use that a statement calls, directly or indirectly.

    A method counts as called if its name is mentioned. If the child overrides a method,
    both versions count.
    """
    methods = _methods_by_name(flat)
    read: set[str] = set()
    bound: set[str] = set()
    visited_methods: set[str] = set()
    pending: list[Sequence[Statement]] = [[statement]]
    while pending:
        for current in pending.pop():
            if current is not statement:
                read |= names_read_by(current)
                bound |= names_bound_by(current)
            called_methods = (methods.keys() & current.words) - visited_methods
            visited_methods |= called_methods
            for name in called_methods:
                pending += [method.body.statements for method in methods[name]]
    return CalledNames(read, bound)


def _uses_methods(flat: Flattened, statement: Statement) -> bool:
    """Whether a statement names a method of its class."""
    return not statement.words.isdisjoint(_methods_by_name(flat))


@lru_cache(maxsize=64)
def _methods_by_name(flat: Flattened) -> Mapping[str, Sequence[DefinitionView]]:
    """Return the parent's methods and those of the modular class by their names."""
    methods: dict[str, list[DefinitionView]] = {}
    for methods_of_class in (flat.inherited, flat.overriding):
        for method in methods_of_class.values():
            methods.setdefault(method.name, []).append(method)
    return methods
