"""`**super_kwargs` in an override's parameters is replaced by the parent's parameters.

The generated method has the parent's parameters in their order:

- **If the override repeats a parameter,** the parameter has the override's annotation
  and default. It keeps the parent's position and kind.
- **A new parameter** comes after the parent's parameters of the same kind.
- **The first parameter, `*args` and `**kwargs` always come from the parent**, with the
  comma and the comment that follow them. If the parent has no `*args`, the override's
  `*args` is used.
- **A parameter without a default after one with a default** is an error, because Python
  does not allow that order.

An override without `**super_kwargs` has exactly the parameters that you write.

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

from collections.abc import Sequence
from typing import Any, NamedTuple

from libcst import MaybeSentinel, Param, Parameters


SUPER_KWARGS = "super_kwargs"
_KINDS = ("posonly_params", "params", "kwonly_params")


class MergedParameters(NamedTuple):
    """The result of merging the parameters of two methods.

    Attributes:
        parameters: The merged parameters. If one is misplaced, they are those of the
            override, as written.
        misplaced: The name of a parameter without a default after one with a default,
            which Python does not allow; otherwise empty.
    """

    parameters: Parameters
    misplaced: str = ""


def merge_parameters(parent: Parameters, child: Parameters) -> MergedParameters:
    """Merge the parameters of an override that ends with `**super_kwargs`.

    Args:
        parent: The parameters of the parent's method.
        child: The parameters of the override.
    """
    added = _without_first(child)
    if not parent.posonly_params:
        added = added.with_changes(
            posonly_params=(),
            posonly_ind=MaybeSentinel.DEFAULT,
            params=(*added.posonly_params, *added.params),
        )

    parent_names = {param.name.value for param in _named_parameters(parent)}
    overriding = {param.name.value: param for param in _named_parameters(added)}
    changes: dict[str, Any] = {}
    for kind in _KINDS:
        merged = []
        for param in getattr(parent, kind):
            merged.append(overriding.get(param.name.value, param))
        for param in getattr(added, kind):
            if param.name.value not in parent_names:
                merged.append(param)
        changes[kind] = merged

    misplaced = _find_misplaced([*changes["posonly_params"], *changes["params"]])
    if misplaced:
        return MergedParameters(child, misplaced)
    if isinstance(parent.star_arg, MaybeSentinel):
        changes["star_arg"] = added.star_arg
    return MergedParameters(parent.with_changes(**changes))


def _find_misplaced(positional: Sequence[Param]) -> str:
    """Return the first parameter without a default after one with a default.

    Returns:
        Its name, or an empty string if there is none.
    """
    has_default = False
    for param in positional:
        if param.default is not None:
            has_default = True
        elif has_default:
            return param.name.value
    return ""


def _named_parameters(parameters: Parameters) -> list[Param]:
    """Return all parameters except `*args` and `**kwargs`."""
    return [param for kind in _KINDS for param in getattr(parameters, kind)]


def _without_first(parameters: Parameters) -> Parameters:
    """Return the parameters without the first one, which is mostly `self`."""
    if not parameters.posonly_params:
        return parameters.with_changes(params=parameters.params[1:])
    rest = parameters.posonly_params[1:]
    if rest:
        return parameters.with_changes(posonly_params=rest)
    return parameters.with_changes(
        posonly_params=rest, posonly_ind=MaybeSentinel.DEFAULT
    )
