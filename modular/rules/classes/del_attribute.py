"""Deletion of attributes: `del self.x` behind an unravelled call removes the parent's assignment to `self.x`.

It works on assignments that are statements of the parent's method itself, annotated ones too, whatever their values. The
`del` statement disappears; one statement may name several targets. It goes on in the methods that are unravelled later in
the same class: where those assign to the same target, these assignments go too.

A `del` of what the parent does not assign is a warning. So is one of what the flattened class still reads: only the
assignment goes. In a method without an unravelled call, `del` is a statement like any other.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.act_fn: nn.Module = nn.SiLU()
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    def __init__(self, config):
        super().__init__(config)
        del self.act_fn
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
```
"""

import re
from dataclasses import replace

from modular.source.blocks import Statement
from modular.source.parts import closing_bracket, split_arguments


_DEL = re.compile(r"\s*del\b\s*")


def deleted_target(statement: Statement) -> str | None:
    """Return what a `del` statement deletes, as written, or None if it is no such statement."""
    targets = _targets(statement)
    return ", ".join(targets) if targets else None


def one_by_one(statement: Statement) -> list[Statement]:
    """Return a `del` of several targets as one statement for each, any other statement as it is."""
    targets = _targets(statement)
    if len(targets) < 2:
        return [statement]
    code, end = statement.code, len(statement.code.mask.rstrip())
    start = statement.start + len(statement.own.text) - len(statement.own.text.lstrip())
    return [replace(statement, code=code.replace([(start, end, f"del {target}")])) for target in targets]


def _targets(statement: Statement) -> list[str]:
    own = statement.own
    found = _DEL.match(own.mask)
    if found is None:
        return []
    start, end = found.end(), len(own.mask.rstrip())
    if own.mask.startswith("(", start) and closing_bracket(own.mask, start) == end - 1:
        start, end = start + 1, end - 1
    return [target for target in split_arguments(own.without_comments()[start:end], own.mask[start:end]) if target]
