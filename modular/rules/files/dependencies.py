"""modular writes a class together with everything that it uses from the parent file.

Suppose that your class inherits from `LlamaDecoderLayer`, whose code uses the class
`LlamaMLP` and the function `rotate_half`. The generated file then contains both,
renamed for your model, and everything that `LlamaMLP` and `rotate_half` use in turn.
You do not have to mention them in the modular file.

What modular writes depends on the kind of definition:

- **Classes, functions and assignments of the parent file** are copied.
- **If the modular file defines a class with the new name of a copied class,** modular
  writes your class instead of the copy. In the example, the copy of `LlamaNorm` would
  be called `MyModelNorm`, and the modular file defines `MyModelNorm`.
- **A class that belongs in another file of your model** is imported from that file. In
  the example, the modeling file imports `MyModelConfig` from the configuration file.

modular finds what a class uses by the names in its code. A class uses a name if the
parent file defines or imports the name, and the name occurs anywhere in the class, even
as an attribute or keyword argument. Two kinds of names do not count:

- **The name of the class itself.**
- **Names that the parent file imports from other files of its model,** unless the
  import is inside a condition such as `if is_torch_available():`.

A class without a parent class uses the definitions of the modular file, and functions
and assignments that the modular file imports from a parent file. modular copies the
imported functions and assignments to the generated file, but no imported classes.

Suppose that a class uses a name from a guarded import, such as `flash` from
`if HAS_FLASH: import flash`. With `inheritance = "python"`, the class then also uses
the definitions that the guard reads, here `HAS_FLASH`.

If nothing uses a function or assignment of the modular file, modular does not write it
to a generated file.

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

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from modular.source.blocks import Kind
from modular.source.definitions import Definitions, ModuleBinding
from modular.source.walking import inverted, walk


class DependencyScope:
    """The module-level names that a class can depend on.

    These are the names of a parent file merged with the modular file, or those of the
    modular file alone.

    Attributes:
        bindings: The functions, classes and assignments by name.
        bound_by: For each statement that defines several names or changes one, the
            names that it binds.
        registrations: The definitions that also change another name, such as a function
            with the decorator `@register`.
        parent_lines: The line of each name that the parent file defines; empty for the
            names of the modular file alone.
        modular_lines: The line of each name that the modular file defines.
    """

    def __init__(
        self,
        definitions: Definitions,
        parent_lines: Mapping[str, int],
        modular_lines: Mapping[str, int],
    ) -> None:
        """Collect the module-level names that a generated class can depend on.

        Args:
            definitions: The functions, classes and assignments of the modular file, or of
                a parent file with those of the modular file merged into them.
            parent_lines: The line of each name that the parent file defines.
            modular_lines: The line of each name that the modular file defines.
        """
        self.bindings = {**definitions.changes, **definitions.by_name()}
        self.parent_lines = parent_lines
        self.modular_lines = modular_lines
        # Code that needs `TABLE` also needs assignments such as `TABLE["x"] = 1`. For the
        # name `TABLE`, these are the keys of such assignments in `bindings`.
        self._item_keys = definitions.items
        # Code that needs `TABLE` also needs statements such as `TABLE.update(x)`. For the
        # name `TABLE`, these are their keys. `adopt_change` adds more.
        self._changes_of = {
            name: [*keys] for name, keys in definitions.changes_of.items()
        }
        # The same the other way round: the names that each statement changes.
        self._names_of_changes = inverted(definitions.changes_of)
        self.bound_by = dict(definitions.bound_by)
        keys_of_changes = set[str]().union(*definitions.changes_of.values())
        self.registrations = keys_of_changes & definitions.by_name().keys()
        # The names without those that `adopt` adds.
        self._defined_names = frozenset(self.bindings) | self._changes_of.keys()
        # Results of `object_dependencies` and `class_dependencies` by name.
        self._object_dependencies: dict[str, frozenset[str]] = {}
        self._class_dependencies: dict[str, frozenset[str]] = {}

    def add_guard(self, bound_names: AbstractSet[str], words: AbstractSet[str]) -> None:
        """Make the names that a guard binds depend on the definitions that it reads.

        A guard is an `if` or `try` around imports. If code uses `flash` of
        `if HAS_FLASH: import flash`, it needs `HAS_FLASH`, too.

        Args:
            bound_names: The names that the guard binds.
            words: The identifiers in the guard.
        """
        names_read = sorted((words & self._defined_names) - frozenset(bound_names))
        if not names_read:
            return
        # `HAS_FLASH` counts as a statement that changes `flash`: code that uses `flash`
        # needs both.
        for name in bound_names:
            self._changes_of.setdefault(name, []).extend(names_read)
        self._defined_names |= bound_names

    def adopt(
        self, key: str, binding: ModuleBinding, dependencies: frozenset[str]
    ) -> None:
        """Add a definition from another file; it replaces one of the same name.

        The other definitions of the scope get no new dependencies. Suppose that the
        function `slope` has a local variable `EPS`, and a constant `EPS` is added. The
        function contains this name, but does not use the constant.

        Args:
            key: The key of the definition.
            binding: The definition.
            dependencies: Its dependencies, as `object_dependencies` finds them in the
                other file. In this scope, the same names can mean something else.
        """
        self.bindings[key] = binding
        self._object_dependencies[key] = dependencies

    def adopt_change(self, key: str, source: "DependencyScope") -> None:
        """Record which names a statement from another file changes.

        From then on, code that needs `TABLE` also needs an adopted `TABLE.update(x)`.

        Args:
            key: The key of the statement, which `adopt` has added.
            source: The scope that it comes from.
        """
        self.bound_by[key] = source.bound_by[key]
        for name in source.names_changed_by(key):
            self._changes_of.setdefault(name, []).append(key)
            self._names_of_changes.setdefault(key, []).append(name)

    def is_class(self, name: str) -> bool:
        """Whether a name of this scope is a class."""
        binding = self.bindings.get(name)
        return binding is not None and binding.kind is Kind.CLASS

    def names_changed_by(self, key: str) -> list[str]:
        """Return the names that a statement binds or changes."""
        return list(dict.fromkeys(self._names_of_changes.get(key, ())))

    def object_dependencies(self, name: str) -> frozenset[str]:
        """Return all names that a function or assignment needs, directly or indirectly.

        If `rotate` uses `slope`, and `slope` uses `EPS`, these are `slope` and `EPS`. A
        class is included, but not what the class needs.
        """
        if name in self._object_dependencies:
            return self._object_dependencies[name]
        direct_dependencies = self._direct_dependencies(name)
        needed_names = dict.fromkeys(walk(direct_dependencies, self._object_successors))
        # Names such as the `B` of `A, B = 1, 2` have no statement of their own.
        dependencies = frozenset(key for key in needed_names if key in self.bindings)
        self._object_dependencies[name] = dependencies
        needs_itself = name in needed_names
        if needs_itself and not self.is_class(name):
            # All names in a cycle have the same dependencies.
            for name_in_cycle in self._find_cycle(name, needed_names):
                self._object_dependencies.setdefault(name_in_cycle, dependencies)
        return dependencies

    def _find_cycle(self, name: str, needed_names: Iterable[str]) -> Iterator[str]:
        """Yield the names that need a name, and that the name needs as well.

        All of them have the same dependencies. For example, a table needs the statements
        that change it, and these need the table.

        Args:
            name: A function or assignment, which is yielded, too.
            needed_names: The names that it needs, directly or indirectly.
        """
        successors = {key: self._object_successors(key) for key in needed_names}
        predecessors = inverted(successors)
        return walk([name], predecessors.__getitem__)

    def _direct_dependencies(self, name: str) -> set[str]:
        """Return the names in a definition, and the keys of statements that change it."""
        # Statements such as `TABLE["x"] = 1` and `TABLE.update(x)`.
        dependencies = set(self._item_keys.get(name, ()))
        dependencies.update(self._changes_of.get(name, ()))
        if name in self.bindings:
            dependencies |= self.bindings[name].words & self._defined_names
        dependencies.discard(name)
        return dependencies

    def _object_successors(self, name: str) -> Iterable[str]:
        """Return the direct dependencies of a function or assignment. A class has none."""
        return () if self.is_class(name) else self._direct_dependencies(name)

    def dependencies_of_words(self, words: Iterable[str], owner: str) -> set[str]:
        """Return all names of this scope that code needs, directly or indirectly.

        A class is included, but not what the class needs: `with_class_dependencies`
        adds that when the class itself is copied.

        Args:
            words: The identifiers in the code.
            owner: The class that the code belongs to, which does not depend on itself.
        """
        dependencies = set()
        for word in words:
            has_binding = word in self.bindings
            # The `B` of `A, B = 1, 2` has no binding of its own, but a statement binds it.
            is_in_scope = has_binding or word in self._changes_of
            if word == owner or not is_in_scope:
                continue
            if has_binding:
                dependencies.add(word)
            if not self.is_class(word):
                dependencies |= self.object_dependencies(word)
        return dependencies

    def class_dependencies(self, name: str) -> frozenset[str]:
        """Return all names of this scope that a class needs, directly or indirectly.

        Another class is included, but not what it needs (see `dependencies_of_words`).
        """
        if name not in self._class_dependencies:
            words = self.bindings[name].words & self._defined_names
            dependencies = self.dependencies_of_words(words, name)
            dependencies |= self.dependencies_of_changes(name)
            self._class_dependencies[name] = frozenset(dependencies)
        return self._class_dependencies[name]

    def dependencies_of_changes(self, name: str) -> set[str]:
        """Return the keys of the statements that change a class, and all that these need.

        For the class `A`, `A.size = SIZE` is such a statement, which needs `SIZE`. The
        class itself is left out.
        """
        dependencies = set(self._changes_of.get(name, ()))
        for key in self._changes_of.get(name, ()):
            dependencies |= self.object_dependencies(key)
        return dependencies - {name}

    def with_class_dependencies(
        self, names: Iterable[str], written: Collection[str]
    ) -> set[str]:
        """Return the given names, and all that the classes among them need.

        For example, if the class `MyModelMLP` uses the function `slope`, and `slope` uses
        the class `MyModelNorm`, all three are returned for `MyModelMLP`, and so is
        everything that `MyModelNorm` needs.

        Args:
            names: The names that the file must define. They include the dependencies of
                the functions and assignments among them.
            written: The names that the file defines already. They are left out, and their
                dependencies are not searched.
        """

        def missing_dependencies(name: str) -> Iterable[str]:
            """Return what a class needs and the file does not define."""
            # Only classes are followed: the dependencies of a class include those of the
            # functions that the class uses.
            if not self.is_class(name):
                return ()
            return self.class_dependencies(name).difference(written)

        missing = [name for name in names if name not in written]
        return set(walk(missing, missing_dependencies))

    def sort_dependencies(self, names: set[str]) -> list[str]:
        """Return dependencies in the order in which a generated file defines them.

        1. The classes of the parent file come in the order of their lines. Directly above
           each class come those of its dependencies that are not yet in the order: first
           names of the parent file, then names of the modular file.
        2. At the end come all other names: first those of the parent file.

        For example, `LlamaMLP` uses `slope`. Below it in the parent file, `LlamaLayer` uses
        `slope`, `rotate`, and `twist` of the modular file. No class uses `SIZE`. The order
        is `slope`, `LlamaMLP`, `rotate`, `twist`, `LlamaLayer`, `SIZE`.
        """
        parent_names = names & self.parent_lines.keys()
        parent_classes = {name for name in parent_names if self.is_class(name)}

        # Above a class, a name that both files define counts as the parent file's.
        only_in_modular = self.modular_lines.keys() - self.parent_lines.keys()
        ordered: list[str] = []
        remaining = set(names)
        for class_name in self._sort_by_lines(parent_classes, frozenset()):
            dependencies = remaining & self.class_dependencies(class_name)
            ordered += self._sort_by_lines(dependencies, only_in_modular)
            remaining -= dependencies
            # A class that an earlier class depends on is in the order already.
            if class_name in remaining:
                remaining.remove(class_name)
                ordered.append(class_name)
        # At the end, a name that both files define counts as the modular file's, as in the
        # generated files of transformers.
        return ordered + self._sort_by_lines(remaining, self.modular_lines.keys())

    def _sort_by_lines(
        self, names: set[str], modular_names: AbstractSet[str]
    ) -> list[str]:
        """Return the names of the parent file, then those of the modular file.

        The names of each file are sorted by its lines. Names that neither file defines come
        after those of the parent file.

        Args:
            names: The names to sort.
            modular_names: The names that count as names of the modular file.
        """
        sorted_modular_names = sorted(
            names & modular_names, key=lambda name: (self.modular_lines[name], name)
        )
        # Sorting is stable, so names of one line of the parent file descend, as in the
        # generated files of transformers.
        descending = sorted(names - modular_names, reverse=True)
        sorted_parent_names = sorted(
            descending, key=lambda name: self.parent_lines.get(name, math.inf)
        )
        return sorted_parent_names + sorted_modular_names
