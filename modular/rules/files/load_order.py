"""Load order: what a statement uses while its file is imported is above it.

A base, a decorator, a default, an annotation and the value of a class attribute are used as soon as the statement is
reached; what is in the body of a function is not. Where the order that the modular file gives would let a statement
use what is only defined further down, that moves up, directly above its first user. All else keeps its place.

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
from contextlib import suppress

from modular.rules.files.drafts import Draft, DraftStatement
from modular.source import trees
from modular.source.blocks import Kind, split
from modular.source.parts import view_definition
from modular.source.reads import names_read_at_once


def order_for_import(draft: Draft, first_names: tuple[str, ...]) -> None:
    """Put what a statement uses at import above it, where it is below."""
    nodes = draft.ordered_statements(first_names)
    if _uses_what_is_below(nodes):
        draft.statements = {name: draft.statements[name] for name in _ordered(nodes)}


def _uses_what_is_below(nodes: Sequence[DraftStatement]) -> bool:
    below: set[str] = set()
    for node in reversed(nodes):
        if not below.isdisjoint(node.words) and _used_at_import(node, below):
            return True
        below.add(node.name)
    return False


def _ordered(nodes: Sequence[DraftStatement]) -> list[str]:
    """The names in their order, each after what it uses. Among those that use each other, the first comes last."""
    rank = {node.name: index for index, node in enumerate(nodes)}
    used = {
        node.name: sorted(_used_at_import(node, rank.keys()), key=rank.__getitem__)
        for node in nodes
    }
    ordered: dict[str, None] = {}
    begun: set[str] = set()
    waiting = list(reversed(used))
    while waiting:
        name = waiting[-1]
        missing = (
            []
            if name in begun
            else [other for other in used[name] if other not in begun]
        )
        begun.add(name)
        if missing:
            waiting += reversed(missing)
        else:
            ordered[waiting.pop()] = None
    return list(ordered)


def _used_at_import(node: DraftStatement, names: AbstractSet[str]) -> AbstractSet[str]:
    """Those of some names that a statement uses when it is reached, the bodies of functions aside."""
    used: set[str] = set()
    waiting = [*split(node.code).statements]
    while waiting:
        statement = waiting.pop()
        end = statement.head_end if statement.is_definition else None
        if not names.isdisjoint(statement.code.cut(0, end).words()):
            with suppress(trees.UnreadableError):
                used.update(names_read_at_once(trees.statement_tree(statement)))
        if statement.kind is Kind.CLASS:
            waiting += view_definition(statement).body.statements
    return used & names
