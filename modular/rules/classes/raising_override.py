"""Raising overrides: an override whose body begins with `raise ...Error(...)` removes the parent's method.

It must be written in one way: a `def` on one line, without decorators and not `async`, with exactly one blank line and no
comment above it, and the `raise` directly on the next line, without a docstring between them. A comment may be after
the `def`. The setter of a removed property is removed with it, and so are the overloads of a removed method. Written in any other
way it is an override like all others, and a warning says what is missing. So is one of a method that the parent class does
not have: a base of it may.

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
from modular.source.parts import DefinitionView
from modular.source.trees import statement_tree


_RAISE = "raise"
_ERROR = "Error"
_REMOVAL = re.compile(
    r"[ \t]*\n[ \t]*def\b[^\n]*:[ \t]*\n[ \t]*raise\s+[\w.]*Error\s*\("
)


def removes_method(own: DefinitionView) -> bool:
    """Whether an override removes the parent's method: one blank line above, a one-line `def`, then the `raise`."""
    return _REMOVAL.match(own.code.mask) is not None


def only_raises(own: DefinitionView) -> bool:
    """Whether the body (its docstring aside) begins with such a `raise`, so that a removal may have been meant."""
    if _RAISE not in own.code.mask:
        return False
    statements = [
        statement for statement in own.body.statements if statement is not own.docstring
    ]
    return bool(statements) and raises_error(statements[0])


def raises_error(statement: Statement) -> bool:
    """Whether a statement raises what a call of some `...Error` makes."""
    if _RAISE not in statement.code.mask or statement.is_compound:
        return False
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[
                cst.Raise(
                    exc=cst.Call(
                        func=cst.Name(value=name)
                        | cst.Attribute(attr=cst.Name(value=name))
                    )
                )
            ]
        ):
            return name.endswith(_ERROR)
    return False


def removal_advice(own: DefinitionView) -> str:
    """Return, as advice, what keeps an override that only raises from removing the parent's method."""
    if own.decorators.text:
        return "write it without decorators"
    if own.docstring is not None:
        return "write it without a docstring"
    if own.lead.text.strip(" \t") != "\n":
        return "leave exactly one blank line, and no comment, above its `def`"
    if own.is_async:
        return "write it without `async`"
    return (
        "write the `def` on one line, and `raise AttributeError(...)` directly below it"
    )
