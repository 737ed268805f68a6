"""`**super_kwargs` in an override's parameters is replaced by the parent's parameters.

With `**super_kwargs`, you write only the parameters that you change or add. In the
example, `forward` changes the default of `use_cache` and adds `pixel_values`, and
modular adds all other parameters of the parent's `forward`:

- **A parameter that you repeat** gets your annotation and your default, but keeps its
  position among the parent's parameters.
- **A new parameter** comes after the parent's parameters of the same kind.
- **The first parameter, `*args` and `**kwargs` always come from the parent.** If the
  parent has no `*args`, the generated method gets yours.
- **A parameter without a default after one with a default** is an error, as in Python.

Without `**super_kwargs`, a method has exactly the parameters that you write.

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
from typing import NamedTuple

from libcst import MaybeSentinel, Param, Parameters


SUPER_KWARGS = "super_kwargs"
_KINDS = ("posonly_params", "params", "kwonly_params")
"""The names of LibCST for lists of parameters: `a`, `b` and `c` of `a, /, b, *, c`."""


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
    """Replace `**super_kwargs` in the parameters of an override with the parent's.

    With the parent's `def f(self, a, x=0)`, the child's `def f(self, x=1, **super_kwargs)`
    becomes `def f(self, a, x=1)`.

    Args:
        parent: The parameters of the parent's method.
        child: The parameters of the override, which end with `**super_kwargs`.

    Returns:
        The merged parameters. If a parameter without a default would follow a parameter
        with a default, as in `x=1, y`, the child's parameters are returned unchanged, with
        the name `y` in `misplaced`.
    """
    # The kinds are positional-only parameters, ordinary ones, and keywords.
    parent_params = {kind: getattr(parent, kind) for kind in _KINDS}
    child_params = _child_params_by_kind(parent, child)
    parent_by_name = _params_by_name(parent_params)
    child_by_name = _params_by_name(child_params)
    merged: dict[str, list[Param]] = {}
    for kind in _KINDS:
        merged[kind] = []
        # The child's parameter replaces the parent's of the same name in its place.
        for param in parent_params[kind]:
            merged[kind].append(child_by_name.get(param.name.value, param))
        # The child's new parameters follow.
        for param in child_params[kind]:
            if param.name.value not in parent_by_name:
                merged[kind].append(param)

    misplaced = _find_misplaced(merged["posonly_params"] + merged["params"])
    if misplaced:
        return MergedParameters(child, misplaced)
    parameters = parent.with_changes(**merged)
    # The parent has no `*args`, so the child can have one.
    if isinstance(parent.star_arg, MaybeSentinel):
        parameters = parameters.with_changes(star_arg=child.star_arg)
    return MergedParameters(parameters)


def _find_misplaced(positional: Sequence[Param]) -> str:
    """Return the first parameter without a default that follows one with a default.

    Python rejects such parameters: `def f(x=0, y)` is a syntax error.

    Returns:
        The name of the parameter, or an empty string if there is none.
    """
    has_default = False
    for param in positional:
        if param.default is not None:
            has_default = True
        elif has_default:
            return param.name.value
    return ""


def _params_by_name(params_by_kind: Mapping[str, Sequence[Param]]) -> dict[str, Param]:
    """Return parameters of all kinds by their names."""
    by_name = {}
    for params in params_by_kind.values():
        for param in params:
            by_name[param.name.value] = param
    return by_name


def _child_params_by_kind(
    parent: Parameters, child: Parameters
) -> dict[str, list[Param]]:
    """Return the parameters of an override by the kinds that they get when merged.

    The kinds are those of LibCST: `posonly_params` for positional-only parameters,
    `kwonly_params` for keywords, and `params` for all others. The first parameter, mostly
    `self`, is left out, and so are `*args` and `**kwargs`, which are merged separately.

    Args:
        parent: The parameters of the parent's method.
        child: The parameters of the override.
    """
    positional_only = list(child.posonly_params)
    normal = list(child.params)
    # `self` is positional-only in `def f(self, x, /, y)`, but ordinary in
    # `def f(self, y)`.
    if positional_only:
        del positional_only[0]
    else:
        del normal[:1]
    # If the parent's `self` is ordinary, positional-only parameters would come before it
    # in the merged header. So they become ordinary ones, too.
    if not parent.posonly_params:
        normal = positional_only + normal
        positional_only = []
    return {
        "posonly_params": positional_only,
        "params": normal,
        "kwonly_params": list(child.kwonly_params),
    }
