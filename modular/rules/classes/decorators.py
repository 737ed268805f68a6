"""A class or method has the modular's decorators if it has any, else the parent's.

- **`@no_inherit_decorator` removes the parent's decorators** and adds none. It must be
  the only decorator: together with other decorators it is an error, because they
  replace the parent's decorators anyway. modular does not write `@no_inherit_decorator`
  or its import to the generated file.
- **Decorators of the setting `added-decorators`,** such as `@deprecate_kwarg`, come
  below the parent's if the override has no others.

Settings `pyproject.toml`:

```toml
[tool.modular]
added-decorators = ["deprecate_kwarg"]
```

Parent `models/llama/modeling_llama.py`:

```python
import torch
from torch import nn

from ...utils import auto_docstring


@auto_docstring
class LlamaModel(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x

    @torch.no_grad()
    def embed(self, x):
        return x

    @torch.no_grad()
    def norm(self, x):
        return x

    @torch.no_grad()
    def scale(self, x, by):
        return x * by
```

Modular `models/my_model/modular_my_model.py`:

```python
import torch

from ...utils.deprecation import deprecate_kwarg
from ...utils.modular import no_inherit_decorator
from ..llama.modeling_llama import LlamaModel


@no_inherit_decorator
class MyModel(LlamaModel):
    def forward(self, x):
        return x + 1

    @torch.compile
    def embed(self, x):
        return x + 2

    @no_inherit_decorator
    def norm(self, x):
        return x + 3

    @deprecate_kwarg("by", "6.0")
    def scale(self, x, factor):
        return x * factor
```

Output `models/my_model/modeling_my_model.py`:

```python
import torch
from torch import nn

from ...utils.deprecation import deprecate_kwarg


class MyModel(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return x + 1

    @torch.compile
    def embed(self, x):
        return x + 2

    def norm(self, x):
        return x + 3

    @torch.no_grad()
    @deprecate_kwarg("by", "6.0")
    def scale(self, x, factor):
        return x * factor
```
"""

from collections.abc import Collection, Iterator

from modular.source.definition_view import DefinitionView
from modular.source.scan import lines_at_depth
from modular.source.source_slice import SourceSlice


NO_INHERIT_DECORATOR = "no_inherit_decorator"


def merge_decorators(
    parent: DefinitionView, child: DefinitionView, added: Collection[str]
) -> list[SourceSlice]:
    """Return the decorators of a class or method that overrides one of a parent file.

    If the child has decorators, they replace those of the parent, and otherwise it
    inherits them. With `@no_inherit_decorator`, the result has none at all. If the child
    has only decorators of the setting `added-decorators`, such as `@deprecate_kwarg`,
    it inherits the parent's and adds its own below.

    Args:
        parent: The class or method of the parent file.
        child: That of the modular file.
        added: The names in the setting `added-decorators`.
    """
    if not child.decorators.text:
        return [parent.decorators]
    if has_no_inherit_decorator(child):
        return []
    merged = []
    # Parsing is slow, so decorators without any of the names are not parsed.
    may_be_added = any(name in child.decorators.mask for name in added)
    if may_be_added and short_decorator_names(child).issubset(added):
        repeated = {code.normalized() for _, code in split_decorators(child)}
        for _, code in split_decorators(parent):
            if code.normalized() not in repeated:
                merged.append(code)
    merged.append(child.decorators)
    return merged


def split_decorators(view: DefinitionView) -> Iterator[tuple[str, SourceSlice]]:
    """Yield each decorator of a class or method as a pair of its name and its lines.

    The name of `@nn.wrap(size=1)` is `nn.wrap`.
    """
    code = view.decorators
    if not code.text:
        return
    # A decorator begins on each line that has the indent of the definition and is not
    # inside brackets. A line with a comment is blank in the mask, so it begins none: in
    # `@wrap`, `# why`, `@cache`, the comment belongs to `@wrap`.
    starts = lines_at_depth(code.mask, first=0, indent=view.statement.indent)
    yield from zip(view.decorator_names, code.cut_at(list(starts)), strict=True)


def has_no_inherit_decorator(child: DefinitionView) -> bool:
    """Whether a class or method has the decorator `no_inherit_decorator`."""
    if NO_INHERIT_DECORATOR not in child.decorators.mask:
        return False
    return NO_INHERIT_DECORATOR in short_decorator_names(child)


def short_decorator_names(view: DefinitionView) -> set[str]:
    """Return the last word of each decorator's name: `wrap` for `@nn.wrap`."""
    return {name.rpartition(".")[2] for name in view.decorator_names}
