"""A class or method has the modular's decorators if it has any, else the parent's.

- **`@no_inherit_decorator` removes the parent's decorators** and adds none. It must be
  the only decorator: together with other decorators it is an error, because they
  replace the parent's decorators anyway. modular does not write `@no_inherit_decorator`
  or its import to the generated file.

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

from modular.source.definition_view import DefinitionView
from modular.source.source_slice import SourceSlice


NO_INHERIT_DECORATOR = "no_inherit_decorator"


def merge_decorators(parent: DefinitionView, child: DefinitionView) -> SourceSlice:
    """Return the decorators of a class or method that overrides one of a parent file.

    The decorators of the child replace those of the parent. If the child has none, it
    inherits the parent's. With `@no_inherit_decorator`, the result has none at all.
    """
    if not child.decorators.text:
        return parent.decorators
    if has_no_inherit_decorator(child):
        no_code = child.decorators.cut(0, 0)
        return no_code
    return child.decorators


def has_no_inherit_decorator(child: DefinitionView) -> bool:
    """Whether a class or method has the decorator `no_inherit_decorator`."""
    if NO_INHERIT_DECORATOR not in child.decorators.mask:
        return False
    last_parts = [name.rpartition(".")[2] for name in child.decorator_names]
    return NO_INHERIT_DECORATOR in last_parts
