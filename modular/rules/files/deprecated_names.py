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

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from modular.rules.files import file_types
from modular.rules.files.drafts import GETATTR
from modular.settings.settings import Settings
from modular.source.assignments import assigned_value, written_text
from modular.source.blocks import Statement
from modular.source.code import SourceSlice
from modular.source.trees import written


class _Call(NamedTuple):
    """A call of `deprecate_attr`: what is called, the arguments that are no tables, and the entries of its tables.

    An entry is given by the keyword of its table, the name that is its key, and how it is written.
    """

    function: str
    arguments: tuple[str, ...]
    entries: tuple[tuple[str, str, str], ...]

    def with_entries(self, entries: Iterable[tuple[str, str, str]]) -> str:
        """Return the statement with other entries, without magic trailing commas."""
        tables: dict[str, list[str]] = {}
        for keyword, _, entry in entries:
            tables.setdefault(keyword, []).append(entry)
        keywords = (
            f"{keyword}={{{', '.join(listed)}}}" for keyword, listed in tables.items()
        )
        return f"{GETATTR} = {self.function}({', '.join([*self.arguments, *keywords])})"


def split_deprecated(
    statement: Statement, cased: str, settings: Settings
) -> dict[str, SourceSlice]:
    """Return the `__getattr__` statement of each file type that one of the names belongs to."""
    call = _call(statement)
    of_type: dict[str, list[tuple[str, str, str]]] = {}
    for entry in call.entries:
        of_type.setdefault(file_types.of_class(entry[1], cased, settings), []).append(
            entry
        )
    return {
        file_type: statement.with_own(call.with_entries(entries))
        for file_type, entries in of_type.items()
    }


def join_deprecated(statements: Sequence[Statement]) -> str:
    """Return one `__getattr__` statement with the names of several, called as the first is: what `split_deprecated` parts."""
    calls = [_call(statement) for statement in statements]
    return (
        f"{calls[0].with_entries(entry for call in calls for entry in call.entries)}\n"
    )


def _call(statement: Statement) -> _Call:
    """Read a `__getattr__` statement. One that is no call has no entries."""
    call = assigned_value(statement)
    if not isinstance(call, cst.Call):
        return _Call("", (), ())
    arguments, entries = [], []
    for argument in call.args:
        match argument:
            case cst.Arg(keyword=cst.Name(value=keyword), value=cst.Dict() as table):
                entries += [(keyword, name, entry) for name, entry in _entries(table)]
            case _:
                arguments.append(
                    written(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT))
                )
    return _Call(written(call.func), tuple(arguments), tuple(entries))


def _entries(table: cst.Dict) -> Iterator[tuple[str, str]]:
    """Yield each name that is a key of a table, with its entry as written."""
    for element in table.elements:
        if (
            isinstance(element, cst.DictElement)
            and (name := written_text(element.key)) is not None
        ):
            yield name, f"{written(element.key)}: {written(element.value)}"
