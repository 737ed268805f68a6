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
from collections.abc import Iterator
from functools import lru_cache

from modular.rules.classes.bases import CHECKPOINTING_LAYER, PLAIN_MODULE
from modular.source.blocks import Kind, Statement
from modular.source.code import SourceSlice, spaced
from modular.source.parts import view_definition


_PRETRAINED = "PreTrainedModel"


def replace_parent_calls(statement: Statement, bases: tuple[str, ...]) -> SourceSlice:
    """Return the code of a statement in which explicit calls of one of the bases are calls of ``super()``.

    The decorators and the header of a definition stay: where they are evaluated, there is no ``super()``.
    """
    code, callers = statement.code, _callers(bases)
    if not any(caller.rpartition(".")[2] in code.mask for caller in callers):
        return code
    begin = statement.start
    if statement.kind is Kind.FUNCTION:
        begin = statement.opening + len(view_definition(statement).header.text.rstrip())
    calls = (
        call
        for call in _calls_of(callers).finditer(code.mask, begin)
        if not _is_attribute(call)
    )
    edits = [edit for call in calls for edit in _edits(call)]
    return code.replace(edits) if edits else code


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
def _calls_of(callers: frozenset[str]) -> re.Pattern[str]:
    """Finds where a method of one of these classes is called, with a `self` that is the first argument."""
    names = "|".join(map(spaced, sorted(callers)))
    return re.compile(
        rf"\b(?:{names})\s*\.\s*(?P<method>\w+)\s*\(\s*(?P<own>self\s*(?:,\s*|(?=\))))?"
    )


def _is_attribute(call: re.Match[str]) -> bool:
    """Whether a class is named as an attribute of something else."""
    return call.string[: call.start()].rstrip().endswith(".")


def _edits(call: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that make a call one of `super()`, without the `self` in front."""
    opening = call.string.index("(", call.end("method")) + 1
    has_arguments = not call.string.startswith(")", call.end())
    yield (
        call.start(),
        opening if has_arguments else call.end(),
        f"super().{call['method']}(",
    )
    if has_arguments and call["own"]:
        yield *call.span("own"), ""
