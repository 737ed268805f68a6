"""An override whose body begins with `raise ...Error(...)` removes the parent's method.

In the generated class, the method does not exist at all. If you remove a property,
modular also removes its setter. If you remove a method, modular also removes its
overloads. Write the override in exactly this form:

- **One blank line above the `def`**, and no comment.
- **The `def` on one line**, without decorators and without `async`. A comment may
  follow it.
- **The `raise` on the next line**, without a docstring before it.

In the example, `prune_heads` has this form and is removed. `generate` has a comment
above it, so the generated class has a method `generate` that raises, and modular warns
you. modular also warns you if the parent class does not define the method that you want
to remove, but inherits it.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaModel:
    def forward(self, x):
        return x

    def prune_heads(self, heads):
        self.heads -= heads

    def generate(self, x):
        return x
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaModel


class MyModel(LlamaModel):
    def forward(self, x):
        return x + 1

    def prune_heads(self, heads):  # there are none
        raise AttributeError("not needed here")

    # This model cannot write.
    def generate(self, x):
        raise NotImplementedError("my model only reads")
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModel:
    def forward(self, x):
        return x + 1

    def generate(self, x):
        raise NotImplementedError("my model only reads")
```
"""

import ast
import re

from modular.semantics.statements import tree_of
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.python_trees import dotted_name


_REMOVAL = re.compile(
    r"[ \t]*\n[ \t]*def\b[^\n]*:[ \t]*\n[ \t]*raise\s+[\w.]*Error\s*\("
)


def removes_method(override: DefinitionView) -> bool:
    """Whether an override has the form that removes the parent's method."""
    return _REMOVAL.match(override.code.masked_text) is not None


def raises_at_once(method: DefinitionView) -> bool:
    """Whether the first statement of a method, its docstring apart, is a `raise`.

    The statements below it never run.
    """
    # Dividing the body into statements is slow, so only code with this word is divided.
    if "raise" not in method.code.masked_text:
        return False
    statements = method.body_without_docstring
    return bool(statements) and _read_raise(statements[0]) is not None


def only_raises(override: DefinitionView) -> bool:
    """Whether the first statement of an override raises an error: `raise SomeError(...)`.

    The author of such an override probably wants to remove the parent's method.
    """
    if not raises_at_once(override):
        return False
    match _read_raise(override.body_without_docstring[0]):
        case ast.Raise(exc=ast.Call(func=error)):
            return dotted_name(error).endswith("Error")
    return False


def _read_raise(statement: Statement) -> ast.Raise | None:
    """Read a `raise` statement; return None for other statements."""
    # Parsing is slow, so only code with this word is parsed.
    if statement.is_compound or "raise" not in statement.words:
        return None
    tree = tree_of(statement)
    return tree if isinstance(tree, ast.Raise) else None


def removal_advice(override: DefinitionView) -> str:
    """Return advice on how to write an override so that it removes a parent's method.

    An override `def method(self): raise AttributeError(...)` removes the method, but
    only in exactly this form. The advice names the first deviation from it.
    """
    if override.decorators.text:
        return "write it without decorators"
    if override.docstring is not None:
        return "write it without a docstring"
    if override.lead.text.strip(" \t") != "\n":
        return "leave exactly one blank line, and no comment, above its `def`"
    if override.is_async:
        return "write it without `async`"
    return (
        "write the `def` on one line, and `raise AttributeError(...)` directly below it"
    )
