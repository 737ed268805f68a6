"""`del self.x` below `super().__init__()` removes the parent's assignment to `self.x`.

modular replaces a call such as `super().__init__(config)` with the body of the parent's
`__init__` (see `super-call`). If you do not want one of the assignments in this body,
write a `del` for it below the call. The generated method then contains neither the
assignment nor the `del`.

- **Only an assignment at the top level of the method is removed.** Assignments inside
  an `if` or a loop stay.
- **Write one `del` for each attribute.** `del self.x, self.y` removes only a statement
  that assigns to both, such as `self.x, self.y = 1, 2`. With `inheritance = "python"`,
  `del self.x, self.y` means the same as `del self.x` and `del self.y`.
- **The `del` also changes later methods** of your class in which modular replaces a
  `super()` call: modular also removes their assignments to the attribute.
- **In a method without a call to `super()`,** `del` is an ordinary statement.

modular warns you if the parent does not assign the attribute, because the `del` then
does nothing. It also warns you if the generated class still reads the attribute.

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
    """Return the target text of a `del` statement, or None for other statements.

    For `del self.x, self.y`, this is `self.x,self.y`, as for an assignment to both.
    """
    return ",".join(deleted_targets(statement)) or None


def split_del(statement: Statement) -> list[Statement]:
    """Split `del a, b` into `del a` and `del b`; return any other statement alone."""
    targets = deleted_targets(statement)
    if len(targets) < 2:
        return [statement]
    single_deletions = []
    for target in targets:
        code = statement.with_bare_code(f"del {target}")
        single_deletions.append(replace(statement, code=code))
    return single_deletions
