"""Each name in your `__all__` is exported by the generated file that defines it.

In the example, the modular file exports two classes. modular writes `MyModelConfig` to
`configuration_my_model.py` (see `file-types`), so this file exports it.
`modeling_my_model.py` exports the other class, `MyModelMLP`.

`__all__` is the last statement of a generated file. A file that exports nothing has no
`__all__`. If your list ends with a comma, the formatter would write each name on its
own line. So modular drops this comma, and a list that is short enough is on one line.

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

from modular.project import file_types
from modular.rules.files.drafts import ALL
from modular.settings.settings import Settings
from modular.source import python_trees
from modular.source.blocks import Statement
from modular.source.source_slice import SourceSlice


def exported_names(statement: Statement) -> list[str]:
    """Return the names in an `__all__` statement.

    Only string literals count, in lists and tuples that may be joined by `+`.
    """
    return [name for name in statement.memoized(_read_names) if name is not None]


def has_only_literal_names(statement: Statement) -> bool:
    """Whether no part of an `__all__` statement is computed."""
    return None not in statement.memoized(_read_names)


def _read_names(statement: Statement) -> list[str | None]:
    """Return the names of an `__all__` statement, with None for a computed part."""
    match python_trees.parse(statement.bare_code.text).body:
        case [ast.Assign(value=value) | ast.AnnAssign(value=value)]:
            return _read_elements(value)
    return [None]


def _read_elements(node: ast.expr | None) -> list[str | None]:
    """Return the strings in the value of `__all__`, with None for each computed part.

    For `["A", B] + names`, these are `"A"`, None and None.
    """
    match node:
        case ast.BinOp(left=left, right=right):
            return _read_elements(left) + _read_elements(right)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_string_value(element) for element in elements]
    return [None]


def _string_value(node: ast.expr) -> str | None:
    """Return the value of a string; None for another expression."""
    match node:
        case ast.Constant(value=str(value)):
            return value
    return None


def split_exports(
    statement: Statement, cased: str, settings: Settings
) -> dict[str, SourceSlice]:
    """Split the `__all__` of a modular file over the files that are generated from it.

    Each name goes to the file that a class of this name belongs to.

    Args:
        statement: The assignment to `__all__` in the modular file.
        cased: The name of the model as in class names, such as `MyModel`.
        settings: The settings of the project.

    Returns:
        The assignment for each file type that exports names.
    """
    quoted_names: dict[str, list[str]] = {}
    for name in exported_names(statement):
        file_type = file_types.of_class(name, cased, settings)
        quoted_names.setdefault(file_type, []).append(f'"{name}"')

    assignments = {}
    for file_type, names in quoted_names.items():
        text = f"{ALL} = [{', '.join(names)}]"
        assignments[file_type] = statement.with_bare_code(text)
    return assignments
