'''Your class keeps its name, and the strings and comments that it inherits use this name.

In most models, one new name replaces the name of the parent's model everywhere: `Llama`
becomes `MyModel` (see `prefixes`). Suppose that you also write a class
`MyModelVisionMLP(LlamaMLP)`, whose name has the additional word `Vision`. In the code
that this class inherits, modular then replaces `Llama` in two ways:

- **In strings and comments,** `Llama` becomes `MyModelVision`. So the docstring of
  `MyModelVisionMLP` uses the name of this class.
- **In all other code,** `Llama` becomes `MyModel`, because this code uses the other
  generated classes, such as `MyModelNorm`.

modular reports that your classes use two prefixes for one parent file
([MOD405](../rules/MOD405.md)).

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

from modular.project.cased_names import CasedNames
from modular.rules.names.prefixes import common_ending
from modular.rules.names.renaming import ModelNameForms, Renamer, rename_prose
from modular.settings.file_names import NO_FILE_NAMES
from modular.source.source_slice import SourceSlice


def rename_prose_of_class(
    code: SourceSlice,
    parent: str,
    child: str,
    names: CasedNames,
    keep: frozenset[str],
) -> SourceSlice:
    """Rename a parent class to its child class in strings and comments.

    The parent file is already renamed: `LlamaMLP` is `MyModelMLP` in it. If the child
    is called `MyModelVisionMLP`, both names end with `MLP`. So `MyModel` in strings and
    comments becomes `MyModelVision`, and `my_model` becomes `my_model_vision`.

    Args:
        code: Code of the parent class in the renamed file.
        parent: The name of the parent class in the renamed file.
        child: The name of the child class.
        names: Converts model names to their form in class names, and back.
        keep: The names that are never renamed.
    """
    if parent == child:
        return code
    ending = common_ending(parent, child)
    # These are `my_model` and `MyModel`.
    old_lower = names.lower(parent.removesuffix(ending))
    old_cased = names.cased(old_lower)
    # These are `my_model_vision` and `MyModelVision`.
    new_lower = names.lower(child.removesuffix(ending))
    new_cased = names.cased(new_lower)
    # Renaming is slow, so code without the old name is returned at once.
    lower_text = code.text.lower()
    if not any(form.lower() in lower_text for form in (old_lower, old_cased)):
        return code
    # `file_names` and `model` matter only for imports, and prose contains none.
    renamer = Renamer(
        old=ModelNameForms(old_lower, old_cased, keep, file_names=NO_FILE_NAMES),
        new=new_lower,
        cased_new=new_cased,
        model=new_lower,
    )
    return rename_prose(code, renamer)
