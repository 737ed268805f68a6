"""modular splits `__getattr__ = deprecate_attr(...)`: each file gets its own old names.

In transformers, this statement lets users import a class under an old name for some
time, with a warning. Its arguments `remove` and `rename` are tables of old names.
modular writes each entry to the file that a class of this name would be written to (see
`file-types`). In the example, `MyModelTextConfig` goes to the configuration file, and
`MyModelFFN` to the modeling file.

In each generated file, modular writes the statement above `__all__`. The arguments
other than `remove` and `rename` are the same in all files.

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

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from modular.project import file_types
from modular.rules.files.drafts import GETATTR
from modular.settings.settings import Settings
from modular.source.assignments import assigned_value, string_value
from modular.source.blocks import Statement
from modular.source.source_slice import SourceSlice
from modular.source.trees import node_text


class _Entry(NamedTuple):
    """An entry of a table, such as `rename={"Old": ("New", "v6")}`."""

    table: str
    name: str
    text: str


class _Call(NamedTuple):
    """A call to `deprecate_attr`: the function, other arguments, and the entries."""

    function: str
    arguments: tuple[str, ...]
    entries: tuple[_Entry, ...]

    def render(self, entries: Iterable[_Entry]) -> str:
        """Return the code of the assignment with the given entries.

        The function and the other arguments do not change:
        `__getattr__ = deprecate_attr(__name__, remove={"MyModelOldMLP": "v6"})`.
        """
        tables: dict[str, list[str]] = {}
        for entry in entries:
            tables.setdefault(entry.table, []).append(entry.text)
        arguments = list(self.arguments)
        for table, texts in tables.items():
            arguments.append(f"{table}={{{', '.join(texts)}}}")
        return f"{GETATTR} = {self.function}({', '.join(arguments)})"


def split_deprecated(
    statement: Statement, cased: str, settings: Settings
) -> dict[str, SourceSlice]:
    """Split `__getattr__ = deprecate_attr(...)` over the generated files of a model.

    Each entry, such as `"MyModelOldMLP": "v6"`, goes to the file that a class of this
    name would belong to.

    Args:
        statement: The assignment in the modular file.
        cased: The name of the model as in class names, such as `MyModel`.
        settings: The settings of the project.

    Returns:
        The assignment for each file type that has entries.
    """
    call = _read_call(statement)
    entries_by_type: dict[str, list[_Entry]] = {}
    for entry in call.entries:
        file_type = file_types.of_class(entry.name, cased, settings)
        entries_by_type.setdefault(file_type, []).append(entry)
    return {
        file_type: statement.with_bare_code(call.render(entries))
        for file_type, entries in entries_by_type.items()
    }


def join_deprecated(statements: Sequence[Statement]) -> str:
    """Join the assignments `__getattr__ = deprecate_attr(...)` of several files into one.

    The joined call has the entries of all calls, such as `"MyModelOldMLP": "v6"`, and the
    other arguments of the first call.
    """
    calls = [_read_call(statement) for statement in statements]
    entries: list[_Entry] = []
    for call in calls:
        entries += call.entries
    return f"{calls[0].render(entries)}\n"


def _read_call(statement: Statement) -> _Call:
    """Read the arguments of `__getattr__ = deprecate_attr(__name__, remove={...})`.

    Keyword arguments that are dictionaries are read as entries. If the value is not a
    call, the result is empty.
    """
    call = assigned_value(statement)
    if not isinstance(call, cst.Call):
        return _Call("", (), ())
    arguments: list[str] = []
    entries: list[_Entry] = []
    for argument in call.args:
        if argument.keyword is not None and isinstance(argument.value, cst.Dict):
            entries += _read_table(argument.keyword.value, argument.value)
        else:
            without_comma = argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            arguments.append(node_text(without_comma))
    return _Call(node_text(call.func), tuple(arguments), tuple(entries))


def _read_table(table: str, node: cst.Dict) -> Iterator[_Entry]:
    """Yield the entries of a dictionary, such as `"MyModelOldMLP": "v6"`.

    Entries whose keys are not strings are left out.

    Args:
        table: The keyword that the dictionary is passed to, such as `remove`.
        node: The dictionary.
    """
    for element in node.elements:
        if not isinstance(element, cst.DictElement):
            continue
        name = string_value(element.key)
        if name is not None:
            text = f"{node_text(element.key)}: {node_text(element.value)}"
            yield _Entry(table, name, text)
