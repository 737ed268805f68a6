"""With `inheritance = "python"`, an assignment may replace the parent's assignment.

Suppose that the parent's `__init__` sets `self.x = 1`, and yours sets `self.x = 2`
below `super().__init__()`. modular replaces the call with the parent's body (see
`inlined-call`), so the generated method would set `self.x` twice. If the value that the
parent assigns is never used, modular writes your assignment in place of the parent's.
In the same way, `del self.x` can remove the parent's assignment. modular replaces or
removes the parent's assignment only if all of these conditions are met, so that the
result is the same as in Python:

- **The parent's body assigns `self.x` once,** in a statement of its own. Neither body
  mentions `self.x` elsewhere, not even in a string.
- **`self.x` is a plain attribute.** Neither class defines a member `x` or a method such
  as `__setattr__`, and the generated class has no other base than `nn.Module` or `ABC`.
- **The statements between the parent's assignment and yours** only set variables and
  plain attributes of `self`, also in an `if`.
- **The values of these statements, the parent's value and your value have no side
  effects.** They consist of constants, variables, attributes, operators, list
  comprehensions, and calls of classes or of functions such as `len`. Your value reads
  nothing that the statements in between set.
- **No other code gets `self` itself,** as in `me = self`, and no property is read.

If one of the conditions is not met, your statement comes after the parent's body, as
you wrote it.

modular assumes that calls to classes, such as `nn.Linear(4, 4)`, only create an object.
Assignments to other targets, and assignments with an annotation, always come after the
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
import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from modular.rules.classes.del_attribute import split_del
from modular.rules.classes.instance_facts import (
    PURE_BUILTINS,
    Computation,
    names_in,
)
from modular.rules.classes.merge_record import Fate, Step
from modular.semantics.instances import leaves_object_alone
from modular.semantics.statements import names_bound_by, tree_of
from modular.source.blocks import Statement
from modular.source.python_trees import dotted_name
from modular.source.source_slice import words


_ABOVE_CALL = -1
"""The slot of the child's statements above its call to `super()`."""


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
        The parent's statements and those below the call in the order of the generated
        method. Each has a fate: it is generated, or left out because it is replaced.
    """
    single_statements: list[Statement] = []
    for statement in below:
        single_statements += split_del(statement)
    changes = [_read_change(item, computation.instance) for item in single_statements]
    if not any(changes):
        # Nothing can be replaced, so the parent's statements need not be read.
        steps = [Step(statement, Fate.KEPT) for statement in inherited]
        return steps + [Step(statement, Fate.OWN) for statement in single_statements]
    body = _MergedBody(above, inherited, computation)
    for statement, change in zip(single_statements, changes, strict=True):
        body.add(statement, change)
    return body.steps


class _Change(NamedTuple):
    """An assignment to an attribute of the instance, or its deletion.

    Attributes:
        attribute: The name of the attribute: `x` for `self.x = 1`.
        value: The assigned value; None for `del self.x`.
    """

    attribute: str
    value: ast.expr | None


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
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=value
        ):
            new_value = value
        case ast.Delete(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)]):
            new_value = None
        case _:
            return None
    return _Change(name, new_value) if owner == instance else None


class _MergedBody:
    """A parent's body to which the child's statements are added, one after the other.

    Each statement of the parent has a slot, and so has each one that is added at the end.
    The slots are numbered from 0. The child's statements above the call share slot -1.
    What the statements do is recorded by slot, because a loop over all of them for each
    added statement would take too long.
    """

    def __init__(
        self,
        above: Sequence[Statement],
        inherited: Sequence[Statement],
        computation: Computation,
    ) -> None:
        """Begin with the parent's statements, all of which are kept."""
        self._computation = computation
        self._slots: list[list[Step]] = []
        # The slots whose generated statements contain each word.
        self._slots_by_word: defaultdict[str, set[int]] = defaultdict(set)
        # The last slot that sets each variable or attribute.
        self._last_slot_binding: dict[str, int] = {}
        # A plain statement only sets variables and plain attributes to values.
        self._last_slot_not_plain = _ABOVE_CALL
        # A call such as `self.reset()` may set any attribute.
        self._first_slot_that_may_set: float = math.inf
        # Whether a statement passes `self` on to other code.
        self._has_unknown_code = False
        for statement in above:
            self._record(statement, _ABOVE_CALL)
        for statement in inherited:
            self._append(Step(statement, Fate.KEPT))

    @property
    def steps(self) -> list[Step]:
        """All statements with their fates, in the order of the generated method."""
        return list(chain.from_iterable(self._slots))

    def add(self, statement: Statement, change: _Change | None) -> None:
        """Add a statement of the child in place of one of the parent, or at the end.

        The child's `self.x = 1` may replace the parent's `self.x = 0`, and `del self.x`
        may remove it.

        Args:
            statement: The statement.
            change: What it assigns or deletes; None for another statement.
        """
        slot = None if change is None else self._find_replaced(change)
        if slot is None:
            self._append(Step(statement, Fate.OWN))
            return
        assert change is not None, "only a change has a slot"
        # So far, the slot has only the parent's statement.
        (parent_step,) = self._slots[slot]
        parent = parent_step.statement
        self._forget(parent, slot, change.attribute)
        if change.value is None:
            self._slots[slot] = [Step(parent, Fate.DELETED, statement)]
            self._slots.append([Step(statement, Fate.DROPPED)])
        else:
            self._slots[slot] = [
                Step(parent, Fate.REPLACED, statement),
                Step(statement, Fate.MOVED, parent),
            ]
            self._record(statement, slot)

    def _forget(self, statement: Statement, slot: int, attribute: str) -> None:
        """Remove what is recorded of a statement that is no longer generated.

        Args:
            statement: An assignment to an attribute of the instance.
            slot: Its slot.
            attribute: The attribute, to which no other statement assigns.
        """
        for word in words(statement.code.text):
            self._slots_by_word[word].discard(slot)
        del self._last_slot_binding[attribute]

    def _append(self, step: Step) -> None:
        """Add a generated statement at the end."""
        self._record(step.statement, slot=len(self._slots))
        self._slots.append([step])

    def _record(self, statement: Statement, slot: int) -> None:
        """Record what the generated statement in a slot mentions, binds and may do.

        A slot is a place in the merged body, numbered from the top.
        """
        # Words in strings count, as in `getattr(self, "size")`.
        for word in words(statement.code.text):
            self._slots_by_word[word].add(slot)
        for target in names_bound_by(statement):
            # `size` for `self.size`
            name = target.rpartition(".")[2]
            last_slot = self._last_slot_binding.get(name, slot)
            self._last_slot_binding[name] = max(last_slot, slot)
        if self._computation.lets_instance_escape([statement]):
            # Code that gets `self` may use any attribute.
            self._has_unknown_code = True
            return
        tree = tree_of(statement)
        assert tree is not None, "facts about unreadable code are tied"
        if not self._computation.is_plain_statement(tree):
            self._last_slot_not_plain = max(self._last_slot_not_plain, slot)
        if _may_set_attributes(tree, self._computation):
            self._first_slot_that_may_set = min(self._first_slot_that_may_set, slot)

    def _find_replaced(self, change: _Change) -> int | None:
        """Return the slot of the parent's assignment that the child's change can replace.

        A slot is a place in the merged body. With the parent's `self.a = 1; self.b = 2`
        above, `self.a = 3` replaces `self.a = 1`. With `self.a = 1; self.b = self.a`,
        it does not: `self.b` would be 3 instead of 1.

        Args:
            change: The child's assignment or deletion.

        Returns:
            The slot; None if the change must stay where it is.
        """
        slots = self._slots_by_word[change.attribute]
        # Another statement with the word may use the parent's value.
        if self._has_unknown_code or len(slots) != 1 or _ABOVE_CALL in slots:
            return None
        (slot,) = slots
        step = self._slots[slot][-1]
        replaced = _read_change(step.statement, self._computation.instance)
        # `self.b = self.a` only mentions `a`.
        if replaced is None or replaced.attribute != change.attribute:
            return None
        is_statement_of_parent = step.fate is Fate.KEPT
        if not is_statement_of_parent or replaced.value is None:
            return None
        # The old value is not computed any longer, so computing it must have no effect.
        if not self._computation.is_value(replaced.value):
            return None
        # Setting an attribute that is not plain may run code that reads the old value.
        if not self._computation.facts.is_plain(change.attribute):
            return None
        # So may a call further below.
        if self._last_slot_not_plain > slot:
            return None
        if change.value is None:
            # With `del self.x`, a method that is called further above must not have set
            # the attribute as well.
            return slot if self._first_slot_that_may_set >= slot else None
        if self._changes_kind(replaced.value, change.value):
            return None
        can_move = self._can_move_above(change.value, change.attribute, slot)
        return slot if can_move else None

    def _can_move_above(self, value: ast.expr, attribute: str, slot: int) -> bool:
        """Whether an attribute gets the same value if a slot further above computes it.

        `2 * self.size` can move above `self.width = 4`, but not above `self.size = 4`.

        Args:
            value: The value.
            attribute: The attribute.
            slot: The slot of the parent's assignment.
        """
        if not self._computation.is_value(value):
            return False
        for name in names_in(value):
            # `self.size = 2 * self.size` reads the value that it would replace.
            if name == attribute:
                return False
            is_set_below_slot = self._last_slot_binding.get(name, slot) > slot
            if is_set_below_slot:
                return False
        return True

    def _changes_kind(self, old_value: ast.expr, new_value: ast.expr) -> bool:
        """Whether a torch module may reject a new value in the place of an old one.

        A torch module stores its parts, such as `nn.Linear(4, 4)` and `nn.Parameter(x)`,
        apart from other values. If a value of another kind replaces some of them, torch
        raises an error. The value of a variable, as in `self.layer = layer`, may be a
        part or not.
        """
        if not self._computation.facts.is_torch_module:
            return False
        both_are_data = _is_data(old_value) and _is_data(new_value)
        both_are_parts = self._is_part(old_value) and self._is_part(new_value)
        return not both_are_data and not both_are_parts

    def _is_part(self, value: ast.expr) -> bool:
        """Whether a value is a new part of a module, which is no parameter or buffer.

        It is assumed of classes of torch, such as `nn.Linear`, and of the generated file.
        """
        match value:
            case ast.Call(func=function):
                owner, _, name = dotted_name(function).rpartition(".")
                is_of_torch = owner in ("nn", "torch.nn")
                is_generated = self._computation.facts.find_class(name) is not None
                is_class = is_of_torch or (is_generated and not owner)
                return is_class and name not in ("Parameter", "Buffer")
        return False


def _may_set_attributes(tree: ast.AST, computation: Computation) -> bool:
    """Whether a statement may call code that sets an attribute of the instance.

    Below a call such as `self.reset()`, `del self.x` may delete an attribute that the
    method has set, so the `del` is needed.
    """
    if _is_super_init(tree):
        return False
    return not leaves_object_alone([tree], computation.instance)


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


def _is_data(value: ast.expr) -> bool:
    """Whether a value is surely no part of a module.

    `config.size` counts as data, although it could be a part in theory.
    """
    match value:
        case ast.Call(func=function):
            return dotted_name(function) in PURE_BUILTINS
        case ast.IfExp(body=first, orelse=second):
            return _is_data(first) and _is_data(second)
        case ast.BoolOp(values=values):
            return all(map(_is_data, values))
        case ast.Name() | ast.Subscript():
            return False
    return True
