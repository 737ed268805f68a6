'''Class names: the modular class keeps its name, and the strings and comments of its parent follow it.

Where the name differs from that of the parent's class after the renaming, what the two begin with (the names without their
common ending) is renamed too, in the strings and comments of the class but not in its code: the code needs the other
classes of the file under their names. (That the classes below mention two prefixes is a warning: see `prefixes`.)

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    """The MLP of Llama. A LlamaMLP has a norm."""

    norm = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP, LlamaNorm


class MyModelNorm(LlamaNorm):
    pass


class MyModelMLP(LlamaMLP):
    pass


class MyModelVisionMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelNorm(nn.Module):
    eps = 1e-6


class MyModelMLP(nn.Module):
    """The MLP of MyModel. A MyModelMLP has a norm."""

    norm = MyModelNorm


class MyModelVisionMLP(nn.Module):
    """The MLP of MyModelVision. A MyModelVisionMLP has a norm."""

    norm = MyModelNorm
```
'''

from modular.rules.names.cased_names import CasedNames
from modular.rules.names.prefixes import common_ending
from modular.rules.names.renaming import ModelNameForms, Renamer, rename_prose
from modular.source.code import SourceSlice


def rename_prose_of_class(
    code: SourceSlice, parent: str, own: str, names: CasedNames, keep: frozenset[str]
) -> SourceSlice:
    """Rename the beginning in which two class names differ, in a class's strings and comments but not in its code."""
    if parent == own:
        return code
    ending = common_ending(parent, own)
    old, new = parent.removesuffix(ending), own.removesuffix(ending)
    old_lower, lower, text = names.lower(old), names.lower(new), code.text.lower()
    if old_lower.lower() not in text and names.cased(old_lower).lower() not in text:
        return code
    name_forms = ModelNameForms(old_lower, names.cased(old_lower), keep, ())
    return rename_prose(code, Renamer(name_forms, lower, names.cased(lower), lower))
