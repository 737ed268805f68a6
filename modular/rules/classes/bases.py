"""Bases: a flattened class has its parent's bases; further bases of the modular class replace or extend them.

The parent class itself is not a base of the flattened class: its own bases are, as they stand. A further base that the
modular class names replaces a parent's base with which it shares an ending that begins with a capital, such as
`PreTrainedVisionModel` that of `PreTrainedModel`; the parent's base may be that ending as a whole, as `ProcessorMixin` is
in `OmniModalProcessorMixin`. Any other is added after the parent's bases, unless it is among them. Where
`GradientCheckpointingLayer` is a base, `nn.Module` is dropped. Keywords such as `total=False` are the parent's.

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

from modular.rules.names.prefixes import shared_ending


CHECKPOINTING_LAYER = "GradientCheckpointingLayer"
PLAIN_MODULE = "nn.Module"


def merge_bases(parent: tuple[str, ...], further: tuple[str, ...]) -> tuple[str, ...]:
    """Return the bases of the flattened class.

    ``parent`` are the parent's bases, as written, ``further`` the modular's other than the parent class.
    """
    merged = list(parent)
    added: dict[str, None] = {}
    for base in further:
        replaced = next(
            (index for index, old in enumerate(parent) if _replaces(base, old)), None
        )
        if replaced is not None:
            merged[replaced] = base
        elif base not in parent:
            added[base] = None
    bases = (*merged, *added)
    return tuple(
        base
        for base in bases
        if not (base == PLAIN_MODULE and CHECKPOINTING_LAYER in bases)
    )


def _replaces(base: str, old: str) -> bool:
    """Whether a new base shares an ending with an old one that starts with a capital."""
    if not (base.isidentifier() and old.isidentifier()) or base == old:
        return False
    return bool(shared_ending(base, old)) or (base.endswith(old) and old[0].isupper())
