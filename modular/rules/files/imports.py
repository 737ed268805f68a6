"""A generated file imports, once, each name that it uses but does not define.

In the modular file, you import only what your own code uses. Inherited code may need
more imports. modular looks for an import of each name in the modular file, then in the
model's other generated files, and last in the parent files. It writes the first import
that it finds, without the names that the generated file does not need. The formatter
then sorts the imports and joins those from the same module.

- **If a file has both `import a` and `import a.b`,** modular writes only `import a.b`
  for the code `a.b.c`.
- **Imports from `__future__` come first.** modular writes those of the modular file
  and, with `inheritance = "python"`, those of the parent files. In transformers itself,
  modular drops imports from `__future__`, unless code uses their names.

An import can be *guarded*: it is inside an `if` or `try` at module level, such as
`if is_torch_available():`.

- **Guarded imports come after all others,** together with their guard. If the generated
  file does not need an import, modular drops it from the first branch of the guard, but
  not from other branches, such as `else:`.
- **A guard is also written if it defines a name that the file uses,** such as
  `flash_attn_func = None`.
- **A guard that reads an assignment of the file,** such as `HAS_ROPE = ...`, comes
  below this assignment, if `inheritance = "python"`.
- **modular also imports the names in the condition of a guard.** In transformers
  itself, modular imports these names even if it does not write the guard.

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
    def first_statements(self) -> tuple[Statement, ...]:
        """The statements of the first branch."""
        return self.first_branch.body.statements

    def verbatim_statements(self) -> list[Statement]:
        """Return the statements of a guard that a generated file contains as they are.

        The imports of the first branch are left out, because they are reduced to the needed
        names. For `if is_torch_available(): import torch` with `else: torch = None`, only
        `torch = None` is returned.
        """
        verbatim = []
        for statement in self.first_statements:
            if statement.kind is not Kind.IMPORT:
                verbatim.append(statement)
        for branch in self.other_branches:
            verbatim += branch.body.statements
        return verbatim

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
        """Return the code of a guard, with only the needed imports in its first branch.

        A guard is an `if` or `try` around imports, such as `if is_torch_available():`. All
        other branches, such as `else: torch = None`, stay as they are.
        """
        needed_imports = {item.statement: item.render() for item in self.imports}
        body = []
        for statement in self.guard.first_statements:
            if statement in needed_imports:
                body.append(needed_imports[statement])
            elif statement.kind is not Kind.IMPORT:
                body.append(statement.code)
        # If the file needs only a name from the `else`, nothing is left here. Python rejects
        # an empty branch, so the whole branch is kept.
        if not body:
            body = [statement.code for statement in self.guard.first_statements]
        branches = [branch.code for branch in self.guard.other_branches]
        return [self.guard.first_branch.header, *body, *branches]

    def used_words(self) -> set[str]:
        """Return the identifiers that the conditions and statements of a guard use.

        A guard is an `if` or `try` around imports. The guard `if is_torch_available():`
        uses `is_torch_available`, which the file must import, too. Names that the guard
        itself assigns or defines are left out, such as `torch` in `else: torch = None`.
        """
        words: set[str] = set()
        names_of_guard: set[str] = set()
        for statement in self.guard.verbatim_statements():
            # The words of an import are not uses: `from a import b` needs no other import.
            if statement.kind is not Kind.IMPORT:
                words |= statement.code.words()
                names_of_guard |= bound_names(statement)
        return (words - names_of_guard) | self.guard.condition_words()


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
        """Add an import or a guard if it binds names that the file still misses.

        Names that the added statement binds are removed from `missing`.

        Args:
            statement: An import, or a guard: an `if` or `try` around imports.
        """
        guard = read_guard(statement)
        if guard is None:
            self.plain += self._take_missing_names([statement])
        else:
            self._take_guard(guard)

    def _take_guard(self, guard: Guard) -> None:
        """Add a guard if any of its branches binds names that the file still misses.

        A guard is an `if` or `try` around imports. The imports of its first branch are
        reduced to the missing names. All other statements, such as `torch = None` in an
        `else`, are added as they are.
        """
        imports = self._take_missing_names(guard.first_statements)
        other_names: set[str] = set()
        for statement in guard.verbatim_statements():
            other_names |= bound_names(statement)
        if imports or self.missing & other_names:
            self.missing -= other_names
            self.guarded.append(ChosenGuard(guard, tuple(imports)))

    def _take_missing_names(self, statements: Iterable[Statement]) -> list[Import]:
        """Reduce imports to the missing names, and remove these names from `missing`.

        A name is missing if the file needs it and no chosen import binds it yet.

        Returns:
            The imports of missing names, without their other names.
        """
        reduced_imports = []
        for import_ in plain_imports(statements):
            needed = [alias for alias in import_.names if alias.bound in self.missing]
            if needed:
                reduced_import = import_._replace(names=tuple(needed))
                self.missing -= reduced_import.bound_names
                reduced_imports.append(reduced_import)
        return reduced_imports


def choose_imports(
    statements: Sequence[Statement], used: UsedNames, *, is_like_python: bool
) -> NeededImports:
    """Return the imports that a generated file needs, without the names that it does not.

    If several imports bind a used name, the first one is chosen. A guard is an `if` around
    imports, such as `if is_torch_available(): import torch`. If the file uses `torch`, the
    guard is chosen, and so is the import of the name that the guard uses.

    Args:
        statements: The imports and guards to choose from, in the order of preference.
        used: The names that the other statements of the file use.
        is_like_python: Whether the converter does what Python's inheritance does.
    """
    names_by_statement = {statement: bound_names(statement) for statement in statements}
    importable: set[str] = set().union(*names_by_statement.values())
    # If the code has only `a.b.c`, `import a.b` is needed, and `import a` is not.
    importable -= _find_unused_modules(statements, used)

    # `import a.b` is needed if the code uses its head `a`. An import of `*` is always needed.
    needed_heads = {"*", *used.among({_head(name) for name in importable})}
    if not is_like_python:
        # As in transformers' converter, the words in the conditions of all guards count
        # as used, also if the guard is not chosen.
        needed_heads |= _words_in_conditions(statements) - used.defined

    # A chosen guard can use further names, which need imports, and so further guards.
    while True:
        needed = {name for name in importable if _head(name) in needed_heads}
        chosen = NeededImports(missing=needed)
        for statement, names in names_by_statement.items():
            has_missing_name = not names.isdisjoint(chosen.missing)
            if has_missing_name:
                # From then on, the names of this statement are no longer missing.
                chosen.take_from(statement)
        words_in_guards: set[str] = set()
        for chosen_guard in chosen.guarded:
            words_in_guards |= chosen_guard.used_words()
        heads_used_by_guards = words_in_guards - used.defined
        if heads_used_by_guards <= needed_heads:
            return chosen
        needed_heads |= heads_used_by_guards


def _words_in_conditions(statements: Iterable[Statement]) -> set[str]:
    """Return the identifiers in the conditions of all guards around imports."""
    words: set[str] = set()
    for statement in statements:
        guard = read_guard(statement)
        if guard is not None and plain_imports(guard.first_statements):
            words |= guard.condition_words()
    return words


def _head(bound_name: str) -> str:
    """Return the first part of a name: `a` for the `a.b` of `import a.b`."""
    return bound_name.partition(".")[0]


def _find_unused_modules(statements: Sequence[Statement], used: UsedNames) -> set[str]:
    """Return the unused modules among those that a file imports in pairs: `a` and `a.b`.

    The code `a.b.c` uses only the module `a.b`, and the code `a.x` only the module `a`.
    A module without such a partner is not returned, even if it is unused.
    """
    # For `import a.b`, `bound_names` returns the whole `a.b`.
    imported: set[str] = set()
    for statement in statements:
        if statement.kind is Kind.IMPORT:
            imported |= bound_names(statement)
    candidates: set[str] = set()
    for name in imported:
        head = _head(name)
        if "." in name and head in imported:
            candidates |= {name, head}
    # Most files have no such modules, and searching their code is slow.
    if not candidates:
        return set()

    # Guards, such as `if a.b.is_available():`, use modules, too, but are not in `used`.
    guard_texts = []
    for statement in statements:
        if statement.kind is Kind.GUARD:
            guard_texts.append(statement.bare_code.masked_text)
    used_modules = used.among_modules(candidates, guard_texts)
    return candidates - used_modules


def bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds: by an import, assignment or definition.

    For `import torch` and for `torch = None`, this is `torch`. A guard, such as
    `if is_torch_available():`, binds the names of all its branches.
    """
    return statement.memoized(_find_bound_names)


def _find_bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that a statement binds. See `bound_names`, which caches them."""
    if statement.kind is Kind.IMPORT:
        return imported_names(statement)
    is_guard = statement.kind is Kind.GUARD
    if not is_guard:
        # The name is empty if the statement is neither an assignment nor a definition.
        return frozenset({statement.name} - {""})
    bound: set[str] = set()
    for branch in branches_of(statement):
        for inner in branch.body.statements:
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
            yield from plain_imports(guard.first_statements)


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
