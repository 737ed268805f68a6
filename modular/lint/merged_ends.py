"""Rules about code below an unravelled call that Python never runs, or that undoes an assignment."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    bodies_continued_below_call,
)
from modular.lint.moved_assignments import (
    find_callable_base_methods,
    names_in_called_methods,
)
from modular.lint.rule import LintRule
from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.statements import names_bound_by, names_read_by
from modular.source.assignments import deleted_targets
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem


_REMOVED_CALL_MESSAGE = (
    "this removes the parent's assignment to `{target}` and the call in it, which sets "
    "`{name}`; in Python the call still runs"
)


class IneffectiveDeletion(LintRule):
    """A deleted attribute is still set in the generated method.

    The attribute that you delete is still there when the generated method returns.
    modular replaces a call such as `super().__init__(config)` by the body of the
    parent's method. `del self.x` below the call removes the parent's assignment to
    `self.x`, but no other statements that set the attribute. They can be in your
    method, or inside an `if` or a loop. Also, if the parent's assignment calls a method
    that sets another attribute, the generated method lacks that call.

    Remove these statements. Or replace the call of `super()` by a copy of the parent's
    body, and change the copy.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTPruner:
        def __init__(self, config):
            self.heads = config.heads
            if config.is_small:
                self.heads = 1
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPruner


    class OlmoPruner(ViTPruner):
        def __init__(self, config):
            super().__init__(config)
            del self.heads
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this removes only the parent's assignment to `self.heads`: another statement of the generated method still sets it
    hint: copy the code of the parent's method, without that statement
    ```

    Given `models/clip/modeling_clip.py`:

    ```python
    class CLIPLayer:
        def __init__(self, config):
            self.size = self.measure(config)

        def measure(self, config):
            self.width = config.width
            return config.width
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..clip.modeling_clip import CLIPLayer


    class OlmoLayer(CLIPLayer):
        def __init__(self, config):
            super().__init__(config)
            del self.size
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: this removes the parent's assignment to `self.size` and the call in it, which sets `self.width`; in Python the call still runs
    hint: write `self.width = ...` below the call of `super()`
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPruner


    class OlmoPruner(ViTPruner):
        def __init__(self, config):
            self.config = config
    ```
    """

    code = Problem.INEFFECTIVE_DELETION
    message = (
        "this removes only the parent's assignment to `{target}`: another statement of "
        "the generated method still {verb} it"
    )
    hint = "copy the code of the parent's method, without that statement"

    def check_class(self, flat: Flattened) -> None:
        """Report a `del` after which the generated method differs from the one in Python.

        `del self.size` below a call of `super()` removes the parent's assignment to
        `self.size`. There are two cases:

        - Another statement above the `del` still sets or reads `self.size`.
        - The assignment is `self.size = self.measure()`, and `measure` sets `self.width`.
          Nothing sets `self.width` if the assignment is removed.
        """
        for body in bodies_continued_below_call(flat):
            for deletion in _find_deletions(body):
                # A `del` that has removed no assignment is left to `UselessDel`.
                if deletion.target not in flat.deleted:
                    continue
                remaining_use = _find_remaining_use(flat, body, deletion)
                if remaining_use is None:
                    self._check_removed_call(flat, body, deletion)
                else:
                    self.report(
                        deletion.statement.bare_code,
                        related=remaining_use.statement.bare_code,
                        target=deletion.target,
                        verb=remaining_use.verb,
                    )

    def _check_removed_call(
        self, flat: Flattened, body: MethodMerge, deletion: "_Deletion"
    ) -> None:
        """Report a `del` that also removes the call of a method that sets another attribute.

        `del self.size` removes the parent's `self.size = self.measure()`. If `measure`
        sets `self.width`, nothing does so in the generated method.
        """
        for assignment in body.find_replaced_assignments(deletion.target):
            base_methods = find_callable_base_methods(
                self.context, flat.child.name, assignment
            )
            called_methods = names_in_called_methods(flat, assignment, base_methods)
            lost_attributes = set()
            for name in called_methods.bound_names - {deletion.target}:
                if name.startswith("self."):
                    lost_attributes.add(name)
            if lost_attributes:
                self.report(
                    deletion.statement.bare_code,
                    related=assignment.bare_code,
                    message=_REMOVED_CALL_MESSAGE,
                    hint="write `{name} = ...` below the call of `super()`",
                    target=deletion.target,
                    name=min(lost_attributes),
                )
                return


class _Deletion(NamedTuple):
    """A `del` of a target below an unravelled call.

    Attributes:
        target: One target, such as `self.size`.
        statement: The statement, which may delete other targets, too.
        earlier: The statements of the generated method that Python runs before it, from
            the call on. What the author sets above the call is on purpose.
    """

    target: str
    statement: Statement
    earlier: Sequence[Statement]


def _find_deletions(body: MethodMerge) -> Iterator[_Deletion]:
    """Yield each target of the `del` statements below a call of `super()`.

    With `del self.x, self.y` below the call, this yields `self.x` and `self.y`. Each comes
    with the statements of the generated method that Python runs before the `del`.
    """
    generated_statements = set(body.generated_statements)
    # The parent's body replaces the call, so it runs before the first `del`.
    earlier = list(body.kept_parent_statements)
    for statement in body.statements_below_call:
        for target in deleted_targets(statement):
            yield _Deletion(target, statement, tuple(earlier))
        # Some statements are not generated, so they do not run. A `del self.x` that has
        # removed the parent's `self.x = 1` is one of them.
        if statement in generated_statements:
            earlier.append(statement)


class _RemainingUse(NamedTuple):
    """A statement that uses a deleted attribute.

    Attributes:
        verb: What it does to the attribute: `sets` or `reads`.
        statement: The statement.
    """

    verb: str
    statement: Statement


def _find_remaining_use(
    flat: Flattened, body: MethodMerge, deletion: _Deletion
) -> _RemainingUse | None:
    """Return the statement above a `del` that still sets or reads the deleted attribute.

    One that sets it is preferred. If nothing in the class sets it, its reads do not
    count, because `RemovedMemberUsed` reports them.
    """
    setting = _find_setting(deletion.target, deletion.earlier)
    if setting is not None:
        return _RemainingUse("sets", setting)
    # Few statements read it, and asking all methods of the class is slow.
    reading = _find_reading(deletion.target, deletion.earlier)
    if reading is not None and _is_set_elsewhere(flat, body, deletion.target):
        return _RemainingUse("reads", reading)
    return None


def _find_setting(target: str, statements: Sequence[Statement]) -> Statement | None:
    """Return the first statement that sets a target such as `self.size`; None without any."""
    name = target.rpartition(".")[2]
    for statement in statements:
        # `del self.size` binds the name, too, but does not set it.
        if name in statement.words and deleted_target(statement) is None:
            if target in names_bound_by(statement):
                return statement
    return None


def _find_reading(target: str, statements: Sequence[Statement]) -> Statement | None:
    """Return the first statement that reads a target such as `self.size`; None without any."""
    name = target.rpartition(".")[2]
    for statement in statements:
        if name in statement.words and target in names_read_by(statement):
            return statement
    return None


def _is_set_elsewhere(flat: Flattened, body: MethodMerge, target: str) -> bool:
    """Whether another method of a class sets a target."""
    for method in (*flat.inherited.values(), *flat.overriding.values()):
        if method not in (body.override, body.parent):
            if _find_setting(target, method.body.statements) is not None:
                return True
    return False
