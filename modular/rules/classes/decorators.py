"""Decorators: a class or method has the modular's decorators if it has any, else the parent's.

`@no_inherit_decorator` says that a class or method should have none. It appears alone: beside other decorators it is an
error. Neither the mark nor its import reaches the output.

Parent `models/llama/modeling_llama.py`:

```python
import torch
from torch import nn

from ...utils import auto_docstring


@auto_docstring
class LlamaModel(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x

    @torch.no_grad()
    def embed(self, x):
        return x

    @torch.no_grad()
    def norm(self, x):
        return x
```

Modular `models/my_model/modular_my_model.py`:

```python
import torch

from ...utils.modular import no_inherit_decorator
from ..llama.modeling_llama import LlamaModel


@no_inherit_decorator
class MyModel(LlamaModel):
    def forward(self, x):
        return x + 1

    @torch.compile
    def embed(self, x):
        return x + 2

    @no_inherit_decorator
    def norm(self, x):
        return x + 3
```

Output `models/my_model/modeling_my_model.py`:

```python
import torch
from torch import nn


class MyModel(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x + 1

    @torch.compile
    def embed(self, x):
        return x + 2

    def norm(self, x):
        return x + 3
```
"""

from modular.source.code import SourceSlice
from modular.source.parts import DefinitionView


NO_INHERIT_DECORATOR = "no_inherit_decorator"


def merge_decorators(parent: DefinitionView, own: DefinitionView) -> SourceSlice:
    """Return the decorator lines of a flattened class or method."""
    if not own.decorators.text:
        return parent.decorators
    return (
        own.decorators
        if not has_no_inherit_decorator(own)
        else own.decorators.cut(0, 0)
    )


def has_no_inherit_decorator(own: DefinitionView) -> bool:
    """Whether the marker is among the decorators of a class or method."""
    return NO_INHERIT_DECORATOR in own.decorators.mask and any(
        name.rpartition(".")[2] == NO_INHERIT_DECORATOR for name in own.decorator_names
    )
