"""Unravelling: `super().method(...)` is replaced by the parent's body, into which the modular's statements are merged.

The first statement of an override's body that is exactly a call of `super().<the same name>(...)`, or the return of one,
is replaced by the body of the parent's method; its arguments do not matter. What is before it stays before it. What
follows it is merged into the parent's body:

- `target = value` replaces the parent's assignment to the same target where that appears; an annotated one is not
  replaced.
- `del target` removes the parent's assignment: see `del-attribute`.
- A statement that the body has already is not repeated, whatever its blanks, its line ends and the comments above, beside and
  inside it.
- All others come after the parent's last.

Such assignments and deletions also work in the methods that are unravelled later in the same class.

In the result, `super().__init__()` comes first and `self.post_init()` last: see `init-order`. Without such a call the
modular's body is the body. A call of another method of `super()`, or one inside a larger statement, is left as it is. A
call that is to be unravelled where the parent has no such method is an error.

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

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from modular.rules.classes.del_attribute import deleted_target, split_del
from modular.rules.classes.init_order import move_post_init_last
from modular.source.assignments import assigned_target, mark
from modular.source.blocks import Statement
from modular.source.reads import method_of_super
from modular.source.trees import statement_tree


def is_super_call(statement: Statement, method: str) -> bool:
    """Whether a statement is exactly a call of the parent's method of that name, or the return of one."""
    if "super" not in statement.code.mask or statement.is_compound:
        return False
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[
                cst.Expr(value=cst.Call(func=called))
                | cst.Return(value=cst.Call(func=called))
            ]
        ):
            return method_of_super(called) == method
    return False


def find_super_call(body: Sequence[Statement], method: str) -> int | None:
    """Return the place of the first statement that is to be unravelled."""
    return next(
        (
            index
            for index, statement in enumerate(body)
            if is_super_call(statement, method)
        ),
        None,
    )


@dataclass(eq=False)
class BodyMerger:
    """Merges bodies into those of one parent class, method after method.

    An assignment or `del` after an unravelled call also acts on the bodies that are unravelled later in the same class.
    """

    replacing: dict[str, Statement] = field(default_factory=dict)
    deleting: dict[str, Statement] = field(default_factory=dict)
    applied_deletions: dict[str, Statement] = field(default_factory=dict)

    def merge(
        self, parent: Sequence[Statement], following: Sequence[Statement]
    ) -> list[Statement]:
        """Merge what follows the call into the parent's body and return it. Neither holds a docstring.

        `del` statements that found something to delete are added to ``applied_deletions`` by their targets.
        """
        following = [
            single for statement in following for single in split_del(statement)
        ]
        self._collect(following)
        body, deleted = self._merge_into(parent)
        self.applied_deletions.update(
            (target, self.deleting[target]) for target in sorted(deleted)
        )
        return move_post_init_last(
            _with_new(
                body, [single for single in following if deleted_target(single) is None]
            )
        )

    def _collect(self, following: Sequence[Statement]) -> None:
        for statement in following:
            if (deleted := deleted_target(statement)) is not None:
                self.deleting[deleted] = statement
            elif "=" in statement.code.mask:
                target = assigned_target(statement)
                if target is not None and not target.annotated:
                    self.replacing[target.text] = statement

    def _merge_into(
        self, parent: Sequence[Statement]
    ) -> tuple[list[Statement], set[str]]:
        body, deleted = [], set()
        marks = {mark(target) for target in (*self.replacing, *self.deleting)}
        for statement in parent:
            is_marked = any(word in statement.own.text for word in marks)
            target = assigned_target(statement) if is_marked else None
            if target is not None and target.text in self.deleting:
                deleted.add(target.text)
            elif (
                target is not None
                and not target.annotated
                and target.text in self.replacing
            ):
                body.append(self.replacing[target.text])
            else:
                body.append(statement)
        return body, deleted


def _with_new(body: list[Statement], following: Sequence[Statement]) -> list[Statement]:
    """Return a body followed by those statements that it does not have yet, whatever comments are beside or inside them."""
    marks = {mark(statement.own.mask) for statement in following}
    alike = (
        statement
        for statement in body
        if any(word in statement.own.text for word in marks)
    )
    present = {statement.own.normal() for statement in alike}
    for statement in following:
        if (written := statement.own.normal()) not in present:
            present.add(written)
            body.append(statement)
    return body
