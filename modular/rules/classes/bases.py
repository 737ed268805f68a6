"""A generated class gets the bases of its parent class, and the bases that you add.

In the modular file, your class inherits from the parent class. The generated class does
not inherit from the parent class: it gets the bases of the parent class instead. So
`MyModelMLP(LlamaMLP)` becomes `MyModelMLP(nn.Module)` if `LlamaMLP` inherits from
`nn.Module`.

To get other bases, write them after the parent class:

- **Your base replaces a base of the parent** if both names end with the same word. In
  the example, `PreTrainedVisionModel` replaces `PreTrainedModel`, because both end with
  `Model`. A dotted base, such as `nn.Module`, is never replaced.
- **Any other base is added** after the parent's bases, unless the parent class already
  has this base.
- **`nn.Module` is dropped** if you add `GradientCheckpointingLayer`, which inherits
  from `nn.Module`.

You cannot change keywords in the class header, such as `total=False`: the generated
class gets the keywords of the parent class. modular does not copy a comment at the end
of your `class` line to the generated file.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from ...modeling_utils import PreTrainedModel


class LlamaPreTrainedModel(PreTrainedModel):
    base_model_prefix = "model"


class LlamaDecoderLayer(nn.Module):
    is_decoder = True
```

Modular `models/my_model/modular_my_model.py`:

```python
from ...modeling_layers import GradientCheckpointingLayer
from ...modeling_utils import PreTrainedVisionModel
from ..llama.modeling_llama import LlamaDecoderLayer, LlamaPreTrainedModel


class MyModelPreTrainedModel(LlamaPreTrainedModel, PreTrainedVisionModel):
    pass


class MyModelDecoderLayer(LlamaDecoderLayer, GradientCheckpointingLayer):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from ...modeling_layers import GradientCheckpointingLayer
from ...modeling_utils import PreTrainedVisionModel


class MyModelPreTrainedModel(PreTrainedVisionModel):
    base_model_prefix = "model"


class MyModelDecoderLayer(GradientCheckpointingLayer):
    is_decoder = True
```
"""

from modular.rules.names.prefixes import common_capitalized_ending


CHECKPOINTING_LAYER = "GradientCheckpointingLayer"
NN_MODULE = "nn.Module"


def merge_bases(
    parent_bases: tuple[str, ...], child_bases: tuple[str, ...]
) -> tuple[str, ...]:
    """Merge the bases of a child class into the bases of its parent class.

    A base of the child replaces a base of the parent with a similar name, and is added
    at the end otherwise. `class Child(Parent, PreTrainedVisionModel)` becomes
    `class Child(PreTrainedVisionModel)` if the parent inherits from `PreTrainedModel`.

    Args:
        parent_bases: The bases of the parent class, as written.
        child_bases: The bases of the child class, except the parent class.
    """
    merged = list(parent_bases)
    for base in child_bases:
        replaced = find_replaced(base, parent_bases)
        if replaced is not None:
            merged[parent_bases.index(replaced)] = base
        elif base not in parent_bases and base not in merged:
            merged.append(base)
    return _without_nn_module(merged)


def merge_bases_in_order(
    parent_bases: tuple[str, ...], child_bases: tuple[str, ...], parent: str
) -> tuple[str, ...]:
    """Put the bases of a parent class in its place among the bases of a child class.

    `class Child(Mixin, Parent, Other)` becomes `class Child(Mixin, Base, Other)` if the
    parent class inherits from `Base`. Python searches the bases in this order. With the
    base `GradientCheckpointingLayer`, the base `nn.Module` is left out, and with another
    base below it, the base `object`.

    Args:
        parent_bases: The bases of the parent class, as written.
        child_bases: The bases of the child class.
        parent: The name of the parent class, which is one of the child's bases.
    """
    index = child_bases.index(parent)
    merged = list(child_bases[:index])
    for base in (*parent_bases, *child_bases[index + 1 :]):
        if base not in merged:
            merged.append(base)
    # Python rejects `class Child(object, Other)`, because `Other` inherits from `object`.
    if "object" in merged[:-1]:
        merged.remove("object")
    return _without_nn_module(merged)


def _without_nn_module(bases: list[str]) -> tuple[str, ...]:
    """Return the bases without `nn.Module` if `GradientCheckpointingLayer` is a base.

    `GradientCheckpointingLayer` inherits from `nn.Module`.
    """
    if CHECKPOINTING_LAYER in bases:
        bases = [base for base in bases if base != NN_MODULE]
    return tuple(bases)


def find_replaced(base: str, parent_bases: tuple[str, ...]) -> str | None:
    """Return the base of the parent that a base of the child replaces, or None."""
    for parent_base in parent_bases:
        if _replaces(base, parent_base):
            return parent_base
    return None


def _replaces(base: str, parent_base: str) -> bool:
    """Whether a child's base replaces a parent's base, because their names end alike.

    `PreTrainedVisionModel` replaces `PreTrainedModel`, and `OmniProcessorMixin` replaces
    `ProcessorMixin`. The common ending, here `Model` or `ProcessorMixin`, begins with a
    capital. Dotted bases such as `nn.Module` are never replaced.
    """
    are_plain_names = base.isidentifier() and parent_base.isidentifier()
    if not are_plain_names or base == parent_base:
        return False
    # `OmniProcessorMixin` and `ProcessorMixin`
    if base.endswith(parent_base) and parent_base[0].isupper():
        return True
    # `PreTrainedVisionModel` and `PreTrainedModel`
    return bool(common_capitalized_ending(base, parent_base))
