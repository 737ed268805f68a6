"""Prefixes: a parent file is renamed to the prefix that the modular's classes use for it.

`class MyModelTextMLP(LlamaMLP)` turns `Llama` into `MyModelText`, and so all else that comes from that file. Each class
with a parent class from the file has a say: the longest common ending of the two names is taken away from its own, if it
begins with a capital and is not one of the names as a whole. If what is left is shorter than the model's cased name, and
the cased name is in the class's name, it is the cased name. If there is no such ending and the class's name is its
parent's whole name, with or without the cased name before it, the prefix is the cased name followed by the parent's cased
name. Otherwise it is the cased name. A class that keeps a name without its parent's cased name has no say.

The most frequent prefix wins; on a tie the cased name if it is among them, else the one met last. Where the winner is not
the cased name, and the parent file has classes already that begin with that prefix in its own spelling (`LlamaText`), it
is the cased name after all. More than one prefix is a warning, and so is falling back.

Imports from the model's own files name the model, whatever the prefix.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from .configuration_llama import LlamaConfig


class LlamaNorm(nn.Module):
    config: LlamaConfig


class LlamaMLP(nn.Module):
    norm = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelTextMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from .configuration_my_model import MyModelTextConfig


class MyModelTextNorm(nn.Module):
    config: MyModelTextConfig


class MyModelTextMLP(nn.Module):
    norm = MyModelTextNorm
```

With the cased name and the parent's whole name there is no ending to take away:

Parent `models/llama/modeling_llama.py`:

```python
class LlamaNorm:
    eps = 1e-6


class LlamaMLP:
    norm = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelLlamaMLP(LlamaMLP):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModelLlamaNorm:
    eps = 1e-6


class MyModelLlamaMLP:
    norm = MyModelLlamaNorm
```
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from typing import NamedTuple


def common_ending(one: str, other: str) -> str:
    """Return the longest common ending of two names; an ending that is one of the names as a whole counts as none."""
    ending = commonprefix([one[::-1], other[::-1]])[::-1]
    return "" if ending in (one, other) else ending


def shared_ending(one: str, other: str) -> str:
    """Return the common ending of two names if it starts with a capital, else nothing."""
    ending = common_ending(one, other)
    return ending if ending[:1].isupper() else ""


class Prefix(NamedTuple):
    """The prefix chosen for a parent file, all that were met, and whether the choice fell back to the cased name."""

    chosen: str
    candidates: tuple[str, ...]
    rejected: str | None = None


def class_prefix(name: str, parent: str, cased: str, parent_cased: str) -> str | None:
    """Return the prefix that one class uses for its parent's file; None if it has no say."""
    if name == parent and not name.startswith(parent_cased):
        return None
    ending = shared_ending(name, parent)
    if ending:
        prefix = name.removesuffix(ending)
        return cased if len(prefix) < len(cased) and cased in name else prefix
    if name in (parent, cased + parent):
        return cased + parent_cased
    return cased


def with_prefix(
    name: str, parent: str, prefix: str, cased: str, parent_cased: str
) -> str:
    """Return the name that a class would have with another prefix for its parent's file; nothing where there is none."""
    own = class_prefix(name, parent, cased, parent_cased)
    new = (
        prefix + name.removeprefix(own)
        if own is not None and name.startswith(own)
        else ""
    )
    return (
        new if new and class_prefix(new, parent, cased, parent_cased) == prefix else ""
    )


def choose(
    pairs: Iterable[tuple[str, str]],
    cased: str,
    parent_cased: str,
    parent_classes: Sequence[str],
) -> Prefix:
    """Choose the prefix of a parent file from the (class, parent class) pairs that use it."""
    said = (class_prefix(name, parent, cased, parent_cased) for name, parent in pairs)
    met = [prefix for prefix in said if prefix is not None]
    if not met:
        return Prefix(cased, ())
    counts = Counter(met)
    most = max(counts.values())
    best = [prefix for prefix in counts if counts[prefix] == most]
    chosen = cased if cased in best else best[-1]
    distinct = tuple(dict.fromkeys(met))
    spelled_there = chosen.replace(cased, parent_cased)
    if chosen != cased and any(
        name.startswith(spelled_there) for name in parent_classes
    ):
        return Prefix(cased, distinct, rejected=chosen)
    return Prefix(chosen, distinct)
