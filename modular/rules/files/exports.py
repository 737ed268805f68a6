"""Exports: the modular's `__all__` is split over the files by the file type of each name.

Each file that exports something ends with an `__all__` of its own, rebuilt without magic trailing commas.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaMLP:
    size = 4
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelConfig:
    model_type = "my_model"


class MyModelMLP(LlamaMLP):
    pass


__all__ = [
    "MyModelConfig",
    "MyModelMLP",
]
```

Output `models/my_model/configuration_my_model.py`:

```python
class MyModelConfig:
    model_type = "my_model"


__all__ = ["MyModelConfig"]
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModelMLP:
    size = 4


__all__ = ["MyModelMLP"]
```
"""

import ast
from contextlib import suppress

from modular.rules.files import file_types
from modular.rules.files.drafts import ALL
from modular.settings.settings import Settings
from modular.source.blocks import Statement
from modular.source.code import SourceSlice


def exported_names(statement: Statement) -> list[str]:
    """Return the names in an `__all__` statement: those of a list or tuple, or of several joined by `+`."""
    return [name for name in statement.memoized(_names) if name is not None]


def has_only_literal_names(statement: Statement) -> bool:
    """Whether an `__all__` statement holds nothing but such names."""
    return None not in statement.memoized(_names)


def _names(statement: Statement) -> list[str | None]:
    """The names in the value of a statement, and None for each part of it that is computed."""
    with suppress(SyntaxError):
        match ast.parse(statement.own.text).body:
            case [ast.Assign(value=value) | ast.AnnAssign(value=value)]:
                return _elements(value)
    return [None]


def _elements(node: ast.expr | None) -> list[str | None]:
    match node:
        case ast.BinOp(left=left, right=right):
            return _elements(left) + _elements(right)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            values = (
                element.value if isinstance(element, ast.Constant) else None
                for element in elements
            )
            return [value if isinstance(value, str) else None for value in values]
    return [None]


def split_exports(
    statement: Statement, cased: str, settings: Settings
) -> dict[str, SourceSlice]:
    """Return the `__all__` statement of each file type that exports something."""
    names: dict[str, list[str]] = {}
    for name in exported_names(statement):
        names.setdefault(file_types.of_class(name, cased, settings), []).append(name)
    quoted = {
        file_type: ", ".join(f'"{name}"' for name in listed)
        for file_type, listed in names.items()
    }
    return {
        file_type: statement.with_own(f"{ALL} = [{listed}]")
        for file_type, listed in quoted.items()
    }
