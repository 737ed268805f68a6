'''A class or method has the modular's docstring if it has one, else the parent's.

The docstring comes first in the flattened class or method.

- **In a class, any string that stands alone in the body is its docstring**, wherever it
  appears. Bytes and f-strings do not count.
- **In a method, only the first statement** of the body can be its docstring.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaMLP:
    """A gated layer of Llama."""

    def forward(self, x):
        """Apply the layer of Llama."""
        return x

    def reset(self):
        """Reset the layer of Llama."""
        self.cache = None
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    """A layer without a gate."""

    def forward(self, x):
        return x + 1

    def reset(self):
        """Reset the layer, and count."""
        super().reset()
        self.count = 0
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModelMLP:
    """A layer without a gate."""

    def forward(self, x):
        """Apply the layer of MyModel."""
        return x + 1

    def reset(self):
        """Reset the layer, and count."""
        self.cache = None
        self.count = 0
```
'''

from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView


def merge_docstring(parent: DefinitionView, child: DefinitionView) -> Statement | None:
    """Return the docstring of a flattened class or method."""
    return child.docstring or parent.docstring
