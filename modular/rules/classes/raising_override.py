"""An override whose body begins with `raise ...Error(...)` removes the parent's method.

The setter of a removed property and the overloads of a removed method are removed, too.
Write the override in exactly this form:

- **One blank line above the `def`**, and no comment.
- **The `def` on one line**, without decorators and without `async`. A comment may
  follow it.
- **The `raise` on the next line**, without a docstring before it.

In any other form, the generated class gets a method that raises, and modular warns you.
It also warns you if the parent class itself only inherits the method.

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

import re

import libcst as cst

from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView
from modular.source.trees import statement_tree


_REMOVAL = re.compile(
    r"[ \t]*\n[ \t]*def\b[^\n]*:[ \t]*\n[ \t]*raise\s+[\w.]*Error\s*\("
)


def removes_method(override: DefinitionView) -> bool:
    """Whether an override has the form that removes the parent's method."""
    return _REMOVAL.match(override.code.mask) is not None


def only_raises(override: DefinitionView) -> bool:
    """Whether an override only raises an error, because its first statement does so.

    The statements below it never run. A docstring is not counted as a statement. The
    author of such an override probably wants to remove the parent's method.
    """
    # Dividing the body into statements is slow, so only code with this word is divided.
    if "raise" not in override.code.mask:
        return False
    statements = override.body_without_docstring
    return bool(statements) and raises_error(statements[0])


def raises_error(statement: Statement) -> bool:
    """Whether a statement raises an error: `raise SomeError(...)`."""
    # Parsing is slow, so only code with this word is parsed.
    if "raise" not in statement.code.mask or statement.is_compound:
        return False
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[cst.Raise(exc=cst.Call(func=error))]):
            if isinstance(error, cst.Attribute):
                error = error.attr
            return isinstance(error, cst.Name) and error.value.endswith("Error")
    return False


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
