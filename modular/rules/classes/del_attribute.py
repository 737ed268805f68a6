"""Deletion of attributes: `del self.x` after an unravelled call removes the parent's assignment to `self.x`.

It works on assignments that are statements of the parent's method itself, annotated ones too, whatever their values. The
`del` statement disappears; one statement may name several targets. It also acts on the methods that are unravelled later in
the same class: where those assign to the same target, these assignments are removed too.

A `del` of what the parent does not assign is a warning. So is one of what the flattened class still reads: only
the assignment is removed. In a method without an unravelled call, `del` is a statement like any other.

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

from dataclasses import replace

from modular.source.assignments import deleted_targets
from modular.source.blocks import Statement


def deleted_target(statement: Statement) -> str | None:
    """Return what a `del` statement deletes, as written, or None if it is not such a statement."""
    return ", ".join(deleted_targets(statement)) or None


def split_del(statement: Statement) -> list[Statement]:
    """Return a `del` of several targets as one statement for each, any other statement as it is."""
    targets = deleted_targets(statement)
    if len(targets) < 2:
        return [statement]
    return [
        replace(statement, code=statement.with_own(f"del {target}"))
        for target in targets
    ]
