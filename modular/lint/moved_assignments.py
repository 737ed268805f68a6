"""A rule about assignments that the parent's body uses earlier than in Python."""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.bases import find_ancestors
from modular.lint.context import LintContext
from modular.lint.merged_bodies import (
    bodies_continued_below_call,
    find_connected_overtaken,
    first_shared,
    is_used,
    last_words,
    may_use,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.merge_record import MethodMerge
from modular.rules.classes.methods import find_methods
from modular.semantics.statements import names_bound_by, names_read_by
from modular.source.assignments import annotated_assignment, assigned_target
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

    The parent's statements use your value, although in Python they would run before
    your assignment. modular replaces a call such as `super().__init__(config)` with the
    body of the parent's method, and your assignment below the call takes the place of
    the parent's assignment. All statements below that place, and the methods that they
    call, then use your value.

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
    hint: to keep it below, annotate it: `self.size: int = 8`
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
    hint: to keep it below, annotate it: `self.total: object = self.area()`
    ```
    """

    code = Problem.MOVED_ASSIGNMENT
    precision = Precision(findings=60, real=0)
    message = (
        "this assignment is moved up to where the parent assigns `{target}`, so the "
        "rest of the parent's code sees the new value; in Python it runs last"
    )
    hint = "to keep it below, annotate it: `{annotated}`"

    def check_class(self, flat: Flattened) -> None:
        """Report the child's assignments that move up, above lines that run first in Python.

        The child's `self.size = 8` below a call of `super()` moves up to the parent's
        `self.size = 0`, above the parent's next lines.
        """
        for body in bodies_continued_below_call(flat):
            assignments = list(_find_moved_assignments(body))
            for assignment in assignments:
                # The child's `self.size = self.count()` moves above the parent's
                # `self.items = []`, and `count` reads `self.items`.
                self._check_calls(flat, body, assignment)
            # The child's `self.size = 8` moves above the parent's `self.total = self.size`.
            self._check_parent_uses(flat, body, assignments)

    def _check_parent_uses(
        self,
        flat: Flattened,
        body: MethodMerge,
        assignments: Sequence["_MovedAssignment"],
    ) -> None:
        """Report the first assignment whose value the parent's code uses too early.

        The parent has the lines `self.size = 0` and `self.total = self.size`. The child's
        `self.size = 8`, below the call of `super()`, moves up to the parent's
        `self.size = 0`. So `self.total` is 0 in Python, and 8 in the generated method.

        Args:
            flat: The flattened class.
            body: The method.
            assignments: The assignments of the child that move up.
        """
        for assignment in assignments:
            # `EarlyAssignment` reports the child's `self.size = self.total`, which moves
            # above the line that sets `self.total`.
            if _depends_on_overtaken(body, assignment):
                continue
            # Only these can use the target, or call a method that does.
            words = last_words([assignment.target]) | _called_words(flat, body)
            overtaken = body.find_overtaken_with(assignment.position, words)
            parent_statements = list(filter(body.is_of_parent, overtaken))
            use = _find_use(flat, assignment.target, parent_statements)
            if use is not None:
                self.report(
                    assignment.statement.bare_code,
                    related=use.bare_code,
                    target=assignment.target,
                    annotated=annotated_assignment(assignment.statement),
                )
                return

    def _check_calls(
        self, flat: Flattened, body: MethodMerge, assignment: "_MovedAssignment"
    ) -> None:
        """Report an assignment that shares a name with a later statement through a method.

        `self.size = self.count()` depends on `self.items = []` if the method `count` reads
        or sets `self.items`. What the two statements share directly is left to `EarlyAssignment`.

        Args:
            flat: The flattened class.
            body: The method with the assignment.
            assignment: The assignment.
        """
        statement, target, position = assignment
        # Only the assignment's own calls are looked up in the bases. The parent's code
        # often ends with `self.post_init()`, which uses nearly all attributes.
        base_methods = find_callable_base_methods(
            self.context, flat.child.name, statement
        )
        called = names_in_called_methods(flat, statement, base_methods)
        # The replaced statements do not run at all when generated.
        later_statements = list(body.find_replaced_assignments(target))
        if called.read_names or called.bound_names:
            later_statements += body.select_overtaken(
                position, range(len(body.generated_statements))
            )
        else:
            methods = _methods_by_name(flat)
            later_statements = [
                later
                for later in later_statements
                if not later.words.isdisjoint(methods)
            ]
            called_words = _called_words(flat, body)
            later_statements += body.find_overtaken_with(position, called_words)
        # Most assignments end here, and are not parsed.
        if not later_statements:
            return
        read = names_read_by(statement)
        if target in read:
            return
        for later in later_statements:
            called_later = names_in_called_methods(flat, later)
            bound_later = names_bound_by(later)
            all_bound_later = called_later.bound_names | bound_later
            name = first_shared(all_bound_later, called.read_names | read)
            if name in bound_later and name not in called.read_names:
                name = ""
            if not name:
                read_later = called_later.read_names | names_read_by(later)
                name = first_shared(called.bound_names, read_later)
            if not name:
                set_by_call = {bound for bound in called.bound_names if _SELF in bound}
                name = first_shared(set_by_call - {target}, all_bound_later)
            if name:
                self.report(
                    statement.bare_code,
                    related=later.bare_code,
                    message=_CALL_MESSAGE,
                    name=name,
                    target=target,
                    annotated=annotated_assignment(statement),
                )
                return


class _MovedAssignment(NamedTuple):
    """An assignment below a call of `super()`, which takes the place of the parent's.

    Attributes:
        statement: The assignment.
        target: Its target, such as `self.size`.
        position: Its index in the statements below the call.
    """

    statement: Statement
    target: str
    position: int


def _find_moved_assignments(body: MethodMerge) -> Iterator[_MovedAssignment]:
    """Yield the assignments to attributes below a call of `super()`, such as `self.size = 8`.

    In the generated method, `self.size = 8` takes the place of the parent's
    `self.size = 0`. So it overtakes the parent's next lines, such as `self.total = 0`: it
    runs before them, although they run first in Python.
    """
    for index, statement in enumerate(body.statements_below_call):
        target = assigned_target(statement)
        # `self.size: int = 8` does not move: an annotated assignment replaces nothing.
        if target is None or target.annotated:
            continue
        if target.text.startswith(_SELF):
            yield _MovedAssignment(statement, target.text, index)


def _depends_on_overtaken(body: MethodMerge, assignment: _MovedAssignment) -> bool:
    """Whether an assignment uses a name that one of the overtaken statements sets."""
    statement = assignment.statement
    for overtaken in find_connected_overtaken(body, assignment.position):
        bound = names_bound_by(overtaken)
        # Most assignments use none of these names, and are not parsed.
        if may_use(statement, bound):
            used_names = names_read_by(statement) | names_bound_by(statement)
            if first_shared(bound, used_names):
                return True
    return False


def _find_use(
    flat: Flattened, target: str, statements: Sequence[Statement]
) -> Statement | None:
    """Return the first statement that reads a target, or calls a method that uses it.

    For the target `self.size`, this is `x = self.size`, or `self.scale()` if the method
    `scale` reads or sets `self.size`. A statement that sets the target itself, such as
    `self.size, x = y`, is left to `EarlyAssignment`.
    """
    for statement in statements:
        called = names_in_called_methods(flat, statement)
        used_names = {*called.read_names, *called.bound_names}
        # Only a statement with the word `size` can read `self.size`. The others need
        # not be parsed.
        if may_use(statement, {target}):
            used_names |= names_read_by(statement)
        if is_used(target, used_names):
            return statement
    return None


class CalledNames(NamedTuple):
    """The names and dotted names, such as `self.size`, that called methods read and bind."""

    read_names: set[str]
    bound_names: set[str]


def names_in_called_methods(
    flat: Flattened,
    statement: Statement,
    base_methods: Mapping[str, DefinitionView] = MappingProxyType({}),
) -> CalledNames:
    """Return the names that a statement uses through the methods that it calls.

    If `self.count()` calls a method with the body `self.total = self.size`, `self.size`
    is read, and `self.total` is bound. Methods that `count` calls are included.

    Args:
        flat: The flattened class.
        statement: The statement.
        base_methods: Methods of the bases that are included, too.
    """
    # A name has two methods if the child overrides the parent's.
    methods = _methods_by_name(flat)
    called = CalledNames(read_names=set(), bound_names=set())
    visited_methods: set[str] = set()
    pending = [statement]
    while pending:
        current = pending.pop()
        # In the class itself, any word that is the name of a method counts as a call.
        called_methods = methods.keys() & current.words
        # Bases have methods with common names such as `to`. There only `self.to` counts.
        for name in base_methods.keys() & current.words:
            if f"{_SELF}{name}" in names_read_by(current):
                called_methods.add(name)
        new_methods = called_methods - visited_methods
        visited_methods |= new_methods
        for name in new_methods:
            # A method of the class itself hides that of a base.
            found = methods[name] if name in methods else [base_methods[name]]
            for method in found:
                for method_statement in method.body.statements:
                    called.read_names.update(names_read_by(method_statement))
                    called.bound_names.update(names_bound_by(method_statement))
                    pending.append(method_statement)
    return called


def find_callable_base_methods(
    context: LintContext, class_name: str, statement: Statement
) -> Mapping[str, DefinitionView]:
    """Return the methods of the bases that a statement of a class may call, by name.

    `self.size = self.count()` may call any method of a base. `self.size = config.size`
    reads nothing from `self`, and calls none.
    """
    if _reads_from_self(statement):
        return context.memoized(_methods_of_bases, class_name)
    return {}


def _reads_from_self(statement: Statement) -> bool:
    """Whether a statement reads an attribute of `self`, as `self.size = self.count()` does."""
    target = assigned_target(statement)
    is_self_in_target = target is not None and target.text.startswith(_SELF)
    # Most assignments, such as `self.size = 8`, have `self` only in the target. They are
    # not parsed.
    mentions_in_target = 1 if is_self_in_target else 0
    if statement.code.mask.count("self") <= mentions_in_target:
        return False
    return any(name.startswith(_SELF) for name in names_read_by(statement))


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


@lru_cache(maxsize=64)
def _methods_by_name(flat: Flattened) -> Mapping[str, Sequence[DefinitionView]]:
    """Return the parent's methods and those of the modular class by their names."""
    methods: dict[str, list[DefinitionView]] = {}
    for methods_of_class in (flat.inherited, flat.overriding):
        for method in methods_of_class.values():
            methods.setdefault(method.name, []).append(method)
    return methods


@lru_cache(maxsize=64)
def _called_words(flat: Flattened, body: MethodMerge) -> Set[str]:
    """Return the words of a generated method that are names of methods of its class."""
    words: set[str] = set()
    for statement in body.generated_statements:
        words |= statement.words & _methods_by_name(flat).keys()
    return words
