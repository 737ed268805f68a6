"""Explicit parent calls: `Base.method(self, ...)` says that the call shall not be unravelled but made.

Where `Base` is one of the bases of the flattened class, the call becomes `super().method(...)`, with or without `self` as
its first argument. `nn.Module` may be named too where `GradientCheckpointingLayer` is a base, and `PreTrainedModel` where
a base has that word in its name. Calls of other classes stay. So do those in statements that are merged into a parent's
body, behind an unravelled call.

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

from modular.rules.classes.bases import CHECKPOINTING_LAYER, PLAIN_MODULE
from modular.source.code import Code


_CALL = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.([^\W\d]\w*)\((?:\s*self\s*(?:,\s*|(?=\))))?")
_PRETRAINED = "PreTrainedModel"


def replace_parent_calls(code: Code, bases: tuple[str, ...]) -> Code:
    """Return code in which explicit calls of one of the bases are calls of ``super()``."""
    callable_bases = set(bases)
    if CHECKPOINTING_LAYER in callable_bases:
        callable_bases.add(PLAIN_MODULE)
    if any(_PRETRAINED in base for base in bases):
        callable_bases.add(_PRETRAINED)
    edits = []
    for match in _CALL.finditer(code.mask):
        if match.group(1) in callable_bases:
            edits.append((match.start(), match.end(), f"super().{match.group(2)}("))
    return code.replace(edits) if edits else code
