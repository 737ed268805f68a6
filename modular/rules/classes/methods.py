"""A generated class gets the methods of its parent in their order, then your new ones.

If you override a method, your method replaces the parent's in the generated class, at
the same position, with your parameters and your body. Some details still come from the
parent:

- **The return annotation,** if you write none.
- **The comments above the method,** and those between `(` and the first parameter.
- **`async`:** the generated method is `async` if the parent's method is, whatever you
  write.

A property, its setter and its deleter are separate methods. Each of yours replaces only
the parent's method of the same kind, so if you write only a setter, the generated class
keeps the parent's getter. In the example, the two methods `seen` replace the parent's
getter and setter, and `reset` is new.

If you overload a method with `@overload`, modular drops all overloads of the parent's
method. With `inheritance = "python"`, some of these rules differ (see `body-order`).

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
from modular.source.definition_view import DefinitionView, view_definition


_ACCESSORS = ("setter", "deleter", "getter")
_OVERLOAD = "overload"
_OVERLOAD_SUFFIX = f".{_OVERLOAD}"


def find_methods(statements: Sequence[Statement]) -> dict[str, DefinitionView]:
    """Return the methods of a class body by keys that are unique in the class.

    The name alone is not unique, because a property and its setter share it.

    Returns:
        The last method for each key. The key is the method's name, but `size.setter`
        for a setter and `forward.overload2` for the second overload.
    """
    by_key: dict[str, DefinitionView] = {}
    for statement, key in method_keys(statements).items():
        by_key[key] = view_definition(statement)
    return by_key


def method_keys(statements: Sequence[Statement]) -> dict[Statement, str]:
    """Return the key of each method of a class body, such as `size.setter`.

    Methods of the same name get different keys. A property `size` has the key `size`, and
    its setter `size.setter`. Two overloads of `forward` and the method itself have
    `forward.overload1`, `forward.overload2` and `forward`.
    """
    keys: dict[Statement, str] = {}
    overload_counts: Counter[str] = Counter()
    for statement in statements:
        if statement.kind is not Kind.FUNCTION:
            continue
        key = _method_key(view_definition(statement))
        if key.endswith(_OVERLOAD_SUFFIX):
            overload_counts[key] += 1
            key = f"{key}{overload_counts[key]}"
        keys[statement] = key
    return keys


def is_accessor(key: str) -> bool:
    """Whether a method's key is that of a setter, deleter or getter: `size.setter`."""
    return key.rpartition(".")[2] in _ACCESSORS and "." in key


def accessor_keys(name: str) -> list[str]:
    """Return the keys of all accessors of a property: `size.setter` and the like."""
    return [f"{name}.{accessor}" for accessor in _ACCESSORS]


def order_methods(
    parent: Mapping[str, DefinitionView], child: Mapping[str, DefinitionView]
) -> list[str]:
    """Return the keys of the methods of a merged class in their order.

    The parent's methods come first, then the methods that only the child has. If the child
    overloads `forward`, its overloads come above the parent's `forward`, and the parent's
    overloads are left out:

    - Parent: `forward.overload1`, `forward`, `size`.
    - Child: `forward.overload1`, `forward.overload2`, `reset`.
    - Merged: `forward.overload1`, `forward.overload2`, `forward`, `size`, `reset`.

    Args:
        parent: The methods of the parent class by key (see `find_methods`).
        child: The methods of the child class by key.
    """
    child_overloads: dict[str, list[str]] = {}
    for key, method in child.items():
        if _OVERLOAD_SUFFIX in key:
            child_overloads.setdefault(method.name, []).append(key)

    keys: list[str] = []
    for key, method in parent.items():
        overloads = child_overloads.get(method.name, [])
        keys += overloads
        if not overloads or _OVERLOAD_SUFFIX not in key:
            keys.append(key)
    # A dictionary keeps only the first of equal keys.
    return list(dict.fromkeys([*keys, *child]))


def _method_key(method: DefinitionView) -> str:
    """Return the name of a method, with a suffix for an accessor or overload.

    The setter of `size` has the key `size.setter`. Each overload of `size` has the key
    `size.overload`, to which `method_keys` adds a number.
    """
    # Parsing is slow, so only likely decorators are parsed.
    decorators = method.decorators.masked_text
    if not any(word in decorators for word in (*_ACCESSORS, _OVERLOAD)):
        return method.name
    is_overload = False
    for decorator in method.decorator_names:
        owner, _, name = decorator.rpartition(".")
        if owner and name in _ACCESSORS:
            return f"{method.name}.{name}"
        if name == _OVERLOAD:
            is_overload = True
    return f"{method.name}{_OVERLOAD_SUFFIX}" if is_overload else method.name
