"""With `inheritance = "python"`, an assignment may replace the parent's assignment.

If modular replaces a `super()` call with the parent's body (see `inlined-call`), your
statements below the call come after that body. An assignment `self.x = value` can take
the place of the parent's assignment to `self.x` instead, and `del self.x` can remove
it. modular does so only if the result is the same as in Python:

- **The parent's body assigns `self.x` once,** in a statement of its own. Neither body
  mentions `self.x` elsewhere, not even in a string.
- **`self.x` is a plain attribute.** Neither class defines a member `x` or a method such
  as `__setattr__`, and the only base is `nn.Module`, `ABC` or none.
- **The statements between both places** only set variables and plain attributes of
  `self`, also in an `if`.
- **Their values, the old value and the new one only compute something.** They consist
  of constants, variables, attributes, operators, list comprehensions, and calls of
  classes or of functions such as `len`. The new value reads nothing that is set between
  both places.
- **No other code gets `self` itself,** as in `me = self`, and no property is read.

modular assumes that calls to classes, such as `nn.Linear(4, 4)`, only create an object.
Other targets, and assignments with an annotation, always come after the parent's body.

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
from modular.rules.classes.instance_facts import (
    Computation,
    names_in,
)
from modular.rules.classes.merge_record import Fate, Step
from modular.semantics.instances import leaves_object_alone
from modular.semantics.statements import names_bound_by, tree_of
from modular.source.blocks import Statement
from modular.source.python_trees import dotted_name
from modular.source.source_slice import has_word


def add_below_call(
    above: Sequence[Statement],
    inherited: Sequence[Statement],
    below: Sequence[Statement],
    computation: Computation,
) -> list[Step]:
    """Add the child's statements below its call to `super()` to a parent's body.

    This happens in one of three ways:

    - The child's `self.x = 1` takes the place of the parent's assignment to `self.x`, if
      no other statement needs the parent's value.
    - On the same condition, the child's `del self.x` removes the parent's assignment.
    - Any other statement is added at the end.

    Args:
        above: The child's statements above the call.
        inherited: The parent's statements.
        below: The child's statements below the call.
        computation: Decides what code does with the instance.

    Returns:
        The parent's statements and those below the call with their fates, in the order of
        the generated method.
    """
    steps = [Step(statement, Fate.KEPT) for statement in inherited]
    single_statements: list[Statement] = []
    for statement in below:
        single_statements += split_del(statement)

    for statement in single_statements:
        change = _read_change(statement, computation.instance)
        if change is None:
            steps.append(Step(statement, Fate.OWN))
            continue
        index = _find_replaced(change, above, steps, computation)
        if index is None:
            steps.append(Step(statement, Fate.OWN))
            continue
        replaced = steps[index].statement
        if change.is_deletion:
            steps[index] = Step(replaced, Fate.DELETED, statement)
            steps.append(Step(statement, Fate.DROPPED))
        else:
            moved = Step(statement, Fate.MOVED, replaced)
            steps[index : index + 1] = [Step(replaced, Fate.REPLACED, statement), moved]
    return steps


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
    """Return the attribute that a statement sets or deletes, with its new value.

    Args:
        statement: The statement, such as `self.x = 1` or `del self.x`.
        instance: The variable of the instance, mostly `self`.

    Returns:
        None for other statements.
    """
    if statement.is_compound:
        return None
    new_value: ast.expr | None = None
    match tree_of(statement):
        case ast.Assign(targets=[target], value=value):
            new_value = value
        case ast.Delete(targets=[target]):
            # A deletion has no new value.
            pass
        case _:
            return None
    match target:
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == instance:
            return _Change(name, new_value)
    return None


def _find_replaced(
    change: _Change,
    above: Sequence[Statement],
    steps: Sequence[Step],
    computation: Computation,
) -> int | None:
    """Return the index of the parent's assignment that the child's change can replace.

    With the parent's `self.a = 1; self.b = 2` above, `self.a = 3` replaces `self.a = 1`.
    With `self.a = 1; self.b = self.a`, it does not: `self.b` would be 3 instead of 1.

    Args:
        change: The child's assignment or deletion.
        above: The child's statements above the call.
        steps: The statements between the call and the change.
        computation: Decides what code does with the instance.

    Returns:
        The index in `steps`; None if the change must stay where it is.
    """
    index = _find_only_mention(change.attribute, above, steps)
    if index is None or steps[index].fate is not Fate.KEPT:
        return None
    replaced = _read_change(steps[index].statement, computation.instance)
    # `self.b = self.a` only mentions `a`.
    if replaced is None or replaced.attribute != change.attribute:
        return None
    if replaced.value is None or not computation.facts.is_plain(change.attribute):
        return None

    before = [*above, *_generated(steps[:index])]
    between = _generated(steps[index + 1 :])
    trees_before = _read_trees(before)
    trees_between = _read_trees(between)
    if trees_before is None or trees_between is None:
        return None
    # An object that has got `self` may read the attribute when it is used.
    if computation.lets_instance_escape([*before, *between]):
        return None
    # The old value is not computed any longer.
    if not computation.is_value(replaced.value):
        return None
    if not all(map(computation.is_plain_statement, trees_between)):
        return None
    if change.is_deletion:
        can_replace = _leaves_attributes_unset(trees_before, computation)
    else:
        can_replace = _can_move_above(change, replaced, between, computation)
    return index if can_replace else None


def _generated(steps: Sequence[Step]) -> list[Statement]:
    """Return the statements of some steps that are generated."""
    return [step.statement for step in steps if step.fate.is_generated]


def _find_only_mention(
    name: str, above: Sequence[Statement], steps: Sequence[Step]
) -> int | None:
    """Return the index of the only statement that mentions a name.

    Words in strings count, as in `getattr(self, "size")`.

    Args:
        name: The name.
        above: The child's statements above the call to `super()`.
        steps: The statements below it. Those that are not generated do not count.

    Returns:
        The index in `steps`. None if several statements mention the name, or none, or one
        above the call.
    """
    for statement in above:
        if has_word(statement.code.text, name):
            return None
    indexes = []
    for index, step in enumerate(steps):
        if step.fate.is_generated and has_word(step.statement.code.text, name):
            indexes.append(index)
    return indexes[0] if len(indexes) == 1 else None


def _read_trees(statements: Sequence[Statement]) -> list[ast.AST] | None:
    """Return the trees of some statements; None if one of them cannot be read."""
    trees: list[ast.AST] = []
    for statement in statements:
        tree = tree_of(statement)
        if tree is None:
            return None
        trees.append(tree)
    return trees


def _leaves_attributes_unset(
    before: Sequence[ast.AST], computation: Computation
) -> bool:
    """Whether no statement calls a method of the instance that may set an attribute.

    Below a call such as `self.reset()`, `del self.x` may delete an attribute that the
    method has set, so the `del` is needed.
    """
    for tree in before:
        if _is_super_init(tree):
            continue
        if not leaves_object_alone([tree], computation.instance):
            return False
    return True


def _is_super_init(statement: ast.AST) -> bool:
    """Whether a statement is `super().__init__()`, which sets no plain attribute."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name(id="super"), args=[]),
                    attr="__init__",
                ),
                args=[],
                keywords=[],
            )
        ):
            return True
    return False


def _can_move_above(
    change: _Change,
    replaced: _Change,
    between: Sequence[Statement],
    computation: Computation,
) -> bool:
    """Whether a new value is the same in place of the old one, above some statements.

    `2 * self.size` can move above `self.width = 4`, but not above `self.size = 4`.

    Args:
        change: The child's assignment.
        replaced: The parent's assignment.
        between: The statements between both.
        computation: Decides what code does with the instance.
    """
    assert change.value is not None, "a deletion has no value"
    assert replaced.value is not None, "a deletion has no value"
    if not computation.is_value(change.value):
        return False
    # A torch module stores its parts, such as `nn.Linear(4, 4)`, apart from other values.
    # It raises an error if some of them are replaced by a value of another kind.
    if computation.facts.is_torch_module:
        may_be_part = isinstance(change.value, ast.Call)
        may_replace_part = isinstance(replaced.value, ast.Call)
        if may_be_part != may_replace_part or _is_parameter(replaced.value):
            return False
    # `self.size = 2 * self.size` reads the value that it would replace.
    names_set = {change.attribute}
    for statement in between:
        for name in names_bound_by(statement):
            names_set.add(name.rpartition(".")[2])
    return names_set.isdisjoint(names_in(change.value))


def _is_parameter(value: ast.expr) -> bool:
    """Whether a value is a new `nn.Parameter` or `nn.Buffer`."""
    match value:
        case ast.Call(func=function):
            return dotted_name(function).rpartition(".")[2] in ("Parameter", "Buffer")
    return False
