"""A rule about assignments that the parent's body uses earlier than in Python."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    first_shared,
    may_use,
    merged_bodies,
    names_bound_by,
    names_read_by,
)
from modular.lint.rule import LintRule, Precision
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.diagnostics import Problem


_SELF = "self."
_CALL_MESSAGE = (
    "this moves up to the parent's assignment, above a line with which it shares "
    "`{name}` by way of a method"
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
    models/olmo/modular_olmo.py:7:9: this moves up to the parent's assignment, and the parent's body goes on with the new `self.size`: Python assigns it at the end
    hint: if that is not meant, annotate it, as in `self.size: int = ...`: then it stays below
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
    models/olmo/modular_olmo.py:7:9: this moves up to the parent's assignment, above a line with which it shares `self.size` by way of a method
    hint: annotate it, as in `self.total: int = ...`: then it stays below
    ```
    """

    code = Problem.MOVED_ASSIGNMENT
    precision = Precision(findings=60, real=0)
    message = (
        "this moves up to the parent's assignment, and the parent's body goes on with "
        "the new `{target}`: Python assigns it at the end"
    )
    hint = (
        "if that is not meant, annotate it, as in `{target}: int = ...`: then it stays "
        "below"
    )

    def check_class(self, flat: Flattened) -> None:
        """Check the assignments that replace one of the parent's body.

        Of those that the parent's body goes on with, only the first in a method is
        reported.
        """
        for body in merged_bodies(flat):
            inherited = set(body.inherited)
            first: tuple[Statement, Statement, str] | None = None
            for index, statement in enumerate(body.following):
                target = assigned_target(statement)
                if target is None or target.annotated:
                    continue
                if not target.text.startswith(_SELF):
                    continue
                overtaken = body.overtaken(index)
                replaced = list(body.replaced(target.text))
                self._check_calls(flat, statement, target.text, [*replaced, *overtaken])
                if first is None and not _is_early(statement, overtaken):
                    of_parent = [other for other in overtaken if other in inherited]
                    reading = _find_reading(flat, target.text, of_parent)
                    if reading is not None:
                        first = (statement, reading, target.text)
            if first is not None:
                statement, reading, text = first
                self.report(statement.bare_code, related=reading.bare_code, target=text)

    def _check_calls(
        self,
        flat: Flattened,
        statement: Statement,
        target: str,
        earlier: Sequence[Statement],
    ) -> None:
        """Check whether an assignment needs what is only set later, by way of a method.

        Args:
            flat: The flattened class.
            statement: The assignment.
            target: Its target.
            earlier: The statements that Python runs earlier than the generated method
                does, or that are replaced.
        """
        if not _uses_methods(flat, statement):
            # What two statements do without methods is left to `EarlyAssignment`.
            earlier = [other for other in earlier if _uses_methods(flat, other)]
        if not earlier or target in names_read_by(statement):
            # `EarlyAssignment` reports it, unless it is written as `self.x = self.x`.
            return
        reads, sets = names_of_calls(flat, statement)
        for other in earlier:
            other_reads, other_sets = names_of_calls(flat, other)
            other_sets |= names_bound_by(other)
            name = first_shared(other_sets, reads | names_read_by(statement))
            if name in names_bound_by(other) and name not in reads:
                # `EarlyAssignment` reports what both name themselves.
                name = ""
            name = name or first_shared(sets, other_reads | names_read_by(other))
            if name:
                self.report(
                    statement.bare_code,
                    related=other.bare_code,
                    message=_CALL_MESSAGE,
                    hint="annotate it, as in `{target}: int = ...`: then it stays below",
                    name=name,
                    target=target,
                )
                return


def _is_early(statement: Statement, overtaken: Sequence[Statement]) -> bool:
    """Whether later statements set what an assignment uses, as `EarlyAssignment` reports."""
    for other in overtaken:
        bound = names_bound_by(other)
        if may_use(statement, bound):
            used = names_read_by(statement) | names_bound_by(statement)
            if first_shared(bound, used):
                return True
    return False


def _find_reading(
    flat: Flattened, target: str, statements: Sequence[Statement]
) -> Statement | None:
    """Return the first statement that reads a target, itself or in a method that it calls."""
    for statement in statements:
        reads, bound = names_of_calls(flat, statement)
        used = reads | bound
        if may_use(statement, {target}):
            used |= names_read_by(statement)
        if first_shared({target}, used):
            return statement
    return None


def names_of_calls(flat: Flattened, statement: Statement) -> tuple[set[str], set[str]]:
    """Return what the methods that a statement uses, and those they use, read and bind."""
    methods = _methods_by_name(flat)
    reads: set[str] = set()
    bound: set[str] = set()
    seen: set[str] = set()
    pending: list[Sequence[Statement]] = [[statement]]
    while pending:
        for used in pending.pop():
            if used is not statement:
                reads |= names_read_by(used)
                bound |= names_bound_by(used)
            names = (methods.keys() & used.words) - seen
            seen |= names
            for name in names:
                pending += [method.body.statements for method in methods[name]]
    return reads, bound


def _uses_methods(flat: Flattened, statement: Statement) -> bool:
    """Whether a statement names a method of its class."""
    return not statement.words.isdisjoint(_methods_by_name(flat))


@lru_cache(maxsize=64)
def _methods_by_name(flat: Flattened) -> Mapping[str, Sequence[DefinitionView]]:
    """Return the parent's methods and those of the modular class by their names."""
    methods: dict[str, list[DefinitionView]] = {}
    for group in (flat.inherited, flat.overriding):
        for method in group.values():
            methods.setdefault(method.name, []).append(method)
    return methods
