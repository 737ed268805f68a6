"""In a merged method, `super().__init__()` comes first and `self.post_init()` last.

If you call `super().__init__(config)` in an override, modular replaces the call with the
body of the parent's method (see `super-call`). Two statements of the result then move:

- **The first statement that calls `self.post_init`** moves to the end of the body.
- **The first statement that contains `super().__init__`** moves to the front, below the
  docstring. If the parent's body runs something else first, it stays where it is.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from ...modeling_utils import PreTrainedModel


class LlamaModel(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.norm = nn.LayerNorm(config.hidden_size)
        self.post_init()
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaModel


class MyModel(LlamaModel):
    def __init__(self, config):
        size = config.hidden_size
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, size)
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ...modeling_utils import PreTrainedModel


class MyModel(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        size = config.hidden_size
        self.norm = nn.LayerNorm(config.hidden_size)
        self.embed = nn.Embedding(config.vocab_size, size)
        self.post_init()
```
"""

import re
from collections.abc import Sequence

from modular.rules.classes.merge_record import Step
from modular.source.blocks import Statement


_POST_INIT = re.compile(r"(?<![\w.])self\s*\.\s*post_init\s*\(")
_SUPER_INIT = re.compile(
    r"(?<![\w.])super\s*\((?:[^()]|\([^()]*\))*\)\s*\.\s*__init__\b"
)


def move_post_init_last(steps: Sequence[Step]) -> list[Step]:
    """Move the first generated statement that calls `self.post_init` to the end."""
    index = _find_index(_POST_INIT, steps)
    if index is None:
        return list(steps)
    return [*steps[:index], *steps[index + 1 :], steps[index]]


def move_super_init_first(
    steps: Sequence[Step], parent_body: Sequence[Statement]
) -> list[Step]:
    """Move the call of `super().__init__` to the front of a merged body.

    PyTorch modules need this call before attributes are set. If the call in the parent's
    own method is not its first statement, nothing moves.

    Args:
        steps: The merged body without its docstring.
        parent_body: The body of the parent's method without its docstring.
    """
    index = _find_index(_SUPER_INIT, steps)
    is_later_in_parent = any(map(_calls_super_init, parent_body[1:]))
    if index is None or is_later_in_parent:
        return list(steps)
    return [steps[index], *steps[:index], *steps[index + 1 :]]


def _calls_super_init(statement: Statement) -> bool:
    """Whether a statement contains `super().__init__`."""
    return _SUPER_INIT.search(statement.code.mask) is not None


def _find_index(pattern: re.Pattern[str], steps: Sequence[Step]) -> int | None:
    """Return the index of the first generated statement whose code matches, or None."""
    for index, step in enumerate(steps):
        if step.fate.is_generated and pattern.search(step.code.mask):
            return index
    return None
