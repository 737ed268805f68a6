"""With `inheritance = "python"`, statements that change a copied name are copied too.

In the example, the parent file fills the table `SIZES` in a loop, and a method reads
the table. modular copies the definition `SIZES = {}` because the class of the method
uses it (see `dependencies`). Without the loop, the copied table would be empty. So
modular also copies all statements that change a copied name, in their order:

- **Changes below the definition:** `SIZE += 1`, `helper = twice(helper)`.
- **Changes of a table:** `TABLE.update(x)`, `del TABLE["x"]`, and loops.
- **Registrations.** If the file defines `def register(f): TABLE[f.__name__] = f`,
  modular copies each function with the decorator `@register` and each call to
  `register`.
- **Assignments to several names:** `A, B = 1, 2`.
- **An `if` or `try` that defines the name,** as a whole.
- **Assignments to attributes of a parent class:** `LlamaMLP.size = 4`.

modular also copies statements and functions of the modular file that use a generated
class, such as `EntryClass = MyModelMLP` or `register(MyModelMLP)`.

With `inheritance = "transformers"`, modular drops all of these statements and warns
you.

Settings `pyproject.toml`:

```toml
[tool.modular]
inheritance = "python"
```

Parent `models/llama/modeling_llama.py`:

```python
SIZES = {}
for size in (1, 2):
    SIZES[size] = 2 * size


class LlamaMLP:
    def size(self):
        return SIZES[1]
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP


class MyModelMLP(LlamaMLP):
    pass


EntryClass = MyModelMLP
```

Output `models/my_model/modeling_my_model.py`:

```python
SIZES = {}
for size in (1, 2):
    SIZES[size] = 2 * size


class MyModelMLP:
    def size(self):
        return SIZES[1]


EntryClass = MyModelMLP
```
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

from modular.semantics.facts import NAMESPACE_FUNCTIONS, Usage
from modular.semantics.modules import Effect, effects_of_statement
from modular.semantics.registrations import Registrations
from modular.semantics.statements import tree_of
from modular.source.blocks import Kind, Statement
from modular.source.definitions import Definitions, ModuleBinding, defined_name
from modular.source.source_slice import words


_NOT_BINDING = frozenset({Usage.CAUGHT, Usage.DECLARED})
"""Usages after which a name has no value, or the one that it had before."""


class ModuleChange(NamedTuple):
    """A statement that binds or changes names.

    Attributes:
        statement: The statement.
        names: The names that it binds or changes.
        bound_names: Those that it binds.
    """

    statement: Statement
    names: tuple[str, ...]
    bound_names: frozenset[str]


def find_changes(
    statements: Sequence[Statement], definitions: Definitions
) -> Iterator[ModuleChange]:
    """Yield the statements that bind or change names, except for definitions.

    Such statements are `A, B = 1, 2` and `TABLE.update(x)`.

    Args:
        statements: The statements of a file.
        definitions: The definitions of the file.
    """
    registrations = Registrations(_find_last_definitions(statements))
    yield from _read_changes(statements, definitions, registrations)


def _read_changes(
    statements: Sequence[Statement],
    definitions: Definitions,
    registrations: Registrations,
) -> Iterator[ModuleChange]:
    """Yield the statements that change names, or bind several names.

    Examples are `TABLE.update(x)` and `A, B = 1, 2`. Imports, and definitions of one name,
    are left out.

    Args:
        statements: The statements of a file.
        definitions: The definitions of the file.
        registrations: Finds the names that a call such as `register(x)` changes.
    """
    key_of_definition = _find_keys(definitions)
    defined_names = definitions.by_name().keys()
    for statement in statements:
        if statement.kind in (Kind.IMPORT, Kind.STRING):
            continue
        if statement in key_of_definition:
            continue
        change = _read_change(statement, defined_names, registrations)
        if change is not None:
            yield change


def _find_last_definitions(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the last definition of each name of a file."""
    return {defined_name(statement): statement for statement in statements}


def _find_keys(definitions: Definitions) -> dict[Statement, str]:
    """Return the key in `definitions` of each statement that belongs to a definition.

    The key of `TABLE = {}` is `TABLE`. `TABLE["x"] = 1` belongs to this definition, and
    has its code as key. `LlamaMLP.size = 4` only changes a class, which the file may
    also import, so it is left out.
    """
    keys = {}
    for key, binding in definitions.by_name().items():
        name = binding.name
        is_part = name in definitions.assignments or name in definitions.functions
        if is_part or not binding.is_item:
            keys[binding.original] = key
    return keys


def add_changes(
    definitions: Definitions,
    statements: Sequence[Statement],
    bind: Callable[[str, Statement], ModuleBinding],
    rename: Callable[[str], str] = str,
    *,
    is_parent: bool,
) -> None:
    """Add to the definitions of a file the statements that bind or change their names.

    The definition of `TABLE` gets `TABLE.update(x)`, for example, and each function
    that its decorator `@register` stores in `TABLE`.

    If two parent files have `helper = twice(helper)`, both statements have the same key,
    and one of them is generated. If `helper` or `twice` differ, that is reported.

    Args:
        definitions: The definitions under their new names.
        statements: The statements of the file.
        bind: Returns the binding of a name by a statement.
        rename: Returns the new name of a name of the file.
        is_parent: Whether it is a parent file, and not the modular file.
    """
    owner = "parents" if is_parent else "modular"
    counts = Counter[str]()
    last_definitions = _find_last_definitions(statements)
    registrations = Registrations(last_definitions)
    keys = _find_keys(definitions)
    changes = {
        change.statement: change
        for change in _read_changes(statements, definitions, registrations)
    }
    for statement in statements:
        # The names in strings, as in `exec("SIZE = 7")`.
        changed_by_text = _names_changed_by_text(statement, last_definitions.keys())
        if statement in keys:
            # The statement is a definition, such as a function with `@register`.
            changed = changed_by_text | registrations.names_changed_by(statement)
            for name in sorted(changed - {statement.name}):
                changes_of_name = definitions.changes_of.setdefault(rename(name), [])
                changes_of_name.append(keys[statement])
            continue
        change = changes.get(statement, ModuleChange(statement, (), frozenset()))
        other_names = sorted(changed_by_text - {statement.name})
        old_names = dict.fromkeys((*change.names, *other_names))
        if not old_names:
            continue
        names = [rename(name) for name in old_names]
        binding = bind(names[0], statement)
        text = binding.statement.bare_code.text.strip()
        counts[text] += 1
        definitions.add_change(
            binding,
            names,
            map(rename, change.bound_names),
            key=f"{text} @{owner} {counts[text]}",
        )
    for statement in statements:
        _share_changes(definitions, statement, rename)


def _names_changed_by_text(statement: Statement, names: Set[str]) -> Set[str]:
    """Return the names that a statement may change without naming them in its code.

    `exec("SIZE = 7")` and `globals()["SIZE"] = 7` change `SIZE`, which is in a string.

    Args:
        statement: The statement.
        names: The names to look for.
    """
    if statement.is_definition or statement.kind in (Kind.IMPORT, Kind.STRING):
        return frozenset()
    all_words = words(statement.code.text)
    # `setattr(sys.modules[__name__], "SIZE", 7)`
    mentions_own_module = {"modules", "__name__"} <= all_words
    if not mentions_own_module and NAMESPACE_FUNCTIONS.isdisjoint(all_words):
        return frozenset()
    return all_words & names


def _share_changes(
    definitions: Definitions, statement: Statement, rename: Callable[[str], str]
) -> None:
    """Record the changes of `ALIAS` as changes of `TABLE`, too, after `ALIAS = TABLE`.

    Both names mean the same object, so `ALIAS.update(x)` also changes `TABLE`. Nothing is
    recorded for a statement of another form.

    Args:
        definitions: The definitions of a file, which are changed in place.
        statement: A statement of the file, which may have the form `ALIAS = TABLE`.
        rename: Returns the new name of a name of the file.
    """
    # Parsing is slow, and an assignment of a call is never `ALIAS = TABLE`.
    if statement.kind is not Kind.ASSIGNMENT or "(" in statement.code.masked_text:
        return
    match tree_of(statement):
        case ast.Assign(targets=[ast.Name(id=alias)], value=ast.Name(id=name)):
            new_alias = rename(alias)
            # The keys of `ALIAS.update(x)` and of `ALIAS["x"] = 1`.
            keys_of_changes = [
                *definitions.changes_of.get(new_alias, ()),
                *definitions.items.get(new_alias, ()),
            ]
            if keys_of_changes:
                changes_of_name = definitions.changes_of.setdefault(rename(name), [])
                changes_of_name.extend(keys_of_changes)


def _read_change(
    statement: Statement, defined_names: Set[str], registrations: Registrations
) -> ModuleChange | None:
    """Return the names that a statement binds or changes; None if it changes none.

    For `A, B = 1, 2`, these are `A` and `B`. An `if` or `try` that binds only imported
    names counts as an import, so these names are left out.

    Args:
        statement: The statement.
        defined_names: The names of the definitions of the file.
        registrations: Finds the names that the statement changes by its calls.
    """
    is_guard = statement.kind is Kind.GUARD
    if is_guard and "__name__" in statement.words:
        # `if __name__ == "__main__":` does nothing when the file is imported.
        return None

    names: dict[str, None] = {}
    imported_names: set[str] = set()
    assigned_names: set[str] = set()
    for name, name_effect in effects_of_statement(statement):
        if name.startswith("__") or name_effect.usage in _NOT_BINDING:
            continue
        names[name] = None
        if name_effect.effect is not Effect.BINDS:
            continue
        # With `SIZE = 1` above `try: from sizes import SIZE`, the import counts as a
        # second definition of `SIZE`.
        if name_effect.usage is Usage.IMPORTED and name not in defined_names:
            imported_names.add(name)
        else:
            assigned_names.add(name)

    # `try: import torch` with `except ImportError: torch = None` assigns to no other name.
    binds_only_imports = is_guard and assigned_names <= imported_names
    if binds_only_imports:
        bound_names = assigned_names
        names = {name: None for name in names if name not in imported_names}
    else:
        bound_names = assigned_names | imported_names

    names |= dict.fromkeys(sorted(registrations.names_changed_by(statement)))
    if not names:
        return None
    return ModuleChange(statement, tuple(names), frozenset(bound_names))
