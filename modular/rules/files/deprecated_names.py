"""Deprecated names: a module-level `__getattr__ = deprecate_attr(...)` is split over the files by the names in it.

The keys of its tables `remove` and `rename` are names of the old interface; each goes to the file that its own file type
says. Every file that gets one has the statement just before its `__all__`, with the other arguments as they are and
without magic trailing commas.

Modular `models/my_model/modular_my_model.py`:

```python
from ...utils.deprecation import deprecate_attr


class MyModelConfig:
    model_type = "my_model"


class MyModelMLP:
    size = 4


__all__ = ["MyModelConfig", "MyModelMLP"]
__getattr__ = deprecate_attr(
    __name__,
    remove={"MyModelOldMLP": "v6"},
    rename={"MyModelTextConfig": ("MyModelConfig", "v6"), "MyModelFFN": ("MyModelMLP", "v6")},
)
```

Output `models/my_model/configuration_my_model.py`:

```python
from ...utils.deprecation import deprecate_attr


class MyModelConfig:
    model_type = "my_model"


__getattr__ = deprecate_attr(__name__, rename={"MyModelTextConfig": ("MyModelConfig", "v6")})


__all__ = ["MyModelConfig"]
```

Output `models/my_model/modeling_my_model.py`:

```python
from ...utils.deprecation import deprecate_attr


class MyModelMLP:
    size = 4


__getattr__ = deprecate_attr(__name__, remove={"MyModelOldMLP": "v6"}, rename={"MyModelFFN": ("MyModelMLP", "v6")})


__all__ = ["MyModelMLP"]
```
"""

import ast
from collections.abc import Iterator, Sequence

from modular.rules.files import file_types
from modular.rules.settings import Settings
from modular.source.blocks import Statement
from modular.source.code import Code


GETATTR = "__getattr__"


def split_deprecated(statement: Statement, cased: str, settings: Settings) -> dict[str, Code]:
    """Return the `__getattr__` statement of each file type that one of the names belongs to."""
    text = statement.own.text
    node = ast.parse(text).body[0]
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call):
        return {}
    lines = text.encode().split(b"\n")
    head = f"{GETATTR} = {_source(lines, call.func)}"
    arguments = [_source(lines, argument) for argument in call.args]
    found: dict[str, dict[str, list[str]]] = {}
    for keyword in call.keywords:
        if keyword.arg is None or not isinstance(keyword.value, ast.Dict):
            arguments.append(_source(lines, keyword))
            continue
        for name, entry in _entries(lines, keyword.value):
            file_type = file_types.of_class(name, cased, settings)
            found.setdefault(file_type, {}).setdefault(keyword.arg, []).append(entry)
    return {file_type: _statement(statement, head, arguments, tables) for file_type, tables in found.items()}


def _entries(lines: Sequence[bytes], table: ast.Dict) -> Iterator[tuple[str, str]]:
    """Yield each name that is a key of a table, with its entry as written."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, f"{_source(lines, key)}: {_source(lines, value)}"


def _source(lines: Sequence[bytes], node: ast.expr | ast.keyword) -> str:
    """Return how a node is written."""
    assert node.end_lineno is not None
    found = list(lines[node.lineno - 1 : node.end_lineno])
    found[-1] = found[-1][: node.end_col_offset]
    found[0] = found[0][node.col_offset :]
    return b"\n".join(found).decode()


def _statement(statement: Statement, head: str, arguments: list[str], tables: dict[str, list[str]]) -> Code:
    keywords = [f"{name}={{{', '.join(entries)}}}" for name, entries in tables.items()]
    start, end = statement.start, len(statement.code.mask.rstrip())
    return statement.code.replace([(start, end, f"{head}({', '.join([*arguments, *keywords])})")])
