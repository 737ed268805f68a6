"""Order in a merged body: `super().__init__()` comes first and `self.post_init()` last.

In the body of a method with an unravelled call, the first statement that calls `self.post_init` moves to the very end.
The first statement with `super().__init__` in it moves to the front, after the docstring, unless the parent's body has
such a statement that is not its first: then the author of the parent wanted something before it.

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
    """Move the first statement with a call of `self.post_init` to the very end."""
    first = _first(_POST_INIT, body)
    return [*body[:first], *body[first + 1 :], *body[first : first + 1]]


def move_super_init_first(
    body: Sequence[Statement], parent: Sequence[Statement]
) -> list[Statement]:
    """Move the first statement with `super().__init__` to the front, unless the parent has one further down.

    Neither body holds its docstring.
    """
    first = (
        len(body)
        if _first(_SUPER_INIT, parent[1:]) < len(parent[1:])
        else _first(_SUPER_INIT, body)
    )
    return [*body[first : first + 1], *body[:first], *body[first + 1 :]]


def _first(pattern: re.Pattern[str], body: Sequence[Statement]) -> int:
    """The index of the first statement with such code in it; the number of statements if none has."""
    return next(
        (
            index
            for index, statement in enumerate(body)
            if pattern.search(statement.code.mask)
        ),
        len(body),
    )
