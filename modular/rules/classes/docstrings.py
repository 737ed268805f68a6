'''A generated class or method gets your docstring, or its parent's if you write none.

In an inherited docstring, modular replaces the name of the parent's model. In the
example, "Apply the layer of Llama." becomes "Apply the layer of MyModel."

- **In a class, any string that stands alone in the body is the docstring**, wherever it
  is. modular moves it to the top. Bytes and f-strings do not count.
- **In a method, only the first statement** of the body can be the docstring.
- **The docstring of a parent's method is inherited only if it is in `"""` quotes.** In
  the example, the parent's `count` has other quotes, so the generated `count` has no
  docstring.

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

    def count(self):
        "Count the calls of Llama."
        return 0
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
        self.calls = 0

    def count(self):
        return self.calls
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
        self.calls = 0

    def count(self):
        return self.calls
```
'''

from modular.source.blocks import Kind, Statement
from modular.source.definition_view import DefinitionView


def merge_docstring(parent: DefinitionView, child: DefinitionView) -> Statement | None:
    """Return the docstring of a flattened class or method, or None.

    The child's docstring is used if it has one, else the parent's. A method inherits only
    a docstring in triple double quotes, as with the converter of transformers: `"Rotate
    x."` is not inherited.
    """
    if child.docstring is not None:
        return child.docstring
    return inherited_docstring(parent)


def inherited_docstring(parent: DefinitionView) -> Statement | None:
    """Return the docstring that a child without one gets from its parent, or None.

    A method gets only a docstring in triple double quotes (see `merge_docstring`).
    """
    if parent.docstring is None:
        return None
    is_class = parent.statement.kind is Kind.CLASS
    if is_class or '"""' in parent.docstring.bare_code.text:
        return parent.docstring
    return None
