"""A generated file imports each name that it uses and does not define, once.

modular looks for the import of a name in these places, in this order: the modular file,
the model's other generated files, and the renamed parent files. It uses the first
import of the name, and keeps only the names that the file needs.

- **`import a` and `import a.b` side by side:** a use counts for the longer name that is
  in the code. `a.b.c` needs `import a.b`, but not `import a`.
- **Guarded imports come after all others,** together with their guard. A guard is an
  `if` or `try` at module level, such as `if is_torch_available():`. Of the imports
  directly below its first line, only the needed names are kept. Its other branches and
  other statements do not change.
- **A guard is also written if the file uses a name that another of its statements
  defines,** such as `flash_attn_func = None`.
- **Names in the condition of a guard with imports** always count as used. If the file
  does not need the guard, the formatter removes the unused import.
- **Imports from `__future__`** come first if the modular file contains them. In
  transformers they are dropped, unless code uses their names.

The formatter then sorts the imports and joins those from the same module.

Parent `models/llama/modeling_llama.py`:

```python
import math

from torch import nn

from ...utils import is_flash_attn_available, is_torch_available, logging
from ...utils.hub import cached_file


if is_flash_attn_available():
    from flash_attn import flash_attn_func, flash_attn_varlen_func
else:
    flash_attn_func = None


class LlamaMLP(nn.Module):
    def forward(self, x):
        return flash_attn_func(x) * math.pi
```

Modular `models/my_model/modular_my_model.py`:

```python
from ...utils import logging
from ..llama.modeling_llama import LlamaMLP
from .helpers import math


logger = logging.get_logger(__name__)


class MyModelMLP(LlamaMLP):
    def warn(self):
        logger.warning("warned")
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn

from ...utils import is_flash_attn_available, logging
from .helpers import math


if is_flash_attn_available():
    from flash_attn import flash_attn_func
else:
    flash_attn_func = None


logger = logging.get_logger(__name__)


class MyModelMLP(nn.Module):
    def forward(self, x):
        return flash_attn_func(x) * math.pi

    def warn(self):
        logger.warning("warned")
```
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from modular.rules.files.used_names import UsedNames
from modular.source.blocks import Kind, Statement, split
from modular.source.headers import Branch, branches_of
from modular.source.import_statements import Import, imported_names, plain_imports
from modular.source.source_slice import SourceSlice, synthetic


class Guard(NamedTuple):
    """A module-level `if` or `try`: its first branch and the others."""

    first_branch: Branch
    other_branches: tuple[Branch, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the first branch."""
        return self.first_branch.body.statements

    def fixed_statements(self) -> list[Statement]:
        """Return the statements of a guard that are copied unchanged if it is needed.

        These are all but the imports of the first branch: of those, a generated file
        gets only the names that it needs.
        """
        fixed = []
        for statement in self.statements:
            if statement.kind is not Kind.IMPORT:
                fixed.append(statement)
        for branch in self.other_branches:
            fixed += branch.body.statements
        return fixed

    def condition_words(self) -> set[str]:
        """Return the identifiers in the conditions of the branches."""
        words = self.first_branch.header.words()
        for branch in self.other_branches:
            words |= branch.header.words()
        return words


class ChosenGuard(NamedTuple):
    """A guard and those of its imports that a file needs."""

    guard: Guard
    imports: tuple[Import, ...]

    def render(self) -> list[SourceSlice]:
        """Return the code of a guard with only the imports that a file needs.

        A guard is an `if` or `try` around imports, such as `if is_torch_available():`.
        """
        needed = {import_.statement: import_.render() for import_ in self.imports}
        body = []
        for statement in self.guard.statements:
            if statement in needed:
                body.append(needed[statement])
            elif statement.kind is not Kind.IMPORT:
                body.append(statement.code)
        # A branch cannot be empty, so it keeps all imports if the file needs none.
        if not body:
            body = [statement.code for statement in self.guard.statements]
        branches = [branch.code for branch in self.guard.other_branches]
        return [self.guard.first_branch.header, *body, *branches]

    def used_words(self) -> set[str]:
        """Return the identifiers that a guard uses and does not bind itself.

        The guard `if is_torch_available():` uses `is_torch_available`, which the file
        must import, too.
        """
        used: set[str] = set()
        bound: set[str] = set()
        for statement in self.guard.fixed_statements():
            if statement.kind is not Kind.IMPORT:
                used |= statement.code.words()
                bound |= bound_names(statement)
        return (used - bound) | self.guard.condition_words()


@dataclass(eq=False)
class NeededImports:
    """The imports that an output file needs, in the order in which they were added.

    Attributes:
        missing: The names that are needed and not bound by an import yet.
        plain: The imports outside guards, with the needed names only.
        guarded: The guards that the file needs.
    """

    missing: set[str]
    plain: list[Import] = field(default_factory=list)
    guarded: list[ChosenGuard] = field(default_factory=list)

    def take_from(self, statement: Statement) -> None:
        """Take those names from an import that the file still misses.

        A guard, such as `if is_torch_available():` around imports, is also taken if
        another of its statements defines a missing name: `flash_attn = None`.
        """
        guard = read_guard(statement)
        if guard is None:
            self.plain += self._take_names([statement])
            return
        # The fixed statements are always copied with the guard. Only of the imports in
        # its first branch, some names can be left out.
        defined: set[str] = set()
        for fixed_statement in guard.fixed_statements():
            defined |= bound_names(fixed_statement)
        imports = self._take_names(guard.statements)
        if imports or not defined.isdisjoint(self.missing):
            self.missing -= defined
            self.guarded.append(ChosenGuard(guard, tuple(imports)))

    def _take_names(self, statements: Iterable[Statement]) -> list[Import]:
        """Return the imports of names that the file still misses, without other names.

        The names are then no longer missing.
        """
        imports = []
        for import_ in plain_imports(statements):
            needed = tuple(
                alias for alias in import_.names if alias.bound in self.missing
            )
            if needed:
                self.missing.difference_update(alias.bound for alias in needed)
                imports.append(import_._replace(names=needed))
        return imports


def choose_imports(statements: Sequence[Statement], used: UsedNames) -> NeededImports:
    """Choose the imports that a generated file needs.

    The first import of each used name is chosen, with the needed names only.

    A guard is an `if` around imports, such as `if is_torch_available(): import torch`.
    If the file uses `torch`, the guard is chosen. It uses `is_torch_available`, so the
    import of this name is needed, too.

    Args:
        statements: The imports and guards to choose from, in the order of preference.
        used: The names that the other statements of the file use.
    """
    importable: set[str] = set()
    for statement in statements:
        importable |= bound_names(statement)
    if any("." in name for name in importable):
        importable -= _find_unused_dotted(statements, used)
    # The head of `a.b` is `a`: the name that `import a.b` binds, and that code uses.
    used_heads = used.among({_head(name) for name in importable})

    # Each round chooses again, with the words of the guards that the last round chose.
    # The end is reached when the chosen guards have no new word.
    words_of_guards = _condition_words(statements)
    while True:
        heads_used_by_guards = words_of_guards - used.defined
        # `*` is the name that `from a import *` binds, which is always needed.
        needed_heads = used_heads | heads_used_by_guards | {"*"}
        needed_names = {name for name in importable if _head(name) in needed_heads}
        # `needed.missing` has the names that no chosen import binds yet.
        needed = NeededImports(needed_names)
        for statement in statements:
            binds_missing_name = not bound_names(statement).isdisjoint(needed.missing)
            if binds_missing_name:
                needed.take_from(statement)

        words_of_chosen = set(words_of_guards)
        for chosen_guard in needed.guarded:
            words_of_chosen |= chosen_guard.used_words()
        if words_of_chosen == words_of_guards:
            return needed
        words_of_guards = words_of_chosen


def _condition_words(statements: Iterable[Statement]) -> set[str]:
    """Return the words in the conditions of all guards around imports.

    Guards that are not chosen count, too: if their words are imported in vain, the
    formatter removes the imports.
    """
    condition_words: set[str] = set()
    for statement in statements:
        guard = read_guard(statement)
        if guard is not None and plain_imports(guard.statements):
            condition_words |= guard.condition_words()
    return condition_words


def _head(bound_name: str) -> str:
    """Return the first part of a name: `a` for the `a.b` of `import a.b`."""
    return bound_name.partition(".")[0]


def _find_unused_dotted(statements: Sequence[Statement], used: UsedNames) -> set[str]:
    """Return the modules that no code uses, of those imported with a submodule.

    After `import a` and `import a.b`, the expression `a.b.c` uses `a.b`, but not `a`.
    Names of other imports are never returned.
    """
    imported: set[str] = set()
    guard_masks = []
    for statement in statements:
        if statement.kind is Kind.IMPORT:
            imported |= bound_names(statement)
        elif statement.kind is Kind.GUARD:
            guard_masks.append(statement.bare_code.mask)

    ambiguous: set[str] = set()
    for name in imported:
        head = _head(name)
        is_imported_with_parent = "." in name and head in imported
        if is_imported_with_parent:
            ambiguous |= {name, head}
    if not ambiguous:
        return set()
    return ambiguous - used.longest_dotted(ambiguous, guard_masks)


def bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds: by an import, assignment or definition.

    A guard, such as `if is_torch_available():`, binds the names of all its branches.
    """
    return statement.memoized(_find_bound_names)


def _find_bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds (see `bound_names`)."""
    if statement.kind is Kind.IMPORT:
        return imported_names(statement)
    guard = read_guard(statement)
    if guard is None:
        return frozenset({statement.name} - {""})
    bound: set[str] = set()
    # The statements of the other branches are fixed; a set may get a name twice.
    for inner in (*guard.statements, *guard.fixed_statements()):
        bound |= bound_names(inner)
    return frozenset(bound)


def read_guard(statement: Statement) -> Guard | None:
    """Return the branches of a guard; None for other statements."""
    if statement.kind is not Kind.GUARD:
        return None
    first, *others = branches_of(statement)
    return Guard(first, tuple(others))


def guarded_imports(statements: Iterable[Statement]) -> Iterator[Import]:
    """Yield the imports in the first branches of guards."""
    for statement in statements:
        guard = read_guard(statement)
        if guard is not None:
            yield from plain_imports(guard.statements)


def future_imports(statements: Iterable[Statement]) -> list[Statement]:
    """Return the imports from `__future__` among some statements."""
    return [
        import_.statement
        for import_ in plain_imports(statements)
        if import_.source == "__future__"
    ]


def make_import(source: str, name: str, path: str) -> Statement:
    """Return a new statement `from source import name`.

    Args:
        source: The module, with its leading dots.
        name: The imported name.
        path: The path of the modular file that the import is made for.
    """
    code = synthetic(f"from {source} import {name}\n", path, line=1)
    return split(code).statements[0]
