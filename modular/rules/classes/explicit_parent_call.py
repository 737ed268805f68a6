"""Explicit parent calls: `Base.method(self, ...)` stays a call and is not unravelled.

Where `Base` is one of the bases of the flattened class, the call becomes `super().method(...)`, with or without `self` as
its first argument. `nn.Module` may be named too where `GradientCheckpointingLayer` is a base, and `PreTrainedModel` where
a base has that word in its name. Calls of other classes stay. So do those in statements that are merged into a parent's
body, after an unravelled call.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config):
        nn.Module.__init__(self)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
```
"""

import re
from collections.abc import Container
from functools import lru_cache

import libcst as cst

from modular.rules.classes.bases import CHECKPOINTING_LAYER, PLAIN_MODULE
from modular.source.blocks import Statement
from modular.source.code import Code, spaced
from modular.source.trees import dotted_name, rewritten


_PRETRAINED = "PreTrainedModel"
_SUPER = cst.Call(func=cst.Name("super"))


def replace_parent_calls(statement: Statement, bases: tuple[str, ...]) -> Code:
    """Return the code of a statement in which explicit calls of one of the bases are calls of ``super()``."""
    callers = _callers(bases)
    mask = statement.code.mask
    if any(caller.rpartition(".")[2] in mask for caller in callers) and _mention(callers).search(mask):
        return rewritten(statement, _Calls(callers))
    return statement.code


@lru_cache(maxsize=64)
def _callers(bases: tuple[str, ...]) -> frozenset[str]:
    """The classes by whose names a class with these bases may call its own methods."""
    callers = set(bases)
    if CHECKPOINTING_LAYER in bases:
        callers.add(PLAIN_MODULE)
    if any(_PRETRAINED in base for base in bases):
        callers.add(_PRETRAINED)
    return frozenset(callers)


@lru_cache(maxsize=64)
def _mention(names: frozenset[str]) -> re.Pattern[str]:
    """Finds where something of one of these classes may be called."""
    return re.compile(rf"\b(?:{'|'.join(map(spaced, sorted(names)))})[\s)]*\.")


class _Calls(cst.CSTTransformer):
    """Turns calls of the methods of some classes, given by their dotted names, into calls of `super()`.

    Decorators and parameters stay: where they are evaluated, there is no `super()`.
    """

    def __init__(self, callers: Container[str]) -> None:
        super().__init__()
        self._callers = callers

    def visit_Decorator(self, node: cst.Decorator) -> bool:
        return False

    def visit_Param(self, node: cst.Param) -> bool:
        return False

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        match original_node.func:
            case cst.Attribute(value=base, attr=method) if dotted_name(base) in self._callers:
                return _call_of_super(method, updated_node)
        return updated_node


def _call_of_super(method: cst.Name, call: cst.Call) -> cst.Call:
    """The call of a method of `super()` with the arguments of another call, without a `self` in front."""
    arguments = call.args
    match arguments:
        case [cst.Arg(value=cst.Name(value="self"), keyword=None, star=""), *rest]:
            arguments = rest
    blank = call.whitespace_before_args if arguments else cst.SimpleWhitespace("")
    return call.with_changes(
        func=cst.Attribute(_SUPER, method.deep_clone()),
        args=arguments,
        whitespace_after_func=cst.SimpleWhitespace(""),
        whitespace_before_args=blank,
    )
