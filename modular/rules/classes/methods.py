"""Methods: the parent's in their order, replaced in place by the modular's; new ones stand at the end.

A property, its setter and its deleter are methods of their own, each replaced by its like. A method that the modular
overloads loses all its overloads in the parent. An override has the modular's parameters, its body and its return
annotation; where it has no return annotation, the parent's. The comments above it are the parent's, as are those between the
`(` and the first parameter, and it is `async` where the parent's is.

Parent `models/llama/modeling_llama.py`:

```python
class LlamaCache:
    # The number of tokens that were seen.
    @property
    def seen(self) -> int:
        return self._seen

    @seen.setter
    def seen(self, value):
        self._seen = value

    def update(self, keys):
        return keys
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaCache


class MyModelCache(LlamaCache):
    def reset(self):
        self.seen = 0

    @seen.setter
    def seen(self, value):
        self._seen = max(0, value)

    # In tokens.
    def seen(self):
        return self._seen + 1
```

Output `models/my_model/modeling_my_model.py`:

```python
class MyModelCache:
    # The number of tokens that were seen.
    @property
    def seen(self) -> int:
        return self._seen + 1

    @seen.setter
    def seen(self, value):
        self._seen = max(0, value)

    def update(self, keys):
        return keys

    def reset(self):
        self.seen = 0
```
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from modular.source.blocks import Kind, Statement


if TYPE_CHECKING:
    from modular.source.parts import Parts


_ACCESSORS = ("setter", "deleter", "getter")
_OVERLOAD = "overload"
_OVERLOAD_KEY = f".{_OVERLOAD}"


def methods(statements: Sequence[Statement]) -> "dict[str, Parts]":
    """Return the methods among the statements of a class body, by name; a setter's key tells it from its property."""
    found: dict[str, Parts] = {}
    for statement in statements:
        if statement.kind is Kind.FUNCTION:
            parts = statement.parts
            found[_key(parts, found)] = parts
    return found


def in_order(parent: "Mapping[str, Parts]", own: "Mapping[str, Parts]") -> list[str]:
    """Return the keys of the flattened class's methods in their order.

    A modular that overloads a method replaces all overloads of the parent's.
    """
    overloaded = {parts.name for key, parts in own.items() if _OVERLOAD_KEY in key}
    keys: list[str] = []
    for key, parts in parent.items():
        if parts.name in overloaded:
            keys += [each for each in own if each.startswith(parts.name + _OVERLOAD_KEY) and each not in keys]
        if not (parts.name in overloaded and _OVERLOAD_KEY in key):
            keys.append(key)
    return [*keys, *(key for key in own if key not in keys)]


def may_share_name(decorators: str) -> bool:
    """Whether a method with these decorators may be one of several with its name, which their keys tell apart."""
    return any(word in decorators for word in (*_ACCESSORS, _OVERLOAD))


def _key(parts: "Parts", found: "dict[str, Parts]") -> str:
    statement = parts.statement
    if not may_share_name(parts.code.mask[statement.start : statement.opening]):
        return parts.name
    names = [each.rpartition(".") for each in parts.decorator_names]
    for owner, _, name in names:
        if owner and name in _ACCESSORS:
            return f"{parts.name}.{name}"
    if any(name == _OVERLOAD for _, _, name in names):
        overloads = sum(key.startswith(parts.name + _OVERLOAD_KEY) for key in found)
        return f"{parts.name}{_OVERLOAD_KEY}{overloads}"
    return parts.name
