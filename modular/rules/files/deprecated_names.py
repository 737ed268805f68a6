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

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from modular.rules.drafts import GETATTR
from modular.rules.files import file_types
from modular.rules.settings import Settings
from modular.source.assignments import assigned_value, written_text
from modular.source.blocks import Statement
from modular.source.code import Code
from modular.source.trees import written


def split_deprecated(statement: Statement, cased: str, settings: Settings) -> dict[str, Code]:
    """Return the `__getattr__` statement of each file type that one of the names belongs to."""
    call = assigned_value(statement)
    if not isinstance(call, cst.Call):
        return {}
    head = f"{GETATTR} = {written(call.func)}"
    arguments = []
    found: dict[str, dict[str, list[str]]] = {}
    for argument in call.args:
        match argument:
            case cst.Arg(keyword=cst.Name(value=keyword), value=cst.Dict() as table):
                for name, entry in _entries(table):
                    file_type = file_types.of_class(name, cased, settings)
                    found.setdefault(file_type, {}).setdefault(keyword, []).append(entry)
            case _:
                arguments.append(written(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)))
    return {file_type: _statement(statement, head, arguments, tables) for file_type, tables in found.items()}


def join_deprecated(statements: Sequence[Statement]) -> str:
    """Return one `__getattr__` statement with the names of several, called as the first is: what `split_deprecated` parts."""
    head, arguments = "", list[str]()
    tables: dict[str, list[str]] = {}
    for statement in statements:
        call = assigned_value(statement)
        if not isinstance(call, cst.Call):
            continue
        head = head or f"{GETATTR} = {written(call.func)}"
        for argument in call.args:
            match argument:
                case cst.Arg(keyword=cst.Name(value=keyword), value=cst.Dict() as table):
                    tables.setdefault(keyword, []).extend(entry for _, entry in _entries(table))
                case _ if statement is statements[0]:
                    arguments.append(written(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)))
    return f"{head}({', '.join([*arguments, *_keywords(tables)])})\n"


def _keywords(tables: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{name}={{{', '.join(entries)}}}" for name, entries in tables.items()]


def _entries(table: cst.Dict) -> Iterator[tuple[str, str]]:
    """Yield each name that is a key of a table, with its entry as written."""
    for element in table.elements:
        if isinstance(element, cst.DictElement) and (name := written_text(element.key)) is not None:
            yield name, f"{written(element.key)}: {written(element.value)}"


def _statement(statement: Statement, head: str, arguments: list[str], tables: dict[str, list[str]]) -> Code:
    start, end = statement.start, len(statement.code.mask.rstrip())
    return statement.code.replace([(start, end, f"{head}({', '.join([*arguments, *_keywords(tables)])})")])
