"""Methods: the parent's in their order, replaced in place by the modular's; new ones are at the end.

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

from collections import Counter
from collections.abc import Mapping, Sequence

from modular.source.blocks import Kind, Statement
from modular.source.parts import DefinitionView, view_definition


_ACCESSORS = ("setter", "deleter", "getter")
_OVERLOAD = "overload"
_OVERLOAD_KEY = f".{_OVERLOAD}"


def methods(statements: Sequence[Statement]) -> dict[str, DefinitionView]:
    """Return the methods among the statements of a class body, by name; a setter's key tells it from its property."""
    by_key: dict[str, DefinitionView] = {}
    overloads: Counter[str] = Counter()
    for statement in statements:
        if statement.kind is Kind.FUNCTION:
            parts = view_definition(statement)
            key = _key(parts)
            if key.endswith(_OVERLOAD_KEY):
                overloads[key] += 1
                key = f"{key}{overloads[key]}"
            by_key[key] = parts
    return by_key


def order_methods(
    parent: Mapping[str, DefinitionView], own: Mapping[str, DefinitionView]
) -> list[str]:
    """Return the keys of the flattened class's methods in their order.

    A modular that overloads a method replaces all overloads of the parent's.
    """
    overloads: dict[str, list[str]] = {}
    for key, parts in own.items():
        if _OVERLOAD_KEY in key:
            overloads.setdefault(parts.name, []).append(key)
    keys: dict[str, None] = {}
    for key, parts in parent.items():
        keys.update(dict.fromkeys(overloads.get(parts.name, ())))
        if not (parts.name in overloads and _OVERLOAD_KEY in key):
            keys[key] = None
    return list(keys | dict.fromkeys(own))


def may_share_name(decorators: str) -> bool:
    """Whether a method with these decorators may be one of several with its name, which their keys tell apart."""
    return any(word in decorators for word in (*_ACCESSORS, _OVERLOAD))


def _key(parts: DefinitionView) -> str:
    """A method's name and, for an accessor or an overload, what it is."""
    statement = parts.statement
    if not may_share_name(parts.code.mask[statement.start : statement.opening]):
        return parts.name
    names = [decorator_name.rpartition(".") for decorator_name in parts.decorator_names]
    for owner, _, name in names:
        if owner and name in _ACCESSORS:
            return f"{parts.name}.{name}"
    return (
        f"{parts.name}{_OVERLOAD_KEY}"
        if any(name == _OVERLOAD for _, _, name in names)
        else parts.name
    )
