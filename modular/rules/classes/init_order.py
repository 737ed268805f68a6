"""In an unravelled body, `super().__init__()` comes first and `self.post_init()` last.

A method has an unravelled body if modular replaced a `super()` call in it by the body
of the parent's method (see `super-call`). Two statements of such a body move:

- **The first statement that calls `self.post_init`** moves to the end of the body.
- **The first statement that contains `super().__init__`** moves to the front, below the
  docstring. It keeps its place if the parent's body has such a statement below its
  first one. Then the parent's author wanted something to run before it.

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

from modular.source.blocks import Statement


_POST_INIT = re.compile(r"(?<![\w.])self\s*\.\s*post_init\s*\(")
_SUPER_INIT = re.compile(
    r"(?<![\w.])super\s*\((?:[^()]|\([^()]*\))*\)\s*\.\s*__init__\b"
)


def move_post_init_last(body: Sequence[Statement]) -> list[Statement]:
    """Move the first statement that calls `self.post_init` to the end."""
    index = _find_index(_POST_INIT, body)
    if index is None:
        return list(body)
    return [*body[:index], *body[index + 1 :], body[index]]


def move_super_init_first(
    body: Sequence[Statement], parent_body: Sequence[Statement]
) -> list[Statement]:
    """Move the call of `super().__init__` to the front of a merged body.

    PyTorch modules need this call before attributes are set. If the call in the parent's
    own method is not its first statement, nothing moves.

    Args:
        body: The merged body without its docstring.
        parent_body: The body of the parent's method without its docstring.
    """
    index = _find_index(_SUPER_INIT, body)
    is_later_in_parent = _find_index(_SUPER_INIT, parent_body[1:]) is not None
    if index is None or is_later_in_parent:
        return list(body)
    return [body[index], *body[:index], *body[index + 1 :]]


def _find_index(pattern: re.Pattern[str], body: Sequence[Statement]) -> int | None:
    """Return the index of the first statement whose code matches, or None."""
    for index, statement in enumerate(body):
        if pattern.search(statement.code.mask):
            return index
    return None
