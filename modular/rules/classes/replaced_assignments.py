"""With `inheritance = "python"`, an assignment replaces the parent's if it equals it.

This rule is for projects with the setting `inheritance = "python"`. If the parent's
body takes the place of a call of `super()` (see `inlined-call`), the statements below
the call follow it. An assignment `self.x = value` among them is written in place of the
parent's assignment to `self.x`, and `del self.x` removes that assignment, if nothing
can tell the difference:

- **The parent's body assigns `self.x` once,** in a statement of its own, and mentions
  it nowhere else.
- **No statement between both places** mentions `x` as an attribute or a string, calls a
  method of `self`, passes `self` on, or returns.
- **The new value needs nothing that these statements set,** and calls no method of
  `self`.
- **The dropped value calls no method of `self`,** and does not pass it on.

So modular takes for granted that other calls, such as `nn.Linear(4, 4)`, only compute a
value: the call in the parent's assignment is not made, and the other one is made
earlier. An assignment to anything else, and one with an annotation, follows the
parent's body.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.size = config.size
        self.up_proj = nn.Linear(self.size, self.size)
        self.down_proj = nn.Linear(self.size, self.size)
        self.act_fn = nn.SiLU()
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        self.size = 8
        self.act_fn = nn.ReLU()
        del self.down_proj
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.size = config.size
        self.up_proj = nn.Linear(self.size, self.size)
        self.act_fn = nn.ReLU()
        self.size = 8
```
"""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from modular.rules.classes.del_attribute import split_del
from modular.source.blocks import Statement
from modular.source.source_slice import has_word
from modular.source.statement_effects import (
    effects_of_expression,
    leaves_object_alone,
    tree_of,
)


def add_below_call(
    inherited: Sequence[Statement], below: Sequence[Statement], instance: str
) -> list[Statement]:
    """Add the child's statements that follow its call of `super()` to a parent's body.

    - The child's `self.x = 1` takes the place of the parent's assignment to `self.x`, if
      no other statement needs the parent's value.
    - On the same condition, the child's `del self.x` removes the parent's assignment.
    - Any other statement is added at the end.

    Args:
        inherited: The parent's statements.
        below: The child's statements.
        instance: The variable of the instance: `self`.
    """
    merged = list(inherited)
    from_parent = set(inherited)
    single_statements: list[Statement] = []
    for statement in below:
        single_statements += split_del(statement)

    for statement in single_statements:
        change = _read_change(statement, instance)
        index = None
        if change is not None:
            index = _find_replaced(change, merged, from_parent, instance)
        if change is None or index is None:
            merged.append(statement)
        elif change.is_deletion:
            del merged[index]
        else:
            merged[index] = statement
    return merged


class _Change(NamedTuple):
    """An assignment to an attribute of the instance, or its deletion.

    Attributes:
        attribute: The name of the attribute: `x` for `self.x = 1`.
        value: The assigned value; None for `del self.x`.
    """

    attribute: str
    value: ast.expr | None

    @property
    def is_deletion(self) -> bool:
        """Whether it is `del self.x`."""
        return self.value is None


def _read_change(statement: Statement, instance: str) -> _Change | None:
    """Read `self.x = value` or `del self.x`; return None for other statements."""
    if statement.is_compound:
        return None
    new_value: ast.expr | None = None
    match tree_of(statement):
        case ast.Assign(targets=[target], value=value):
            new_value = value
        case ast.Delete(targets=[target]):
            pass
        case _:
            return None
    match target:
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == instance:
            return _Change(name, new_value)
    return None


def _find_replaced(
    change: _Change,
    merged: Sequence[Statement],
    from_parent: set[Statement],
    instance: str,
) -> int | None:
    """Return the index of the parent's assignment that a change can replace, or None.

    With the parent's `self.a = 1; self.b = 2` above, `self.a = 3` replaces `self.a = 1`.
    With `self.a = 1; self.b = self.a`, it does not: `self.b` would be 3 instead of 1.

    Args:
        change: The child's assignment or deletion.
        merged: The statements above the change.
        from_parent: The parent's statements.
        instance: The variable of the instance, such as `self`.
    """
    index = _find_only_mention(change.attribute, merged)
    if index is None or merged[index] not in from_parent:
        return None
    replaced = _read_change(merged[index], instance)
    if replaced is None or replaced.value is None:
        return None
    # `self.b = self.a` only mentions `a`, and `self.a = 2 * self.a` reads its old value.
    sets_attribute = replaced.attribute == change.attribute
    read_attributes = effects_of_expression(replaced.value).attributes
    if not sets_attribute or change.attribute in read_attributes:
        return None

    between = []
    for statement in merged[index + 1 :]:
        tree = tree_of(statement)
        if tree is None:
            return None
        between.append(tree)
    # The old value would not be computed any longer, and the new one would be computed
    # above the statements between.
    changed_code = [replaced.value, *between]
    if change.value is not None:
        if not _can_move_above(change.value, between, instance):
            return None
        changed_code.append(change.value)
    # A method, such as `self.reset()`, may read the attribute.
    if not leaves_object_alone(changed_code, instance):
        return None
    # A change below a `return` does not always run.
    return None if _may_return(between) else index


def _find_only_mention(name: str, statements: Sequence[Statement]) -> int | None:
    """Return the index of the only statement with a word, or None.

    Words in strings count, as in `getattr(self, "size")`.
    """
    mentions = []
    for index, statement in enumerate(statements):
        if has_word(statement.code.text, name):
            mentions.append(index)
    return mentions[0] if len(mentions) == 1 else None


def _may_return(trees: Sequence[ast.AST]) -> bool:
    """Whether one of some statements can leave the method."""
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await):
                return True
    return False


def _can_move_above(
    value: ast.expr, statements: Sequence[ast.AST], instance: str
) -> bool:
    """Whether a value stays the same if it is computed above some statements.

    `2 * self.size` can move above `self.width = 4`, but not above `self.size = 4`.

    Args:
        value: The value, which is below the statements.
        statements: The statements.
        instance: The variable of the instance, such as `self`.
    """
    value_effects = effects_of_expression(value)
    # A value that sets a variable or contains a function may depend on anything.
    if value_effects.bound or value_effects.has_scope or value_effects.is_opaque:
        return False
    for statement in statements:
        for node in ast.walk(statement):
            if _changes(node, value_effects.used, value_effects.attributes, instance):
                return False
    return True


def _changes(
    node: ast.AST, variables: set[str], attributes: set[str], instance: str
) -> bool:
    """Whether a node of a statement may change the value of an expression.

    For the value `n * self.size`, such nodes are:

    - `n = 4` and `def n(): ...`
    - `self.size = 4`
    - `self.size[0] = 4` and `self.size.append(4)`; other calls, such as
      `nn.Linear(4, 4)`, are taken to change nothing
    - `import n`, `except Error as n`, `case n` and `global n`

    Args:
        node: The node.
        variables: The variables in the expression: `n` and `self`.
        attributes: The attributes in it: `size`.
        instance: The variable of the instance: `self`.
    """
    match node:
        case (
            ast.Name(id=name, ctx=ast.Store() | ast.Del())
            | ast.FunctionDef(name=name)
            | ast.AsyncFunctionDef(name=name)
        ):
            return name in variables
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
            return name in attributes
        case (
            ast.Subscript(ctx=ast.Store() | ast.Del(), value=owner)
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=owner)))
        ):
            # `self.table.append(1)` changes `self.table`, but not `self.size`, although
            # both contain `self`.
            return _reads_any(owner, variables - {instance}, attributes)
        case ast.alias() | ast.ExceptHandler() | ast.MatchAs() | ast.Global():
            # These count as a change whatever name they set, which is safe and simpler.
            return True
    return False


def _reads_any(expression: ast.expr, variables: set[str], attributes: set[str]) -> bool:
    """Whether an expression reads one of some variables or attributes."""
    for node in ast.walk(expression):
        match node:
            case ast.Name(id=name) if name in variables:
                return True
            case ast.Attribute(attr=name) if name in attributes:
                return True
    return False
