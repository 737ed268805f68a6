"""Imports: a file has those imports whose names it uses and does not define, each name once.

First the imports of the modular file are offered, then those from the model's other generated files, then those of each
parent file, renamed. A name is taken from the first
statement that offers it. Of `import a` and `import a.b` side by side each is taken only where its name is the longest of the two
that is in the code: `a.b.c` is a use of `a.b` alone. Guarded imports, below an `if` or `try` at module level, come after all
others, in their guard: of the imports below its first line only what is needed, its other branches and other statements as they
appear. A guard is
also taken for a name that any of its statements defines. What the conditions of a guard with imports use counts as used in
any case; where that was for nothing, the formatter removes it.

The formatter then sorts the imports and joins those of one module.

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
from modular.source.code import SourceSlice, generated
from modular.source.headers import Branch, branches_of
from modular.source.import_statements import Import, imported_names, plain_imports


class Guard(NamedTuple):
    """A module-level `if` or `try`, by its branches."""

    first: Branch
    others: tuple[Branch, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements below its first line."""
        return self.first.body.statements

    @property
    def lasting(self) -> tuple[Statement, ...]:
        """The statements that stay whole wherever the guard goes: all but the imports below its first line."""
        others = (
            statement for other in self.others for statement in other.body.statements
        )
        return (
            *(
                statement
                for statement in self.statements
                if statement.kind is not Kind.IMPORT
            ),
            *others,
        )

    def conditions(self) -> set[str]:
        """The identifiers in the conditions of its branches."""
        return set().union(
            *(branch.head.words() for branch in (self.first, *self.others))
        )


class ChosenGuard(NamedTuple):
    """A guard with what a file takes from it."""

    guard: Guard
    imports: tuple[Import, ...]

    def render(self) -> list[SourceSlice]:
        """The runs of the guard with these imports only (all, if it would be empty); everything else stays as it is."""
        chosen = {id(import_.statement): import_.render() for import_ in self.imports}
        kept = [
            chosen.get(id(statement), statement.code)
            for statement in self.guard.statements
            if statement.kind is not Kind.IMPORT or id(statement) in chosen
        ]
        tail = (other.code for other in self.guard.others)
        return [
            self.guard.first.head,
            *(kept or (statement.code for statement in self.guard.statements)),
            *tail,
        ]

    def words(self) -> set[str]:
        """What it uses, its imports aside, and does not bind itself."""
        lasting = [
            statement
            for statement in self.guard.lasting
            if statement.kind is not Kind.IMPORT
        ]
        inside = (
            set[str]()
            .union(*(statement.code.words() for statement in lasting))
            .difference(*map(bound_names, lasting))
        )
        return inside | self.guard.conditions()


@dataclass(eq=False)
class NeededImports:
    """Collects the imports of one output file from the statements that are offered, in the order in which they are.

    Each has those of its names that the file takes from it. ``missing`` are the names that are needed and that no statement has given yet.
    """

    missing: set[str]
    plain: list[Import] = field(default_factory=list)
    guarded: list[ChosenGuard] = field(default_factory=list)

    def offer(self, statement: Statement) -> None:
        """Take what is needed from an import statement or a guard."""
        guard = read_guard(statement)
        imports = plain_imports([statement] if guard is None else guard.statements)
        chosen = tuple(taken for import_ in imports for taken in self._take(import_))
        if guard is None:
            self.plain += chosen
            return
        other = {name for inner in guard.lasting for name in bound_names(inner)}
        if chosen or not other.isdisjoint(self.missing):
            self.missing -= other
            self.guarded.append(ChosenGuard(guard, chosen))

    def _take(self, import_: Import) -> list[Import]:
        names = tuple(name for name in import_.names if name.bound in self.missing)
        self.missing.difference_update(name.bound for name in names)
        return [import_._replace(names=names)] if names else []


def choose_imports(statements: Sequence[Statement], used: UsedNames) -> NeededImports:
    """Choose the imports of a file that uses some names.

    The conditions of guards with imports count as uses, also where nothing is taken from a guard: the formatter removes what
    is unused.
    """
    offers = [(statement, bound_names(statement)) for statement in statements]
    guards = [statement for statement in statements if statement.kind is Kind.GUARD]
    offered = set[str]().union(*(bound for _, bound in offers))
    offered -= (
        _left_out(statements, used) if any("." in name for name in offered) else set()
    )
    referred = used.among(set(map(_head, offered)))
    of_use = (
        guard
        for guard in map(read_guard, guards)
        if guard is not None and plain_imports(guard.statements)
    )
    further: frozenset[str] = frozenset().union(
        *(guard.conditions() for guard in of_use)
    )
    while True:
        heads = referred | (further - used.defined)
        needed = NeededImports(
            {name for name in offered if name == "*" or _head(name) in heads}
        )
        for statement, bound in offers:
            if not bound.isdisjoint(needed.missing):
                needed.offer(statement)
        words = further.union(*(guard.words() for guard in needed.guarded))
        if words == further:
            return needed
        further = words


def _head(bound: str) -> str:
    """What a bound name begins with: `a` for that of `import a.b`."""
    return bound.partition(".")[0]


def _left_out(statements: Sequence[Statement], used: UsedNames) -> set[str]:
    """Of `import a` and `import a.b` side by side, the names that no code uses as such: `a.b.c` is a use of `a.b` alone."""
    plain = set[str]().union(
        *(
            bound_names(statement)
            for statement in statements
            if statement.kind is Kind.IMPORT
        )
    )
    dotted = {name for name in plain if "." in name and _head(name) in plain}
    names = dotted | set(map(_head, dotted))
    guards = [
        statement.own.mask for statement in statements if statement.kind is Kind.GUARD
    ]
    return names - used.longest_of(names, guards) if names else set()


def bound_names(statement: Statement) -> frozenset[str]:
    """Return the names that an import, an assignment, a definition or a guard binds."""
    if statement.kind is Kind.IMPORT:
        return imported_names(statement)
    guard = read_guard(statement)
    if guard is not None:
        return frozenset().union(
            *(bound_names(inner) for inner in (*guard.statements, *guard.lasting))
        )
    return frozenset({statement.name} - {""})


def read_guard(statement: Statement) -> Guard | None:
    """Take a guard apart; None if it is not one."""
    return (
        Guard(branches_of(statement)[0], branches_of(statement)[1:])
        if statement.kind is Kind.GUARD
        else None
    )


def guarded_imports(statements: Iterable[Statement]) -> Iterator[Import]:
    """Yield the imports below the first lines of the guards among some statements."""
    for guard in map(read_guard, statements):
        if guard is not None:
            yield from plain_imports(guard.statements)


def make_import(source: str, name: str, path: str) -> Statement:
    """Return an import that no source holds."""
    return split(generated(f"from {source} import {name}\n", path, 1)).statements[0]
