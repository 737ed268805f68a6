"""With `inheritance = "python"`, a parent class that cannot be merged is kept as a base.

modular usually merges your class and its parent class into one class. Sometimes the
merged class would not behave as your class does in Python. modular then writes both
classes to the generated file, and your class inherits from the parent class, as in the
modular file. For example, modular keeps the parent class of:

- a dataclass whose arguments differ from those of its parent
- a class that inherits from a protocol
- a class with a method that uses `super()` as a value

In the example, the dataclass `MyModelOutput` has the argument `eq=False`, and its
parent class `LlamaOutput` does not. So the generated `MyModelOutput` inherits from
`LlamaOutput`.

- **modular renames the parent class** like all other classes of its file, if nothing
  else has the new name. In the example, the new name would be `MyModelOutput`, but your
  own class has this name. So the parent class keeps its old name, `LlamaOutput`, as in
  Python. If the old name is taken, too, the parent class gets a private name:
  `_LlamaOutput`.
- **modular copies your class unchanged,** except for the name of its base.
- **Other code of the modular file** can use the parent class, too, as in
  `isinstance(x, LlamaOutput)`.
- **A parent class with type arguments is always kept:**
  `class MyModelMLP(LlamaMLP[int])`.

To see why modular keeps a parent class, run `modular check -v`, and read the finding
[MOD308](../rules/MOD308.md) of your class.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
from dataclasses import dataclass


@dataclass
class LlamaOutput:
    logits: list
    loss: float = 0.0
```

Modular `models/my_model/modular_my_model.py`:

```python
from dataclasses import dataclass

from ..llama.modeling_llama import LlamaOutput


@dataclass(eq=False)
class MyModelOutput(LlamaOutput):
    scale: float = 1.0
```

Output `models/my_model/modeling_my_model.py`:

```python
from dataclasses import dataclass


@dataclass
class LlamaOutput:
    logits: list
    loss: float = 0.0


@dataclass(eq=False)
class MyModelOutput(LlamaOutput):
    scale: float = 1.0
```
"""

from collections.abc import Collection, Mapping

from modular.rules.classes.kept_methods import choose_free_name
from modular.source.blocks import Statement
from modular.source.import_statements import find_imports
from modular.source.source_slice import SourceSlice, find_word


def choose_name(parent_name: str, taken: Collection[str]) -> str:
    """Return the private name of a kept parent class: `_LlamaMLP`.

    Args:
        parent_name: The name of the parent class in its own file, such as `LlamaMLP`.
        taken: Words that the name must not be.
    """
    return choose_free_name(f"_{parent_name.lstrip('_')}", taken)


def keep_parent(parent: Statement, private_name: str) -> SourceSlice:
    """Return the code of a parent class, such as `LlamaMLP`, under a private name.

    Only the header and `super(LlamaMLP, self)` get the private name. Other mentions of
    `LlamaMLP` in the class mean the class of the modular file, and do not change.

    Args:
        parent: The parent class, renamed for the model of the modular file.
        private_name: The private name.
    """
    code = parent.code
    name_start, name_end = parent.name_span
    edits = [(name_start, name_end, private_name)]
    for start in find_word(code.masked_text, parent.name):
        is_argument_of_super = code.masked_text[:start].rstrip().endswith("super(")
        if is_argument_of_super:
            edits.append((start, start + len(parent.name), private_name))
    return code.replace(edits)


def rename_uses(code: SourceSlice, names: Mapping[str, str]) -> SourceSlice:
    """Return code of the modular file in which kept parent classes have new names.

    With the name `_LlamaMLP` for `LlamaMLP`, `LlamaMLP.forward(self)` becomes
    `_LlamaMLP.forward(self)`. Attributes, as in `self.LlamaMLP`, do not change.

    Args:
        code: The code.
        names: The new name of each kept parent class, by its name in the modular file.
    """
    # An import in a method names the class of the parent file.
    offsets_in_imports: set[int] = set()
    for import_ in find_imports(code.masked_text):
        offsets_in_imports.update(range(import_.start, import_.end))

    edits = []
    for name, new_name in names.items():
        for start in find_word(code.masked_text, name):
            is_attribute = code.masked_text[:start].rstrip().endswith(".")
            if not is_attribute and start not in offsets_in_imports:
                edits.append((start, start + len(name), new_name))
    return code.replace(sorted(edits))
