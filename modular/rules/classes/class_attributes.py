"""Class attributes: the parent's in their order, the modular's in their place or after them.

An attribute of the modular class replaces the parent's of the same name where that appears; new ones come after the
parent's last. `name = AttributeError()` removes the parent's attribute, or its method or property of that name. An
attribute that is named like a method or property of the parent takes its place: the method is dropped, a setter included.
Assignments to several names at once, or to an item of an attribute, are known by what they assign to, as it is written.

Only the docstring, the attributes and the methods of a class body are kept; all attributes are before the methods.
Everything else in it, such as a nested class, is dropped: a warning says so.

Parent `models/llama/configuration_llama.py`:

```python
class LlamaConfig:
    model_type = "llama"
    hidden_size: int = 4096
    pretraining_tp: int = 1

    @property
    def head_dim(self):
        return self.hidden_size // 32
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.configuration_llama import LlamaConfig


class MyModelConfig(LlamaConfig):
    head_dim: int = 128
    hidden_size: int = 1024  # it is small
    pretraining_tp = AttributeError()
```

Output `models/my_model/configuration_my_model.py`:

```python
class MyModelConfig:
    model_type = "my_model"
    hidden_size: int = 1024  # it is small
    head_dim: int = 128
```
"""

from collections.abc import Sequence

import libcst as cst

from modular.source.assignments import assigned_target, assigned_value
from modular.source.blocks import Kind, Statement


_REMOVED = "AttributeError"


def find_attributes(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the class attributes among the statements of a class body, by name.

    Assignments to several names, or to an item or attribute of a name, go by what they assign to, as written.
    """
    return {name: statement for statement in statements if (name := _name(statement))}


def find_dropped_statements(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements of a class body that are not a docstring, attribute or method, and do something."""
    taken = (Kind.STRING, Kind.FUNCTION, Kind.ASSIGNMENT)
    return [
        statement
        for statement in statements
        if statement.kind not in taken
        and not _name(statement)
        and not statement.does_nothing
    ]


def _name(statement: Statement) -> str:
    if statement.kind is Kind.ASSIGNMENT:
        return statement.name
    target = (
        assigned_target(statement)
        if statement.kind is Kind.OTHER and "=" in statement.code.mask
        else None
    )
    return "" if target is None else target.text


def is_removal(statement: Statement) -> bool:
    """Whether an attribute statement says that the parent's attribute is removed."""
    if _REMOVED not in statement.code.mask:
        return False
    match assigned_value(statement):
        case cst.Call(func=cst.Name(value=name)):
            return name == _REMOVED
    return False
