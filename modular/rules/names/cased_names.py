"""Cased names: how a model's name (`qwen2_5_vl`) is in class names (`Qwen2_5_VL`).

A table of model types and their configuration classes decides. It is read as text, from the files that the settings name
under `model-types`; where there are none, from the attributes `model_type = "..."` of the project's configuration classes. A
model is looked up there by its name, then by its name with `-` for `_`; the class's name without `Config` is the cased
name. A model that is not there has each part of its name in title case, joined.

On the way back, from a cased name or a prefix to a lower one, the last model type that has such a configuration class is
taken, with `_` for `-`; otherwise the name is split before its capitals and joined with `_`.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from .configuration_llama import LlamaConfig


class LlamaMLP(nn.Module):
    config: LlamaConfig
```

Parent `models/llama/configuration_llama.py`:

```python
class LlamaConfig:
    model_type = "llama"
```

Modular `models/new_vl/modular_new_vl.py`:

```python
from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import LlamaMLP


class NewVLConfig(LlamaConfig):
    model_type = "new-vl"


class NewVLMLP(LlamaMLP):
    pass
```

Output `models/new_vl/configuration_new_vl.py`:

```python
class NewVLConfig:
    model_type = "new-vl"
```

Output `models/new_vl/modeling_new_vl.py`:

```python
from torch import nn

from .configuration_new_vl import NewVLConfig


class NewVLMLP(nn.Module):
    config: NewVLConfig
```
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from modular.source import module as modules
from modular.source.blocks import Kind, Statement, split
from modular.source.code import generated


_CONFIG = "Config"
_MODEL_TYPE = "model_type"


@dataclass(eq=False)
class CasedNames:
    """The table of model types and their configuration classes, in its order."""

    table: Final[Mapping[str, str]]

    def cased(self, model: str) -> str:
        """Return the cased form of a model name."""
        name = self.table.get(model) or self.table.get(model.replace("_", "-"))
        if name is not None:
            return name.removesuffix(_CONFIG)
        return "".join(part.title() for part in model.split("_"))

    def lower(self, cased: str) -> str:
        """Return the model name that a cased name or prefix refers to."""
        if model_type := self._model_types.get(cased + _CONFIG):
            return model_type.replace("-", "_")
        return "_".join(re.split(r"(?<!^)(?=[A-Z])", cased)).lower()

    @cached_property
    def _model_types(self) -> dict[str, str]:
        return {name: model_type for model_type, name in self.table.items()}


def read_table(text: str, variable: str, table: dict[str, str]) -> dict[str, str]:
    """Return the table as it is after a source that builds it: a literal, updates with literals, entries put in front.

    Raises SyntaxError, ValueError, RecursionError or MemoryError where what builds it is not Python that can be read.
    """
    for statement in split(generated(text + "\n", "", 1)).statements:
        is_update = statement.own.text.startswith(f"{variable}.update")
        if is_update or statement.name == variable:
            value = getattr(ast.parse(statement.own.text).body[0], "value", None)
            table = (table if is_update else {}) | _value(value, variable, table)
    return table


def _value(
    node: ast.expr | None, variable: str, table: dict[str, str]
) -> dict[str, str]:
    """Read a mapping written as a literal, as a call with a literal, or with the table itself unpacked into it."""
    if isinstance(node, ast.Name) and node.id == variable:
        return table
    if isinstance(node, ast.Call):
        merged: dict[str, str] = {}
        for part in [
            *node.args,
            *(keyword.value for keyword in node.keywords if keyword.arg is None),
        ]:
            merged.update(_value(part, variable, table))
        return merged
    with suppress(ValueError, TypeError):
        return {
            str(key): str(value)
            for key, value in dict(ast.literal_eval(node or "")).items()
        }
    return {}


def table_from_classes(texts: Iterable[str]) -> dict[str, str]:
    """Read the same pairs out of configuration classes that say `model_type = "..."`."""
    table: dict[str, str] = {}
    for text in texts:
        for statement in (
            modules.read("", text).block.statements if _MODEL_TYPE in text else ()
        ):
            if statement.kind is Kind.CLASS and statement.name.endswith(_CONFIG):
                table.update(dict.fromkeys(_model_types(statement), statement.name))
    return table


def _model_types(configuration: Statement) -> Iterator[str]:
    """The values of the class attribute `model_type`: plain strings of letters, digits, `_` and `-`."""
    for member in split(configuration.code.cut(configuration.head_end)).statements:
        if member.name == _MODEL_TYPE:
            with suppress(
                SyntaxError, ValueError
            ):  # every command reads this, so LibCST would be loaded for it
                value = ast.literal_eval(
                    getattr(ast.parse(member.own.text.strip()).body[0], "value", None)
                    or ""
                )
                if isinstance(value, str) and value.replace("-", "_").isidentifier():
                    yield value
