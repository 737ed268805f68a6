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

from collections.abc import Sequence

from modular.source.blocks import Statement
from modular.source.reads import calls_of_self, names_method_of_super


_INIT = "__init__"
_POST_INIT = "post_init"


def post_init_last(body: Sequence[Statement]) -> list[Statement]:
    """Move the first statement with a call of `self.post_init` to the very end."""
    for index, statement in enumerate(body):
        if calls_of_self(statement, _POST_INIT):
            return [*body[:index], *body[index + 1 :], statement]
    return list(body)


def super_init_first(body: Sequence[Statement], parent: Sequence[Statement]) -> list[Statement]:
    """Move the first statement with `super().__init__` to the front, unless the parent has one further down.

    Neither body holds its docstring.
    """
    if any(names_method_of_super(statement, _INIT) for statement in parent[1:]):
        return list(body)
    for index, statement in enumerate(body):
        if names_method_of_super(statement, _INIT):
            return [statement, *body[:index], *body[index + 1 :]]
    return list(body)
