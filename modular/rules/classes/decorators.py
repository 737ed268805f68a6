"""A generated class or method gets your decorators, or its parent's if you write none.

If you write a decorator in the modular file, the generated class or method gets none of
the parent's decorators. Repeat the parent's decorators that you want to keep. If you
want no decorators at all, write `@no_inherit_decorator`. The generated file contains
neither this decorator nor its import.

- **Write nothing beside `@no_inherit_decorator`.** Any other decorator already replaces
  the parent's, so both together are an error.
- **The setting `added-decorators`** lists decorators that do not replace the parent's,
  but that modular adds below the parent's decorators, such as `@deprecate_kwarg`. If
  you also write a decorator that is not in the list, all of your decorators replace
  those of the parent.
- **Comments between the decorators and the definition** always come from the parent.

In the example, `forward` keeps the parent's decorator, `embed` gets another one, `norm`
gets none, and `scale` gets an additional one.

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
    """Return the decorators of a generated class or method.

    The child decides:

    - A child without decorators has those of the parent.
    - A child with `@no_inherit_decorator` has none.
    - A child with only decorators of the setting `added-decorators`, such as
      `@deprecate_kwarg`, has those of the parent and its own below them. A decorator
      that both have is written only once, below.
    - Any other child has only its own decorators.

    Comments between the decorators and the definition are always the parent's.

    Args:
        parent: The class or method of the parent file.
        child: The class or method of the modular file.
        added: The names in the setting `added-decorators`.
    """
    if not child.decorators.text:
        return [parent.decorators]
    _, comments = _split_comments_below(parent.decorators)
    if has_no_inherit_decorator(child):
        return [comments]
    child_decorators, _ = _split_comments_below(child.decorators)
    adds_to_parent = _has_only(child, added)
    if adds_to_parent:
        parent_decorators = _decorators_of_parent_alone(parent, child)
        return [*parent_decorators, child_decorators, comments]
    return [child_decorators, comments]


def _split_comments_below(code: SourceSlice) -> tuple[SourceSlice, SourceSlice]:
    """Split lines with decorators into the decorators and the comments below the last."""
    # Comments are blank in the masked text.
    last_character = len(code.masked_text.rstrip())
    end = code.masked_text.find("\n", last_character) + 1
    return code.cut(0, end), code.cut(end)


def _has_only(child: DefinitionView, names: Collection[str]) -> bool:
    """Whether the name of each decorator of a class or method is one of some names."""
    # Parsing is slow, so decorators without any of the names are not parsed.
    if not any(name in child.decorators.masked_text for name in names):
        return False
    return short_decorator_names(child).issubset(names)


def _decorators_of_parent_alone(
    parent: DefinitionView, child: DefinitionView
) -> Iterator[SourceSlice]:
    """Yield the parent's decorators, except for those that the child also has.

    The comments below the parent's last decorator are left out.
    """
    child_decorators = {code.normalized() for _, code in split_decorators(child)}
    for _, code in split_decorators(parent):
        if code.normalized() in child_decorators:
            continue
        is_last = code.text and parent.decorators.text.endswith(code.text)
        if is_last:
            code, _ = _split_comments_below(code)
        yield code


def split_decorators(view: DefinitionView) -> Iterator[tuple[str, SourceSlice]]:
    """Yield each decorator of a class or method as a pair of its name and its lines.

    The name of `@nn.wrap(size=1)` is `nn.wrap`. The comment below `@wrap` belongs to the
    lines of `@wrap`:

        @wrap
        # why
        @cache
    """
    code = view.decorators
    if not code.text:
        return
    # A decorator starts on a line that has the indent of the definition and is not inside
    # brackets. Comments are blank in the masked text, so they start nothing.
    starts = lines_at_depth(code.masked_text, first=0, indent=view.statement.indent)
    yield from zip(view.decorator_names, code.cut_at(list(starts)), strict=True)


def has_no_inherit_decorator(child: DefinitionView) -> bool:
    """Whether a class or method has the decorator `no_inherit_decorator`."""
    if NO_INHERIT_DECORATOR not in child.decorators.masked_text:
        return False
    return NO_INHERIT_DECORATOR in short_decorator_names(child)


def short_decorator_names(view: DefinitionView) -> set[str]:
    """Return the last word of each decorator's name: `wrap` for `@nn.wrap`."""
    return {name.rpartition(".")[2] for name in view.decorator_names}
