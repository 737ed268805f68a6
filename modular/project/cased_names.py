"""A model's name has another form in class names: `qwen2_5_vl` becomes `Qwen2_5_VL`.

This form is called the *cased name*. It is the name of the model's configuration class
without `Config`. The configuration of `qwen2_5_vl` is called `Qwen2_5_VLConfig`, so the
cased name is `Qwen2_5_VL`.

modular finds the configuration class in a table that maps model types, such as
`qwen2_5_vl`, to configuration classes:

- **The setting `model-types` names the files that contain the table.** If the project
  has none of these files, modular uses the line `model_type = "..."` of each
  configuration class.
- **If the table does not contain `qwen2_5_vl`,** modular looks for `qwen2-5-vl`, with
  hyphens.
- **If the table contains neither form of a model's name,** modular capitalizes each
  part of the name: `my_model` becomes `MyModel`.

modular also converts cased names to model names, such as `MyModel` to `my_model`. To do
so, it looks for `MyModelConfig` in the table, and takes the last model type with this
class. If the table does not contain the class, modular splits the cased name before its
capitals. The result can differ from the name that you began with: `new1ab` becomes
`New1Ab`, which becomes `new1_ab`. To avoid this difference, add the model to the table.

In the example, `NewVLConfig` has the model type `new-vl`. The cased name of the model
`new_vl` is therefore `NewVL`, and not `NewVl`.

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
from modular.source import python_trees
from modular.source.blocks import Kind, Statement, split
from modular.source.source_slice import synthetic


_CONFIG = "Config"
_MODEL_TYPE = "model_type"


@dataclass(eq=False)
class CasedNames:
    """Converts between the names of models and their forms in class names.

    ``table`` maps model types to the names of their configuration classes.
    """

    table: Final[Mapping[str, str]]

    def cased(self, model: str) -> str:
        """Return the cased form of a model's name: `MyModel` for `my_model`."""
        config = self.table.get(model) or self.table.get(model.replace("_", "-"))
        if config is not None:
            return config.removesuffix(_CONFIG)
        words = []
        for word in model.split("_"):
            # A file such as `AXK1.py` writes the name as classes do.
            words.append(word.title() if word.islower() else word)
        return "".join(words)

    def lower(self, cased: str) -> str:
        """Return the model's name for a cased name or prefix: `my_model` for `MyModel`."""
        model_type = self._model_types.get(cased + _CONFIG)
        if model_type:
            return model_type.replace("-", "_")
        return "_".join(re.split(r"(?<!^)(?=[A-Z])", cased)).lower()

    @cached_property
    def _model_types(self) -> dict[str, str]:
        """The last model type of each configuration class."""
        return {config: model_type for model_type, config in self.table.items()}


def read_table(text: str, variable: str, table: dict[str, str]) -> dict[str, str]:
    """Read a table of model types from Python source, without running it.

    Such a table is `CONFIG_NAMES = {"llama": "LlamaConfig"}`. A later
    `CONFIG_NAMES.update(...)` in the source adds entries.

    Args:
        text: The source.
        variable: The name of the table in the source, such as `CONFIG_NAMES`.
        table: The entries of sources that were read before. If this source assigns to
            the table, it drops them.

    Returns:
        The entries of the table after the last statement.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: If Python cannot read a
            statement that changes the table.
    """
    block = split(synthetic(text + "\n", path="", line=1))
    for statement in block.statements:
        source = statement.bare_code.text
        is_update = source.startswith(f"{variable}.update")
        if is_update:
            # `TABLE.update({"a": "AConfig"})` adds entries.
            table = {**table, **_read_entries(source, variable, table)}
        elif statement.name == variable:
            # `TABLE = {"a": "AConfig"}` replaces all entries. The value can repeat the old
            # entries: `TABLE = OrderedDict([("a", "AConfig")], **TABLE)`.
            table = _read_entries(source, variable, table)
    return table


def _read_entries(source: str, variable: str, table: dict[str, str]) -> dict[str, str]:
    """Return the entries in an assignment to a table, or in a call that updates it.

    Args:
        source: The source of the statement: `TABLE = {...}` or `TABLE.update(...)`.
        variable: The name of the table, such as `TABLE`.
        table: The entries that the table has before the statement.
    """
    # The value of an assignment is the dictionary, and the value of a call is the call
    # itself. An annotation, such as `TABLE: dict`, has no value.
    value = getattr(python_trees.parse_or_raise(source).body[0], "value", None)
    if value is None:
        return {}
    return _read_mapping(value, variable, table)


def _read_mapping(
    node: ast.expr, variable: str, table: dict[str, str]
) -> dict[str, str]:
    """Return the entries of the dictionary that an expression creates.

    In `TABLE = OrderedDict([("a", "AConfig")], **TABLE)`, the expression is the call, and
    then each of its arguments.

    Args:
        node: The expression: the table's name, a call or a literal. Others have no entries.
        variable: The name of the table, such as `TABLE`.
        table: The entries that the table has so far.
    """
    # `TABLE`
    if isinstance(node, ast.Name) and node.id == variable:
        return table
    # `OrderedDict(...)` has the entries of all its arguments.
    if isinstance(node, ast.Call):
        # An argument such as `**TABLE` has no name.
        unpacked = [keyword.value for keyword in node.keywords if keyword.arg is None]
        entries: dict[str, str] = {}
        for argument in [*node.args, *unpacked]:
            entries.update(_read_mapping(argument, variable, table))
        return entries
    # `[("a", "AConfig")]` or `{"a": "AConfig"}`
    with suppress(ValueError, TypeError):
        literal = dict(ast.literal_eval(node))
        return {str(key): str(value) for key, value in literal.items()}
    return {}


def table_from_classes(texts: Iterable[str]) -> dict[str, str]:
    """Return a table of model types from the attributes of configuration classes.

    `class LlamaConfig` with `model_type = "llama"` gives `{"llama": "LlamaConfig"}`.

    Args:
        texts: The sources of Python files.
    """
    table = {}
    for text in texts:
        if _MODEL_TYPE not in text:
            continue
        for statement in modules.read("", text).block.statements:
            if statement.kind is Kind.CLASS and statement.name.endswith(_CONFIG):
                model_types = _find_model_types(statement)
                table.update(dict.fromkeys(model_types, statement.name))
    return table


def _find_model_types(configuration: Statement) -> Iterator[str]:
    """Yield the values of `model_type` in the body of a configuration class.

    A value that is not the name of a model is skipped. A name may have dashes, as in
    `model_type = "gpt-neo"`.
    """
    body = configuration.code.cut(configuration.header_end)
    for member in split(body).statements:
        if member.name != _MODEL_TYPE:
            continue
        # Every command reads these values. Python's own parser is used, because loading
        # LibCST takes time.
        match python_trees.parse(member.bare_code.text.strip()).body:
            case [
                ast.Assign(value=ast.Constant(value=str(value)))
                | ast.AnnAssign(value=ast.Constant(value=str(value)))
            ]:
                if value.replace("-", "_").isidentifier():
                    yield value
