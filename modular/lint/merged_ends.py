"""Rules about code below an unravelled call that Python never runs, or that undoes an assignment."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from modular.flatten.flattened import Flattened
from modular.lint.merged_bodies import (
    MergedBody,
    merged_bodies,
)
from modular.lint.moved_assignments import methods_of_bases, names_of_calls
from modular.lint.rule import LintRule
from modular.lint.statement_names import names_bound_by, names_read_by
from modular.rules.classes.del_attribute import deleted_target, split_del
from modular.source.blocks import Statement
from modular.source.diagnostics import Problem
from modular.source.trees import statement_tree


_REMOVED_CALL_MESSAGE = (
    "this removes the parent's assignment to `{target}` and the call in it, which sets "
    "`{name}`; in Python the call still runs"
)


class CodeAfterReturn(LintRule):
    """Code below `return super().method()` runs in the generated method.

    Python never runs the statements below a `return`. But modular replaces the call and
    its `return` by the parent's body, and adds the statements below to that body. They
    run unless the parent's body itself ends with a `return`.

    Remove the code, or write it above the call.

    Given `models/vit/modeling_vit.py`:

    ```python
    class ViTPruner:
        def prune(self, heads):
            self.heads = heads
    ```

    Invalid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPruner


    class OlmoPruner(ViTPruner):
        def prune(self, heads):
            return super().prune(heads)
            self.heads = 8
    ```

    Finding:

    ```text
    models/olmo/modular_olmo.py:7:9: Python never runs this statement, but the generated `prune` may run it
    hint: remove it, or write it above the call
    ```

    Valid `models/olmo/modular_olmo.py`:

    ```python
    from ..vit.modeling_vit import ViTPruner


    class OlmoPruner(ViTPruner):
        def prune(self, heads):
            heads = 8
            return super().prune(heads)
    ```
    """

    code = Problem.CODE_AFTER_RETURN
    message = (
        "Python never runs this statement, but the generated `{method}` may run it"
    )
    hint = "remove it, or write it above the call"

    def check_class(self, flat: Flattened) -> None:
        """Report the first statement below `return super().f()`, which the generated method may run.

        In the child, nothing below that `return` runs. But the parent's body replaces the
        line, and the child's statements below it are kept. If the parent's body ends in
        a `return`, and only this statement is below it, that is left to
        `UnreachableAfterSuper`.
        """
        for body in merged_bodies(flat):
            # `below_call` has the child's statements below the call of `super()`.
            if not body.below_call or not _is_return(body.call):
                continue
            first = body.below_call[0]
            # `merged` has the statements of the generated method. Those from below the
            # call come last, except for an assignment that replaces one of the parent.
            kept_child_statements = set(body.merged) & set(body.below_call)
            is_only_addition = kept_child_statements == {first}
            if is_only_addition and body.merged[-1] is first:
                if body.parent_statements and _is_return(body.parent_statements[-1]):
                    continue
            self.report(
                first.bare_code,
                related=body.parent.header,
                method=body.override.name,
            )


def _is_return(statement: Statement) -> bool:
    """Whether a statement is `return`, with or without a value."""
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[*_, cst.Return()]):
            return True
    return False


class IneffectiveDeletion(LintRule):
    """A deleted attribute is still set in the generated method.

    modular replaces a call such as `super().__init__(config)` by the body of the
    parent's method. `del self.x` below the call removes the parent's assignment to
    `self.x`, and is not written itself. Other statements that set the attribute stay.
    They can be in your method, or inside an `if` or a loop. If the parent's assignment
    calls a method that sets another attribute, the generated method lacks that call.

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
        """Report a `del` of an attribute that another statement above it still sets or reads.

        `del self.size` in the child removes the parent's assignment `self.size = 8`. It
        should leave nothing above it that needs the attribute. A `del` that removes
        nothing is left to `UselessDel`. If nothing else sets the attribute, its reads are
        left to `RemovedMemberUsed`. A `del` that removes a call with another effect is
        reported, too.
        """
        for body in merged_bodies(flat):
            for deletion in _find_deletions(body):
                target = deletion.target
                # `flat.deleted` has the `del` statements that removed an assignment.
                removes_something = target in flat.deleted
                if not removes_something:
                    continue
                # A statement that sets the target says more than one that reads it.
                verb = "sets"
                earlier_use = _find_setting(target, deletion.earlier)
                if earlier_use is None and _is_set_elsewhere(flat, body, target):
                    verb = "reads"
                    earlier_use = _find_reading(target, deletion.earlier)
                if earlier_use is None:
                    self._check_removed_call(flat, body, deletion)
                    continue
                self.report(
                    deletion.statement.bare_code,
                    related=earlier_use.bare_code,
                    target=target,
                    verb=verb,
                )

    def _check_removed_call(
        self, flat: Flattened, body: MergedBody, deletion: "_Deletion"
    ) -> None:
        """Report a `del` that removes `self.size = self.measure()` if `measure` sets another attribute.

        In Python, `measure` still runs. In the generated method, the call is gone.
        """
        for removed in body.replaced(deletion.target):
            base_methods = methods_of_bases(self.context, flat.child.name, removed)
            called = names_of_calls(flat, removed, base_methods)
            for name in sorted(called.bound - {deletion.target}):
                if name.startswith("self."):
                    self.report(
                        deletion.statement.bare_code,
                        related=removed.bare_code,
                        message=_REMOVED_CALL_MESSAGE,
                        hint="write `{name} = ...` below the call of `super()`",
                        target=deletion.target,
                        name=name,
                    )
                    return


class _Deletion(NamedTuple):
    """A `del` of a target below an unravelled call.

    Attributes:
        target: The target, such as `self.size`.
        statement: The statement, which may delete other targets, too.
        earlier: The statements of the generated method that Python runs before it, from
            the call on. What the author sets above the call is on purpose.
    """

    target: str
    statement: Statement
    earlier: Sequence[Statement]


def _find_deletions(body: MergedBody) -> Iterator[_Deletion]:
    """Yield the targets that `del` statements below a call of `super()` delete.

    Each comes with the statements that run between the call and the `del`: those of the
    parent, and the child's above the `del`. One of them may set or read the target.
    """
    kept = set(body.merged)
    earlier = list(body.kept_parent_statements)
    for statement in body.below_call:
        # `del self.x, self.y` has two targets.
        for single_deletion in split_del(statement):
            target = deleted_target(single_deletion)
            if target is not None:
                yield _Deletion(target, statement, tuple(earlier))
        # Some statements are not in the generated method, such as a `del` that removed
        # an assignment.
        if statement in kept:
            earlier.append(statement)


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


def _is_set_elsewhere(flat: Flattened, body: MergedBody, target: str) -> bool:
    """Whether another method of a class sets a target."""
    for method in (*flat.inherited.values(), *flat.overriding.values()):
        if method not in (body.override, body.parent):
            if _find_setting(target, method.body.statements) is not None:
                return True
    return False
