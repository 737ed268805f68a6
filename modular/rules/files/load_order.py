"""Names that a statement uses while its file is imported are defined before it.

Bases, decorators, defaults, annotations and values of class attributes are used as soon
as Python reaches the statement. The body of a function is not. For
`norm_class = MyModelNorm` in a class body, `MyModelNorm` must be defined above the
class.

- **If the modular file's order puts such a name further down,** its definition moves
  up, directly above the first statement that uses it.
- **All other statements** keep their places.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    norm_class = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP, LlamaNorm


class MyModelMLP(LlamaMLP):
    pass


class MyModelNorm(LlamaNorm):
    eps = 1e-5
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelNorm(nn.Module):
    eps = 1e-5


class MyModelMLP(nn.Module):
    norm_class = MyModelNorm
```
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from modular.rules.files.drafts import Draft, DraftStatement
from modular.semantics.statements import find_names_read_at_once
from modular.source.blocks import split


def order_for_import(draft: Draft, first_names: tuple[str, ...]) -> None:
    """Order the statements of a generated file so that importing it succeeds.

    A base, decorator or default is used at import time. Its definition moves above the
    statement that uses it.

    Args:
        draft: The generated file, which is changed in place.
        first_names: The names that come first in every file.
    """
    statements = draft.ordered_statements(first_names)
    if _uses_later_names(statements):
        names = _put_used_names_first(statements)
        draft.statements = {name: draft.statements[name] for name in names}


def _uses_later_names(statements: Sequence[DraftStatement]) -> bool:
    """Whether a statement uses a name at import time that is defined below it."""
    names_below: set[str] = set()
    for statement in reversed(statements):
        # Parsing is slow, so a statement without any of the words is not parsed.
        has_word = not names_below.isdisjoint(statement.words)
        if has_word and _used_at_import(statement, names_below):
            return True
        names_below.add(statement.name)
    return False


def _put_used_names_first(statements: Sequence[DraftStatement]) -> list[str]:
    """Return the names of statements, ordered so that each follows those that it uses.

    Only uses at import time count. Otherwise the order stays. If two names use each
    other, no order is right.
    """
    positions = {statement.name: index for index, statement in enumerate(statements)}
    used_names: dict[str, list[str]] = {}
    for statement in statements:
        used = _used_at_import(statement, positions.keys())
        used_names[statement.name] = sorted(used, key=positions.__getitem__)

    # This is a depth-first search without recursion. When a name is on top of the stack
    # for the first time, the names that it uses are put above it. When it is on top
    # again, they are all in the order, and the name follows them.
    # The keys of this dict are the order.
    ordered: dict[str, None] = {}
    visited: set[str] = set()
    stack = list(reversed(positions))
    while stack:
        name = stack[-1]
        if name not in visited:
            visited.add(name)
            unvisited = [used for used in used_names[name] if used not in visited]
            stack += reversed(unvisited)
            continue
        stack.pop()
        # A name that was put on the stack twice keeps its first place in the order.
        ordered[name] = None
    return list(ordered)


def _used_at_import(
    draft_statement: DraftStatement, names: AbstractSet[str]
) -> AbstractSet[str]:
    """Return those of the given names that a statement uses at import time.

    The bodies of functions do not count, because they run later.
    """
    used: set[str] = set()
    for statement in split(draft_statement.code).statements:
        used |= find_names_read_at_once(statement, names)
    return used
