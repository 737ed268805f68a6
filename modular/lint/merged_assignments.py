"""Rules about assignments below an unravelled call that take effect elsewhere than in Python."""

from collections.abc import Set
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.bases import bases_never_set
from modular.lint.merged_bodies import (
    bodies_continued_below_call,
    find_connected_overtaken,
    first_shared,
    is_used,
    may_use,
)
from modular.lint.rule import LintRule, Precision
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.facts import CodeFacts, When
from modular.semantics.instances import uses_of_instance
from modular.semantics.statements import (
    facts_of,
    names_bound_by,
    names_read_by,
)
from modular.source.assignments import (
    annotated_assignment,
    assigned_target,
    assigned_value,
)
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem
from modular.source.trees import normalized_text


_INIT = "__init__"
_SELF = "self"


class ReplacedElsewhere(LintRule):
    """An assignment also replaces assignments in other methods.

    Your assignment also changes a method that you did not mean to change. modular
    replaces a call such as `super().__init__(config)` with the body of the parent's
    method, and your assignment below the call replaces the parent's assignment to the
    same target. If a later method of the class also calls `super()`, your assignment
    replaces the parent's assignment there as well. A `del` has this effect, too.

    Add an annotation, as in `self.size: int = 8`. An annotated assignment replaces
    nothing. modular adds it after the parent's statements.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTEmbeddings:
        def __init__(self, config):
            self.size = config.size

        def resize(self, factor):
            self.size = self.size * factor
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTEmbeddings


    class OlmoEmbeddings(ViTEmbeddings):
        def __init__(self, config):
            super().__init__(config)
            self.size = 8

        def resize(self, factor):
            super().resize(factor)
            self.factor = factor
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment also replaces the parent's assignment to `self.size` in `resize`; Python keeps both
    hint: to keep both, annotate it: `self.size: int = 8`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTEmbeddings


    class OlmoEmbeddings(ViTEmbeddings):
        def __init__(self, config):
            super().__init__(config)
            self.size: int = 8

        def resize(self, factor):
            super().resize(factor)
            self.factor = factor
    ```
    """

    code = Problem.REPLACED_ELSEWHERE
    precision = Precision(findings=1, real=1)
    message = (
        "this assignment also replaces the parent's assignment to `{target}` in "
        "`{method}`; Python keeps both"
    )
    hint = "to keep both, annotate it: `{annotated}`"

    def check_class(self, flat: Flattened) -> None:
        """Report assignments and deletions that change the parent's code in another method, too.

        The parent sets `self.size` in `__init__` and in `reset`. The child is:

            def __init__(self):
                super().__init__()
                self.size = 8

            def reset(self):
                super().reset()

        The child's `self.size = 8` replaces the assignments in both methods, but in
        Python `reset` keeps its assignment. A `del self.size` in place of `self.size = 8`
        removes both assignments.
        """
        for body in flat.merges.values():
            local_statements = {*body.parent_statements, *body.statements_below_call}
            for statement in body.generated_statements:
                is_from_another_method = statement not in local_statements
                if is_from_another_method:
                    self._check_replacement(body, statement)
            self._check_deletions(flat, body)

    def _check_replacement(self, body: MethodMerge, assignment: Statement) -> None:
        """Report an assignment of one method that modular has also put into another method.

        The child's `self.size = 8` is in `__init__`, but also replaces the parent's
        `self.size = 0` in `reset`. If the parent's line in `reset` is `self.size = 8`,
        nothing changes, and nothing is reported.

        Args:
            body: The other method, `reset` in the example.
            assignment: The assignment, `self.size = 8`.
        """
        target = assigned_target(assignment)
        assert target is not None, "only assignments replace statements"
        code = assignment.bare_code
        for replaced in body.find_replaced_assignments(target.text):
            if replaced.bare_code.normalized() != code.normalized():
                self.report(
                    code,
                    related=replaced.bare_code,
                    target=target.text,
                    method=body.override.name,
                    annotated=annotated_assignment(assignment),
                )
                return

    def _check_deletions(self, flat: Flattened, body: MethodMerge) -> None:
        """Report each `del` of one method that removed an assignment from another method.

        The child's `del self.x` in `__init__` removes the parent's `self.x = 1` from
        `__init__`, and also the parent's `self.x = 2` from `reset`, if the child's `reset`
        calls `super()`.

        Args:
            flat: The class, merged with its parent class.
            body: The other method, `reset` in the example.
        """
        # `flat.deleted` has the `del` statements that removed an assignment, by target.
        for target, deletion in flat.deleted.items():
            # A `del` in `reset` itself is right to remove the assignment from `reset`.
            if _is_below_call(body, deletion):
                continue
            removed = body.find_replaced_assignments(target)
            if removed:
                self.report(
                    deletion.bare_code,
                    related=removed[0].bare_code,
                    message="this `del` also removes the parent's assignment to "
                    "`{target}` in `{method}`; in Python that assignment stays",
                    hint="write out the parent's `{method}`",
                    target=target,
                    method=body.override.name,
                )


def _is_below_call(body: MethodMerge, deletion: Statement) -> bool:
    """Whether a `del` of the child class is below the call of `super()` in a method.

    The lines are compared, because `del a, b` has been divided into two new statements,
    and `body.statements_below_call` contains neither of them.
    """
    code = body.override.code
    last_line = code.line + code.text.count("\n")
    return body.super_call.line <= deletion.line <= last_line


class EarlyAssignment(LintRule):
    """An assignment moves up, above statements that Python runs before it.

    Your assignment runs earlier than in Python. It may read a value that does not exist
    yet, or the parent's code may overwrite the attribute. modular replaces a call such
    as `super().__init__(config)` with the body of the parent's method, and your
    assignment below the call takes the place of the parent's assignment, which is
    higher up.

    This is an error if `__init__` certainly reads an attribute that is not set yet,
    because then no object of the class can be created.

    Add an annotation, as in `self.size: int = 8`. An annotated assignment replaces
    nothing, and modular adds it after the parent's statements. You can also set the
    values that it reads above the call.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTLayer:
        def __init__(self, config):
            self.total = 0
            self.size = config.size
            self.total += self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total = 2 * self.size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this assignment is moved up to where the parent assigns `self.total`, before `self.size` is set; in Python it runs afterwards
    hint: to keep it below, annotate it: `self.total: object = 2 * self.size`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config):
            super().__init__(config)
            self.total: int = 2 * self.size
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config, width=None):
            super().__init__(config)
            width = width or config.width
            self.size = width
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:8:9: this assignment is moved up to where the parent assigns `self.size`, before `width` is set; in Python it runs afterwards
    hint: write the line that sets `width` above the call
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTLayer


    class OlmoLayer(ViTLayer):
        def __init__(self, config, width=None):
            width = width or config.width
            super().__init__(config)
            self.size: int = width
    ```
    """

    code = Problem.EARLY_ASSIGNMENT
    precision = Precision(findings=2, real=2)
    message = (
        "this assignment is moved up to where the parent assigns `{target}`, "
        "before `{name}` is set; in Python it runs afterwards"
    )
    hint = "to keep it below, annotate it: `{annotated}`"

    def check_class(self, flat: Flattened) -> None:
        """Report assignments below a call of `super()` that the generated method runs too early.

        The parent sets `self.total = 0` and then `self.size = 8`. The child's
        `self.total = 2 * self.size` takes the place of `self.total = 0`. There it reads
        `self.size` before `self.size` is set.
        """
        for body in bodies_continued_below_call(flat):
            # If several assignments move above the same statement, only the first is
            # reported.
            reported: set[Statement] = set()
            for index, statement in enumerate(body.statements_below_call):
                target = assigned_target(statement)
                # Assignments to variables are left to `ChangedVariable`.
                if target is None or "." not in target.text:
                    continue
                # The author writes `self.x = self.x` to remove the parent's assignment,
                # and to keep the value that is set above the call.
                if _assigns_itself(statement, target.text):
                    continue
                dependency = _find_dependency(body, index, target.text, reported)
                if dependency is None:
                    continue
                later, name = dependency
                reported.add(later)
                hint = self.hint
                if not body.is_of_parent(later) and "." not in name:
                    hint = "write the line that sets `{name}` above the call"
                self.report(
                    statement.bare_code,
                    related=later.bare_code,
                    hint=hint,
                    is_error=self._reads_unset_attribute(flat, body, statement, name),
                    name=name,
                    target=target.text,
                    annotated=annotated_assignment(statement),
                )

    def _reads_unset_attribute(
        self, flat: Flattened, body: MethodMerge, statement: Statement, name: str
    ) -> bool:
        """Return whether an assignment in `__init__` reads an attribute that is not set.

        Then no object of the class can be created. It is uncertain if code that is not
        known may set the attribute before.

        Args:
            flat: The flattened class.
            body: The method.
            statement: The assignment, which was moved up.
            name: A name because of which it should run later, such as `self.size`.
        """
        owner, _, attribute = name.partition(".")
        if owner != _SELF or not attribute.isidentifier() or body.key != _INIT:
            return False
        if not _always_reads(facts_of(statement), attribute):
            return False

        position = body.index_in_generated(statement)
        earlier_statements = [
            *body.statements_above_call,
            *body.generated_statements[:position],
        ]
        for earlier in earlier_statements:
            uses = uses_of_instance(facts_of(earlier), _SELF)
            if attribute in earlier.words or not uses.is_contained:
                return False
            if facts_of(earlier).flow.returns:
                return False
        return bases_never_set(self.context, flat.child.name, attribute)


def _always_reads(facts: CodeFacts, attribute: str) -> bool:
    """Return whether a statement reads an attribute of `self` each time it runs."""
    for mention in facts.mentions_of(_SELF):
        is_attribute = mention.attributes[:1] == (attribute,)
        is_at_once = mention.when is When.NOW and not mention.is_conditional
        if is_attribute and is_at_once and mention.reads:
            return True
    return False


class _Dependency(NamedTuple):
    """A statement that should run before an assignment, and a name that both use."""

    later: Statement
    name: str


def _find_dependency(
    body: MethodMerge, index: int, target: str, reported: Set[Statement]
) -> _Dependency | None:
    """Return the first statement that should run before an assignment, but runs after it.

    The parent sets `self.total = 0`, and then `self.size = 8`. The child's assignment
    `self.total = 2 * self.size` takes the place of the parent's first line. The parent's
    second line should run before this assignment, but runs after it.

    Args:
        body: The method.
        index: The index of the assignment below the call.
        target: The target of the assignment, such as `self.total`.
        reported: Statements that are skipped.

    Returns:
        None if there is no such statement.
    """
    assignment = body.statements_below_call[index]
    later_statements = find_connected_overtaken(body, index)
    replaced = body.find_replaced_assignments(target)
    # `self.total = 2 * self.total` reads the value of the parent's `self.total = 0`, which
    # it replaces. Only assignments that contain their target twice are parsed.
    if replaced and assignment.code.mask.count(target) > 1:
        if is_used(target, names_read_by(assignment)):
            later_statements = [replaced[-1], *later_statements]

    for later in later_statements:
        if later in reported:
            continue
        name = _find_connecting_name(body, assignment, later)
        if name and not _is_undefined_above(body, assignment, name):
            return _Dependency(later, name)
    return None


def _find_connecting_name(
    body: MethodMerge, assignment: Statement, later: Statement
) -> str:
    """Return the name because of which an assignment should run after another statement.

    For the child's assignment `self.total = 2 * self.size`, there are two cases:

    - The other statement sets what the assignment reads or sets, as `self.size = 8` and
      `self.total += 1` do.
    - The other statement reads what the assignment sets, as `self.half = self.total / 2`
      does, and is the child's. A parent's statement is left to `MovedAssignment`.

    Args:
        body: The method.
        assignment: The assignment of the child.
        later: The other statement.

    Returns:
        Empty if there is no such name.
    """
    set_names = names_bound_by(assignment)
    set_by_later = names_bound_by(later)
    # Most pairs of statements share no word, and are not parsed.
    if not may_use(assignment, set_by_later) and not may_use(later, set_names):
        return ""
    name = first_shared(set_by_later, names_read_by(assignment) | set_names)
    if not name and not body.is_of_parent(later):
        name = first_shared(set_names, names_read_by(later))
    return name


def _assigns_itself(statement: Statement, target: str) -> bool:
    """Whether a statement is `self.x = self.x` for the target `self.x`."""
    # Parsing is slow, so only code that contains the target twice is parsed.
    if statement.bare_code.mask.count(target) < 2:
        return False
    value = assigned_value(statement)
    return value is not None and normalized_text(value) == target


def _is_undefined_above(body: MethodMerge, statement: Statement, name: str) -> bool:
    """Whether a name is a variable that nothing sets above a statement.

    Then the generated code fails with `NameError`, which `UndefinedName` reports.
    """
    if "." in name or name in body.override.parameter_names:
        return False
    position = body.index_in_generated(statement)
    for earlier in (*body.statements_above_call, *body.generated_statements[:position]):
        if name in names_bound_by(earlier):
            return False
    return True
