"""`**super_kwargs`: in a list of parameters it refers to the parent's parameters.

The parent's parameters come in their order. Those that the override names too have the override's form, in the parent's
place and of the parent's kind; its new ones are after the parent's of their kind. The override's first parameter, which
is `self` mostly, does not count: the parent's first, its `*args` and its `**kwargs` stay, with the comma and the comment
after them. Where a parameter without a default would come after one with a
default, that is an error. In an override without `**super_kwargs` the parameters are its own, as they stand.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaModel:
    def forward(self, input_ids, attention_mask=None, use_cache: bool = True, **kwargs) -> tuple:
        return input_ids, attention_mask, use_cache, kwargs
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaModel


class MyModel(LlamaModel):
    def forward(self, use_cache: bool = False, pixel_values=None, **super_kwargs):
        return super().forward(**super_kwargs)
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModel:
    def forward(self, input_ids, attention_mask=None, use_cache: bool = False, pixel_values=None, **kwargs) -> tuple:
        return input_ids, attention_mask, use_cache, kwargs
```
"""

from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple

from libcst import MaybeSentinel, Param, Parameters


NAME = "super_kwargs"
_KINDS = ("posonly_params", "params", "kwonly_params")
_Named = Mapping[str, Param]


class Merged(NamedTuple):
    """A merged list of parameters; or, in ``misplaced``, one without a default that would come after one with a default."""

    parameters: Parameters
    misplaced: str = ""


def merge_parameters(theirs: Parameters, ours: Parameters) -> Merged:
    """Return the parameters that the modular's own ones, which end with `**super_kwargs`, refer to."""
    written, ours = ours, _without_first(ours)
    if not theirs.posonly_params:
        params = (*ours.posonly_params, *ours.params)
        ours = ours.with_changes(
            posonly_params=(), posonly_ind=MaybeSentinel.DEFAULT, params=params
        )
    known, override = _by_name(theirs), _by_name(ours)
    kinds = {
        kind: _merge(getattr(theirs, kind), getattr(ours, kind), known, override)
        for kind in _KINDS
    }
    if misplaced := _misplaced([*kinds["posonly_params"], *kinds["params"]]):
        return Merged(written, misplaced)
    star = (
        ours.star_arg if isinstance(theirs.star_arg, MaybeSentinel) else theirs.star_arg
    )
    return Merged(theirs.with_changes(star_arg=star, **kinds))


def _misplaced(positional: Sequence[Param]) -> str:
    """The name of the first parameter without a default after one with a default, or nothing."""
    following = dropwhile(lambda param: param.default is None, positional)
    return next((param.name.value for param in following if param.default is None), "")


def _by_name(parameters: Parameters) -> dict[str, Param]:
    return {
        param.name.value: param
        for kind in _KINDS
        for param in getattr(parameters, kind)
    }


def _without_first(parameters: Parameters) -> Parameters:
    """Leave out the first positional parameter: the parent's counts."""
    if parameters.posonly_params:
        rest = parameters.posonly_params[1:]
        return parameters.with_changes(
            posonly_params=rest,
            posonly_ind=parameters.posonly_ind if rest else MaybeSentinel.DEFAULT,
        )
    return parameters.with_changes(params=parameters.params[1:])


def _merge(
    theirs: Sequence[Param], ours: Sequence[Param], known: _Named, override: _Named
) -> list[Param]:
    """Merge parameters of one kind.

    The parent's come in their order, ours of the same name in their place whatever their kind, the others after them.
    """
    merged = [override.get(param.name.value, param) for param in theirs]
    return merged + [param for param in ours if param.name.value not in known]
