"""Dependencies: a class is written with what it uses of its parent file, and with what that uses in turn.

A class depends on every identifier in it, attribute and keyword names among them, that is a module-level name of its parent file
after the merge (see `merging`), without its own name and what the parent file only imports from the other files of its
model, guarded imports aside. What the functions and assignments among its dependencies use counts as well, transitively. The
dependencies of the classes among them follow, through the parent file. Classes that the modular defines are never taken
from the parent.

A class without a parent class depends only on what the modular defines, or imports from its parent files (but no classes from
there). A class of another file type is imported from the model's file of that type. Functions and assignments of
the modular that nothing depends on are not written.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn

from .configuration_llama import LlamaConfig


SLOPE = 0.1


def slope(x):
    return x * SLOPE


def unused(x):
    return x


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    norm = LlamaNorm

    def forward(self, x):
        return slope(x)


class LlamaLayer(nn.Module):
    config: LlamaConfig
    mlp = LlamaMLP
```

Modular `models/my_model/modular_my_model.py`:

```python
from torch import nn

from ..llama.modeling_llama import LlamaLayer


class MyModelNorm(nn.Module):
    eps = 1e-5


class MyModelLayer(LlamaLayer):
    pass
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from .configuration_my_model import MyModelConfig


class MyModelNorm(nn.Module):
    eps = 1e-5


SLOPE = 0.1


def slope(x):
    return x * SLOPE


class MyModelMLP(nn.Module):
    norm = MyModelNorm

    def forward(self, x):
        return slope(x)


class MyModelLayer(nn.Module):
    config: MyModelConfig
    mlp = MyModelMLP
```
"""

from collections.abc import Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from modular.source.blocks import Kind
from modular.source.definitions import Definitions, ModuleBinding
from modular.source.walking import walk


@dataclass(eq=False)
class Scope:
    """Everything a class can take its dependencies from: a parent file merged with the modular, or the modular alone.

    ``file_lines`` are the lines of the names that the file itself defines, ``modular_lines`` those of the modular.
    """

    definitions: Definitions
    file_lines: Mapping[str, int]
    modular_lines: Mapping[str, int]

    def __post_init__(self) -> None:
        self.nodes = self.definitions.nodes()
        self._seen = frozenset(self.nodes)
        self._of_object: dict[str, frozenset[str]] = {}
        self._of_class: dict[str, frozenset[str]] = {}

    def adopt(
        self,
        nodes: Mapping[str, ModuleBinding],
        dependencies: Mapping[str, frozenset[str]],
    ) -> None:
        """Take over definitions from another file, with what is known of their dependencies; they replace those of the same name.

        The dependencies of what was there before stay as they were.
        """
        self.nodes.update(nodes)
        self._of_object.update(dependencies)

    def is_class(self, name: str) -> bool:
        """Whether a name is a class here."""
        return self.nodes[name].kind is Kind.CLASS

    def direct_dependencies(self, name: str) -> frozenset[str]:
        """What a function or assignment uses itself; the assignments to its items are among it."""
        used = self.nodes[name].words & self._seen
        return frozenset(used.union(self.definitions.items.get(name, ())) - {name})

    def object_dependencies(self, name: str) -> frozenset[str]:
        """What a function or assignment depends on, transitively through functions and assignments."""
        if name not in self._of_object:
            reached = walk(
                self.direct_dependencies(name),
                lambda used: ()
                if self.is_class(used)
                else self.direct_dependencies(used),
            )
            self._of_object[name] = frozenset(reached)
        return self._of_object[name]

    def dependencies_of_words(self, words: Iterable[str], owner: str) -> set[str]:
        """What a piece of code of ``owner`` with these identifiers depends on: names and, for objects, their dependencies."""
        names = {word for word in words if word in self.nodes and word != owner}
        return names.union(
            *(
                self.object_dependencies(name)
                for name in names
                if not self.is_class(name)
            )
        )

    def class_dependencies(self, name: str) -> frozenset[str]:
        """What a class of this scope depends on."""
        if name not in self._of_class:
            self._of_class[name] = frozenset(
                self.dependencies_of_words(self.nodes[name].words & self._seen, name)
            )
        return self._of_class[name]

    def closure(self, names: Iterable[str], present: Container[str]) -> set[str]:
        """Return the dependencies and, through classes, theirs; what is ``present`` already is left out and not followed."""

        def following(name: str) -> AbstractSet[str]:
            return (
                {
                    dependency
                    for dependency in self.class_dependencies(name)
                    if dependency not in present
                }
                if self.is_class(name)
                else frozenset()
            )

        return set(walk((name for name in names if name not in present), following))

    def sort_dependencies(self, names: set[str]) -> list[str]:
        """Sort dependencies found through a parent file into the order in which they are written.

        A class of another parent file, which was copied with a function, is ordered as the functions are.
        """
        remaining, ordered = set(names), []
        classes = sorted(
            (name for name in names if self.is_class(name) and name in self.file_lines),
            reverse=True,
        )
        for name in sorted(classes, key=self._own_key):
            for dependency in self._sorted(
                self.class_dependencies(name) & remaining, self._only_merged
            ):
                remaining.discard(dependency)
                ordered.append(dependency)
            if name in remaining:
                remaining.discard(name)
                ordered.append(name)
        return ordered + self._sorted(remaining, self.modular_lines)

    @cached_property
    def _only_merged(self) -> frozenset[str]:
        """The names that the modular defines, and the file does not."""
        return frozenset(self.modular_lines.keys() - self.file_lines.keys())

    def _sorted(self, names: AbstractSet[str], late: Container[str]) -> list[str]:
        """The names in the file's order; those that are ``late`` after them, in the modular's order."""
        merged = {name for name in names if name in late}
        own = sorted(names - merged, reverse=True)
        return sorted(own, key=self._own_key) + sorted(
            merged, key=lambda name: (self.modular_lines[name], name)
        )

    def _own_key(self, name: str) -> float:
        return self.file_lines.get(name, float("inf"))
