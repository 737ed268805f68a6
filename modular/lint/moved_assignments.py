"""A rule about assignments that the parent's body uses earlier than in Python."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.bases import find_ancestors
from modular.lint.context import LintContext
from modular.lint.merged_bodies import (
    first_shared,
    may_use,
    merged_bodies,
)
from modular.lint.rule import LintRule, Precision
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.rules.classes.methods import find_methods
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
        """Report assignments that take the place of the parent's, if later code uses their value.

        An assignment below the call moves up to the line that it replaces. The parent's
        later statements then read the new value, but in Python the old one. For these
        uses, one assignment of each method is reported.
        """
        for body in merged_bodies(flat):
            is_reported = False
            for index, statement in enumerate(body.below_call):
                target = assigned_target(statement)
                # An annotated assignment such as `self.size: int = 8` replaces nothing.
                if target is None or target.annotated:
                    continue
                if not target.text.startswith(_SELF):
                    continue
                # The statements that run before the assignment in Python, but after it
                # in the generated method.
                later = body.overtaken(index)
                replaced = body.replaced(target.text)
                self._check_calls(flat, statement, target.text, [*replaced, *later])
                # `EarlyAssignment` reports the assignments for which `_is_early` holds.
                if is_reported or _is_early(statement, later):
                    continue
                later_of_parent = list(filter(body.is_of_parent, later))
                reading = _find_reading(flat, target.text, later_of_parent)
                if reading is not None:
                    is_reported = True
                    self.report(
                        statement.bare_code,
                        related=reading.bare_code,
                        target=target.text,
                    )

    def _check_calls(
        self,
        flat: Flattened,
        statement: Statement,
        target: str,
        later_statements: Sequence[Statement],
    ) -> None:
        """Report an assignment that shares a name with a later statement through a method.

        `self.size = self.count()` depends on `self.items = []` if the method `count` reads
        or sets `self.items`. What the two statements share directly is left to `EarlyAssignment`.

        Args:
            flat: The flattened class.
            statement: The assignment.
            target: Its target.
            later_statements: The statements that Python runs before the assignment, and
                the generated method after it, or not at all.
        """
        # Only the assignment's own calls are looked up in the bases. The parent's code
        # often ends with `self.post_init()`, which uses nearly all attributes.
        base_methods = methods_of_bases(self.context, flat.child.name, statement)
        called = names_of_calls(flat, statement, base_methods)
        if not called.read and not called.bound:
            later_statements = [
                later for later in later_statements if _uses_methods(flat, later)
            ]
        # Most assignments end here, and are not parsed.
        if not later_statements:
            return
        read = names_read_by(statement)
        if target in read:
            return
        for later in later_statements:
            called_later = names_of_calls(flat, later)
            bound_later = names_bound_by(later)
            name = first_shared(called_later.bound | bound_later, called.read | read)
            if name in bound_later and name not in called.read:
                name = ""
            if not name:
                read_later = called_later.read | names_read_by(later)
                name = first_shared(called.bound, read_later)
            if not name:
                set_by_call = {bound for bound in called.bound if _SELF in bound}
                set_later = called_later.bound | bound_later
                name = first_shared(set_by_call - {target}, set_later)
            if name:
                self.report(
                    statement.bare_code,
                    related=later.bare_code,
                    message=_CALL_MESSAGE,
                    hint="to keep it below, annotate it: `{target}: int = ...`",
                    name=name,
                    target=target,
                )
                return


def _is_early(statement: Statement, later_statements: Sequence[Statement]) -> bool:
    """Whether later statements set a name that an assignment uses.

    `EarlyAssignment` reports such an assignment.
    """
    for later in later_statements:
        bound_later = names_bound_by(later)
        if may_use(statement, bound_later):
            used = names_read_by(statement) | names_bound_by(statement)
            if first_shared(bound_later, used):
                return True
    return False


def _find_reading(
    flat: Flattened, target: str, statements: Sequence[Statement]
) -> Statement | None:
    """Return the first statement that uses a target, itself or in a method that it calls.

    For the target `self.size`, this is `x = self.size`, or `self.scale()` if the method
    `scale` reads or sets `self.size`. Statements that only set the target themselves,
    such as `self.size = 8`, are left out.
    """
    for statement in statements:
        called = names_of_calls(flat, statement)
        used = called.read | called.bound
        # Only a statement with the word `size` can read `self.size`. The others need
        # not be parsed.
        has_word_of_target = may_use(statement, {target})
        if has_word_of_target:
            used |= names_read_by(statement)
        uses_target = first_shared({target}, used) != ""
        if uses_target:
            return statement
    return None


class CalledNames(NamedTuple):
    """The names and dotted names, such as `self.size`, that called methods read and bind."""

    read: set[str]
    bound: set[str]


def names_of_calls(
    flat: Flattened,
    statement: Statement,
    base_methods: Mapping[str, DefinitionView] = MappingProxyType({}),
) -> CalledNames:
    """Return the names that a statement uses through the methods that it calls.

    A method of the class counts as called if its name is mentioned, also by a called
    method. If the child overrides a method, both versions count.

    Args:
        flat: The flattened class.
        statement: The statement.
        base_methods: Methods of the bases that count, too, if they are read from `self`.
    """
    methods = _methods_by_name(flat)
    read: set[str] = set()
    bound: set[str] = set()
    visited_methods: set[str] = set()
    pending = deque([statement])
    while pending:
        current = pending.popleft()
        # Only names in the called methods count, not those in the statement itself.
        if current is not statement:
            read |= names_read_by(current)
            bound |= names_bound_by(current)
        called_methods = (methods.keys() & current.words) - visited_methods
        visited_methods |= called_methods
        for name in called_methods:
            for method in methods[name]:
                pending.extend(method.body.statements)
        for name in (base_methods.keys() & current.words) - visited_methods:
            # Many bases have methods with common names, such as `to`.
            if f"{_SELF}{name}" in names_read_by(current):
                visited_methods.add(name)
                pending.extend(base_methods[name].body.statements)
    return CalledNames(read, bound)


def methods_of_bases(
    context: LintContext, class_name: str, statement: Statement
) -> Mapping[str, DefinitionView]:
    """Return the methods of a class's bases by name; none if a statement cannot call them.

    A statement that reads nothing from `self` calls none of them.
    """
    # Most assignments have `self` only in their target, and read nothing from it. They
    # need not be parsed.
    target = assigned_target(statement)
    is_self_in_target = target is not None and target.text.startswith(_SELF)
    min_mentions = 2 if is_self_in_target else 1
    if statement.code.mask.count("self") < min_mentions:
        return {}
    for name in names_read_by(statement):
        if name.startswith(_SELF):
            return context.memoized(_methods_of_bases, class_name)
    return {}


def _methods_of_bases(
    context: LintContext, class_name: str
) -> Mapping[str, DefinitionView]:
    """Return the methods that a generated class inherits from its bases, by their names."""
    methods: dict[str, DefinitionView] = {}
    for ancestor in find_ancestors(context, class_name):
        if ancestor.view is not None:
            for method in find_methods(ancestor.view.body.statements).values():
                methods.setdefault(method.name, method)
    return methods


def _uses_methods(flat: Flattened, statement: Statement) -> bool:
    """Whether a statement mentions a method of its class."""
    return not statement.words.isdisjoint(_methods_by_name(flat))


@lru_cache(maxsize=64)
def _methods_by_name(flat: Flattened) -> Mapping[str, Sequence[DefinitionView]]:
    """Return the parent's methods and those of the modular class by their names."""
    methods: dict[str, list[DefinitionView]] = {}
    for methods_of_class in (flat.inherited, flat.overriding):
        for method in methods_of_class.values():
            methods.setdefault(method.name, []).append(method)
    return methods
