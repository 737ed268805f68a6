"""A call to `super().method(...)` is replaced with the body of the parent's method.

The generated class does not inherit from the parent class, so it cannot call the
parent's method. In your override of `method`, modular writes the body of the parent's
`method` in place of the call. This is called *unravelling*. The call must be a
statement of its own, `super().method(...)` or `return super().method(...)`. modular
replaces only the first such call in the method, and ignores its arguments: the parent's
body reads the parameters of your method.

Your statements above the call stay above the parent's body. Your statements below the
call are merged into it:

- **`target = value` replaces the parent's assignment** to the same target, in its
  place: `self.size = 8` replaces `self.size = config.size`.
- **An assignment with an annotation,** such as `self.x: int = 1`, does not replace the
  parent's assignment. It comes after the parent's last statement. If the parent's
  assignment has an annotation, modular does not replace it, either.
- **`del target` removes the parent's assignment** (see `del-attribute`).
- **A statement that the parent's body already contains** is not repeated. modular
  ignores comments, blanks and line breaks in this comparison.
- **Any other statement** comes after the parent's last statement.

In the merged body, `super().__init__()` comes first and `self.post_init()` last (see
`init-order`). If modular also replaces a `super()` call in a later method of the class,
your assignments and deletions change the statements of that method, too.

All other `super()` calls stay as they are: a call to another method, such as
`super().reset()` in `forward`, and a call inside a larger statement, such as
`x = super().forward(x) + 1`. If the parent class does not have the method that a call
should be replaced with, modular reports an error ([MOD303](../rules/MOD303.md)).

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.size = config.size
        self.up_proj = nn.Linear(self.size, 4 * self.size)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        x = self.up_proj(x)
        return self.act_fn(x)
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config, bias=True):
        super().__init__(config)
        self.size = config.size
        self.up_proj = nn.Linear(self.size, self.size, bias=bias)
        self.norm = nn.LayerNorm(self.size)

    def forward(self, x):
        x = self.norm(x)
        return super().forward(x)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config, bias=True):
        super().__init__()
        self.size = config.size
        self.up_proj = nn.Linear(self.size, self.size, bias=bias)
        self.act_fn = nn.SiLU()
        self.norm = nn.LayerNorm(self.size)

    def forward(self, x):
        x = self.norm(x)
        x = self.up_proj(x)
        return self.act_fn(x)
```
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from modular.rules.classes.del_attribute import deleted_target
from modular.rules.classes.init_order import move_post_init_last
from modular.rules.classes.merge_record import Fate, Step
from modular.semantics.facts import SuperForm, SuperUse, Usage, When
from modular.semantics.statements import facts_of
from modular.source.assignments import (
    Target,
    assigned_target,
    longest_word,
    target_words,
)
from modular.source.blocks import Statement


def is_super_call(statement: Statement, method: str) -> bool:
    """Whether a statement is `super().method(...)` or `return super().method(...)`."""
    use = read_super_call(statement, method)
    return use is not None and use.result in (Usage.IGNORED, Usage.RETURNED)


def read_super_call(statement: Statement, method: str) -> SuperUse | None:
    """Return the call to `super().method` that a statement always makes.

    Returns:
        The call. None for other statements, and for `x and super().method()`, which does
        not always make the call.
    """
    # Parsing is slow, so only code with this word is parsed.
    if "super" not in statement.code.masked_text or statement.is_compound:
        return None
    for use in facts_of(statement).super_uses:
        is_call = use.form is SuperForm.CALL and use.method == method
        is_always_made = use.when is When.NOW and not use.is_conditional
        if is_call and is_always_made:
            return use
    return None


def find_super_call(body: Sequence[Statement], method: str) -> int | None:
    """Return the index of the first statement that only calls `super().method(...)`.

    Returns:
        The index; None if the body has no such statement.
    """
    for index, statement in enumerate(body):
        if is_super_call(statement, method):
            return index
    return None


@dataclass(eq=False)
class BodyMerger:
    """Merges the overrides of one class into the bodies of the parent's methods.

    Assignments and deletions also apply to methods that are merged later.

    Attributes:
        assignment_by_target: The last assignment to each target, such as `self.x`, after
            an unravelled call.
        deletion_by_target: The last `del` statement of each target after such a call.
    """

    assignment_by_target: dict[str, Statement] = field(default_factory=dict)
    deletion_by_target: dict[str, Statement] = field(default_factory=dict)
    # A word of each target. A statement of the parent without any of them assigns to no
    # target, so it is not parsed.
    _words: set[str] = field(default_factory=set, init=False)

    def merge(
        self, parent_body: Sequence[Statement], following: Sequence[Statement]
    ) -> list[Step]:
        """Merge the child's statements below a call to `super()` into the parent's body.

        `self.x = 1` below the call replaces the parent's assignment to `self.x`, and
        `del self.x` removes the assignment. Both also apply to the methods that are merged
        later. Other statements are added at the end.

        Args:
            parent_body: The body of the parent's method without its docstring.
            following: The child's statements below the call.

        Returns:
            The statements of both in the order of the generated method. Each has a
            fate: it is generated, or left out because it is replaced, deleted or
            repeated.
        """
        deletions = []
        new_statements = []
        for statement in following:
            target_to_delete = deleted_target(statement)
            if target_to_delete is None:
                new_statements.append(statement)
                self._record_assignment(statement)
            else:
                self.deletion_by_target[target_to_delete] = statement
                self._words.add(longest_word(target_to_delete))
                deletions.append(Step(statement, Fate.DROPPED))

        steps = self._replace_and_delete(parent_body)
        steps = _add_missing(steps, new_statements)
        return move_post_init_last([*steps, *deletions])

    def _record_assignment(self, statement: Statement) -> None:
        """Let a statement replace the parent's assignment to the same target, if it is one.

        `self.x: int = 1` is new code and replaces nothing.
        """
        # Parsing is slow, so only statements that can be assignments are parsed.
        if "=" not in statement.code.masked_text:
            return
        target = assigned_target(statement)
        if target is not None and not target.annotated:
            self.assignment_by_target[target.text] = statement
            self._words.add(longest_word(target.text))

    def _replace_and_delete(self, parent_body: Iterable[Statement]) -> list[Step]:
        """Apply the child's deletions and assignments to the body of a parent's method.

        These are the statements that `merge` has found below calls to `super()`, in this
        method or an earlier one. `del self.x` removes the parent's `self.x = 4`, and
        `self.x = 8` replaces it. If the child has both, the parent's statement is removed.

        Returns:
            The parent's statements with their fates. Below each replaced one is the child's
            statement that takes its place.
        """
        steps = []
        for statement in parent_body:
            target = _read_target(statement, self._words)
            if target is not None and target.text in self.deletion_by_target:
                deletion = self.deletion_by_target[target.text]
                steps.append(Step(statement, Fate.DELETED, deletion))
                continue
            # `self.x: int = 1` can be deleted, but is not replaced by `self.x = 2`.
            replacement = None
            if target is not None and not target.annotated:
                replacement = self.assignment_by_target.get(target.text)
            if replacement is None:
                steps.append(Step(statement, Fate.KEPT))
            else:
                steps.append(Step(statement, Fate.REPLACED, cause=replacement))
                steps.append(Step(replacement, Fate.MOVED, cause=statement))
        return steps


def _read_target(statement: Statement, words: AbstractSet[str]) -> Target | None:
    """Return the target of an assignment if it may be a wanted target, or None.

    Parsing is slow, so a statement is only parsed if its code has one of some words.

    Args:
        statement: The statement.
        words: A word of each wanted target: `up_proj` for `self.up_proj`, and an empty
            string for a target without words, such as `[]`.
    """
    if "=" not in statement.code.masked_text:
        return None
    # The masked text does not have the `x` of `self.table["x"]`.
    words_in_text = target_words(statement.bare_code.text)
    if words.isdisjoint(["", *words_in_text]):
        return None
    return assigned_target(statement)


def _add_missing(steps: list[Step], added: list[Statement]) -> list[Step]:
    """Return the steps of a merged body, with the child's statements added at the end.

    A statement that the body already contains is recorded as repeated, and not generated
    twice. Statements are equal if only comments, blanks and line breaks differ.

    Args:
        steps: The statements of the merged body, each with its fate. A replaced
            statement, for example, is not generated.
        added: The statements of the child.
    """
    # The first generated statement with each code.
    statement_by_code: dict[str, Statement] = {}
    # The statements of the child that have replaced one of the parent.
    moved = set()
    # Normalizing code is slow, so only code of the same shape is compared.
    added_shapes = {statement.bare_code.shape() for statement in added}
    for step in steps:
        if step.fate.is_generated and step.statement.bare_code.shape() in added_shapes:
            code = step.statement.bare_code.normalized()
            statement_by_code.setdefault(code, step.statement)
        if step.fate is Fate.MOVED:
            moved.add(step.statement)

    extended_steps = list(steps)
    for statement in added:
        code = statement.bare_code.normalized()
        equal_statement = statement_by_code.setdefault(code, statement)
        if statement in moved:
            continue
        if equal_statement is statement:
            extended_steps.append(Step(statement, Fate.OWN))
        else:
            extended_steps.append(Step(statement, Fate.REPEATED, equal_statement))
    return extended_steps
