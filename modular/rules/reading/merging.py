"""Merging: what the modular file defines meets what its parent files define.

After its renaming each parent file is merged with the modular file, and there the classes that inherit from it find what
they need:

- A function of the modular replaces the parent's of the same name.
- An assignment replaces the parent's where the parent has none of that name, where the name contains `_CHECKPOINT`,
  `_EXPECTED`, `_FOR_DOC` or `_HIDDEN_STATES_START_POSITION`, or where it contains `_DOCSTRING` and the value is not `None`
  (the settings `replacing-assignments` and `replacing-unless-none`). Otherwise the parent's stays.
- An assignment to an item or attribute of a name (`TABLE["x"] = ...`) belongs to that name and is written where that is.
- A class of the modular becomes known in the parent file, unless that has one of this name or imports one from another
  file of its model.

A function or assignment that the modular imports from a parent file is inlined from there, with what it needs in turn.
Such a function replaces those of the same name in the other parent files too. What nothing needs is not written.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


_CHECKPOINT_FOR_DOC = "meta/llama"
SCALES = {"default": 1.0}


def scale(x):
    return x * SCALES["default"]


def activate(x):
    return nn.functional.silu(x)


class LlamaMLP(nn.Module):
    def forward(self, x):
        return activate(scale(x)), _CHECKPOINT_FOR_DOC
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


_CHECKPOINT_FOR_DOC = "me/my_model"
SCALES = {"default": 2.0}
SLOPE = 0.1


def activate(x):
    return x * SLOPE


def unused(x):
    return x


class MyModelMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


_CHECKPOINT_FOR_DOC = "me/my_model"


def scale(x):
    return x * SCALES["default"]


SCALES = {"default": 1.0}
SLOPE = 0.1


def activate(x):
    return x * SLOPE


class MyModelMLP(nn.Module):
    def forward(self, x):
        return activate(scale(x)), _CHECKPOINT_FOR_DOC
```

A function of one parent file is used in a class that inherits from another:

Parent `models/llama/modeling_llama.py`:

```python
def rotate(x):
    return -x


def apply_rotary(x):
    return rotate(x)
```

Parent `models/bert/modeling_bert.py`:

```python
def apply_rotary(x):
    return x


class BertLayer:
    def forward(self, x):
        return apply_rotary(x)
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..bert.modeling_bert import BertLayer
from ..llama.modeling_llama import apply_rotary


class MyModelLayer(BertLayer):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
def apply_rotary(x):
    return rotate(x)


def rotate(x):
    return -x


class MyModelLayer:
    def forward(self, x):
        return apply_rotary(x)
```
"""

import libcst as cst

from modular.rules.files.dependencies import Scope
from modular.rules.reading.renamed_file import RenamedFile
from modular.settings.settings import Settings
from modular.source.assignments import assigned_value
from modular.source.definitions import Definitions, ModuleBinding


def merge(file: RenamedFile, modular: Definitions, settings: Settings) -> Scope:
    """Return the scope in which the modular's classes that inherit from this parent file find their needs."""
    parent = file.definitions
    merged = Definitions(
        functions={**parent.functions, **modular.functions},
        assignments=dict(parent.assignments),
        classes=dict(parent.classes),
        items=dict(parent.items),
    )
    for name, definition in modular.assignments.items():
        if name not in merged.assignments or _replaces(name, definition, settings):
            merged.assignments[name] = definition
            merged.items[name] = modular.items.get(name, [])
    for name, items in modular.items.items():
        if name not in modular.assignments:
            merged.items[name] = [*merged.items.get(name, ()), *items]
    for name, definition in modular.classes.items():
        if name not in merged.classes and name not in file.all_siblings:
            merged.classes[name] = definition
    return Scope(merged, parent.lines, modular.lines)


def _replaces(name: str, definition: ModuleBinding, settings: Settings) -> bool:
    """Whether an assignment of the modular is used instead of the parent's of the same name."""
    if any(part in name for part in settings.replacing_assignments):
        return True
    if not any(part in name for part in settings.replacing_unless_none):
        return False
    value = assigned_value(definition.statement)
    return not (isinstance(value, cst.Name) and value.value == "None")
