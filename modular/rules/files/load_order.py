"""Names that Python needs while it imports a file are defined before they are used.

If a class has the attribute `norm_class = MyModelNorm`, Python looks up `MyModelNorm`
while it imports the file. If `MyModelNorm` is further down, the import fails. The same
holds for bases, decorators, default values and annotations. Names in the body of a
function are different: Python looks them up when the function is called.

In the example, the modular file defines `MyModelNorm` below the class that inherits
`norm_class`. modular moves the definition of `MyModelNorm` directly above that class.
All other statements of the generated file keep their places.

Parent `models/llama/modeling_llama.py`:

```python
from torch import nn


class LlamaNorm(nn.Module):
    eps = 1e-6


class LlamaMLP(nn.Module):
    norm_class = LlamaNorm
```

Modular `models/my_model/modular_my_model.py`:

```python
from ..llama.modeling_llama import LlamaMLP, LlamaNorm


class MyModelMLP(LlamaMLP):
    pass


class MyModelNorm(LlamaNorm):
    eps = 1e-5
```

Output `models/my_model/modeling_my_model.py`:

```python
from torch import nn


class MyModelNorm(nn.Module):
    eps = 1e-5


class MyModelMLP(nn.Module):
    norm_class = MyModelNorm
```
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from modular.rules.files.drafts import Draft, DraftStatement
from modular.semantics.modules import effects_of_statement
from modular.semantics.registrations import Registrations
from modular.semantics.statements import facts_of, find_names_read_at_once
from modular.source.blocks import Kind, Statement, split
from modular.source.walking import walk


def order_for_import(draft: Draft, first_names: tuple[str, ...]) -> None:
    """Order the statements of a generated file so that importing it succeeds.

    A base, decorator or default is used at import time. Its definition moves above the
    statement that uses it, and so do the names that it reads if it is a function, which
    may run then.

    Args:
        draft: The generated file, which is changed in place.
        first_names: The names that come first in every file.
    """
    statements = draft.ordered_statements(first_names)
    if not _uses_later_names(statements):
        return
    positions = {statement.name: index for index, statement in enumerate(statements)}

    def read_by_function(name: str) -> list[str]:
        """Return the names that a function reads when it runs; none for other names."""
        statement = _first_statement(statements[positions[name]])
        if statement.kind is not Kind.FUNCTION:
            return []
        return sorted(facts_of(statement).variables_read_later & positions.keys())

    # The indices of the statements that must come above each statement.
    earlier = {}
    for index, statement in enumerate(statements):
        used_names = sorted(_used_at_import(statement, positions.keys()))
        all_names = walk(used_names, read_by_function)
        earlier[index] = {positions[name] for name in all_names} - {index}
    _reorder(draft, statements, earlier)


def order_like_sources(draft: Draft, first_names: tuple[str, ...]) -> None:
    """Order the statements of a file in which several statements bind or change one name.

    There are two rules:

    - Statements from one source file that bind, change or read the same name at import
      time keep their order.
    - All statements that change a name come before statements from other files that
      read it.

    Args:
        draft: The generated file, which is changed in place.
        first_names: The names that come first in every file.
    """
    if not draft.has_changes:
        return
    statements = draft.ordered_statements(first_names)
    definitions = {}
    for draft_statement in statements:
        definitions[draft_statement.name] = _first_statement(draft_statement)
    registrations = Registrations(definitions)
    # The names that each statement changes and reads while the file is imported.
    roles = [_read_role(statement, registrations) for statement in statements]
    _reorder(draft, statements, _find_earlier(roles))


def _first_statement(draft_statement: DraftStatement) -> Statement:
    """Return the statement that defines the name of a generated statement."""
    return split(draft_statement.code).statements[0]


def _reorder(
    draft: Draft,
    statements: Sequence[DraftStatement],
    earlier: Mapping[int, AbstractSet[int]],
) -> None:
    """Order the statements of a file so that each comes after those that it needs.

    Apart from that, the order stays. Statements that need each other can have any order.

    Args:
        draft: The file, which is changed in place.
        statements: Its statements in their order so far.
        earlier: The indices of the statements that must come above each statement.
    """
    draft.statements = {
        statements[index].name: statements[index] for index in _sort(earlier)
    }


def _find_earlier(roles: Sequence["_Role"]) -> dict[int, set[int]]:
    """Return the indices of the statements that must come above each statement.

    They follow from two rules:

    1. Two statements that change the same name keep their order if they come from the
       same source file: `TABLE = {}` stays above `TABLE.update(x)`.
    2. A statement that changes a name comes above a statement that reads it. There is one
       exception: if several statements change the name, those below the reader in the
       source file of the reader stay below it.

    Args:
        roles: The role of each statement: which names it changes and reads at import time.

    Returns:
        The set of indices for each index in `roles`.
    """
    # The statements that bind or change each name.
    changers: dict[str, list[int]] = {}
    for index, role in enumerate(roles):
        for name in sorted(role.changed):
            changers.setdefault(name, []).append(index)

    earlier: dict[int, set[int]] = {index: set() for index in range(len(roles))}
    names_of_one_file = set()
    for name, indices in changers.items():
        indices_by_file = _group_by_source(roles, indices)
        for indices_of_file in indices_by_file.values():
            for above, below in _order_changers(roles, indices_of_file):
                earlier[below].add(above)
        if len(indices_by_file) == 1:
            names_of_one_file.add(name)
    for above, below in _order_readers(roles, changers, names_of_one_file):
        earlier[below].add(above)
    return earlier


def _order_changers(
    roles: Sequence["_Role"], indices_of_file: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Yield which of two neighbouring statements of a source file must stay above.

    Args:
        roles: The role of each statement.
        indices_of_file: The indices of all statements of the file that change a certain
            name, in the order of their lines.

    Yields:
        The index of the upper statement, and that of the lower one.
    """
    for above, below in pairwise(indices_of_file):
        # Statements that come from the same line have no order.
        if roles[below].is_below(roles[above]):
            yield above, below


def _order_readers(
    roles: Sequence["_Role"],
    changers: Mapping[str, Sequence[int]],
    names_of_one_file: AbstractSet[str],
) -> Iterator[tuple[int, int]]:
    """Yield pairs of a statement that reads a name and one that changes it, upper first.

    A reader comes below all statements that change the name, with two exceptions. If
    several statements change the name, those below the reader in the reader's source file
    stay below it. Two statements that both read and change the name, such as two classes
    with the decorator `@register`, need not have an order.

    Args:
        roles: The role of each statement.
        changers: The indices of the statements that change each name.
        names_of_one_file: The names that only statements of one source file change.

    Yields:
        The index of the upper statement, and that of the lower one.
    """
    read_by_functions = _names_read_by_functions(roles, changers.keys())
    names_read = [
        list(_names_read_at_import(role, read_by_functions)) for role in roles
    ]
    for reader, role in enumerate(roles):
        for name in names_read[reader]:
            # `_order_changers` has already ordered a reader that changes the name, too.
            if name in role.changed and name in names_of_one_file:
                continue
            has_several_changers = len(changers[name]) > 1
            for changer in changers[name]:
                both_change = name in role.changed and name in names_read[changer]
                if changer == reader or both_change:
                    continue
                if has_several_changers and roles[changer].is_below(role):
                    yield reader, changer
                else:
                    yield changer, reader


def _names_read_by_functions(
    roles: Sequence["_Role"], names: AbstractSet[str]
) -> dict[str, set[str]]:
    """Return, for each of some names, which of them a call of its functions may read.

    For `def f(): return TABLE` and the names `f` and `TABLE`, the entry of `f` contains
    `TABLE`.

    Args:
        roles: The role of each statement.
        names: All names that a statement binds or changes.
    """
    read_by_functions: dict[str, set[str]] = {name: set() for name in names}
    for role in roles:
        for name in role.changed:
            read_by_functions[name] |= role.read_later & names
    return read_by_functions


def _group_by_source(
    roles: Sequence["_Role"], indices: Sequence[int]
) -> dict[str, list[int]]:
    """Return indices of statements by source file, in the order of the file's lines.

    A statement that comes from two source files, as a merged class does, is in both groups.

    Args:
        roles: The role of each statement.
        indices: The indices of the statements to group.
    """
    indices_by_path: dict[str, list[int]] = {}
    for index in indices:
        for path in roles[index].line_by_path:
            indices_by_path.setdefault(path, []).append(index)
    for path, indices_of_file in indices_by_path.items():
        indices_of_file.sort(key=lambda index: roles[index].line_by_path[path])
    return indices_by_path


class _Role(NamedTuple):
    """What a statement does while its file is imported.

    Attributes:
        line_by_path: The first line of its code in each file that it comes from. A merged
            class comes from two files, but only those count whose code names a changed
            name.
        changed: The names that it binds or changes.
        read: The names that it reads.
        read_later: The names that its functions read.
    """

    line_by_path: Mapping[str, int]
    changed: AbstractSet[str]
    read: AbstractSet[str]
    read_later: AbstractSet[str]

    def is_below(self, other: "_Role") -> bool:
        """Whether the statement is below another one in a source file of both."""
        return any(
            line > other.line_by_path.get(path, line)
            for path, line in self.line_by_path.items()
        )


def _read_role(draft_statement: DraftStatement, registrations: Registrations) -> _Role:
    """Return which names a generated statement changes and reads at import time.

    Args:
        draft_statement: The statement.
        registrations: Finds the names that a call such as `register(x)` changes.
    """
    changed_names: set[str] = set()
    names_read: set[str] = set()
    names_read_later: set[str] = set()
    for statement in split(draft_statement.code).statements:
        facts = facts_of(statement)
        names_read |= facts.variables_read_at_once
        if "lambda" in statement.words:
            # The statement may call the lambda.
            names_read |= find_names_read_at_once(statement, statement.words)
        names_read_later |= facts.variables_read_later
        changed_names |= {name for name, _ in effects_of_statement(statement)}
        changed_names |= registrations.names_changed_by(statement)
    # A merged class has runs of lines from two files. If only the lines of one file
    # mention the other changed names, only this file counts.
    runs = draft_statement.parts
    other_names = changed_names - {draft_statement.name}
    changing_runs = [run for run in runs if other_names & run.code.words()]
    line_by_path: dict[str, int] = {}
    for run in changing_runs or runs:
        line_by_path.setdefault(run.code.path, run.code.line)
    return _Role(line_by_path, changed_names, names_read, names_read_later)


def _names_read_at_import(
    role: _Role, read_by_functions: Mapping[str, AbstractSet[str]]
) -> Iterator[str]:
    """Yield the names, of some names, that a statement may read at import time.

    `register(x)` reads `register`. It may call this function, so it also reads `TABLE` if
    the function does.

    Args:
        role: The names that the statement reads and changes itself.
        read_by_functions: The names to look for, each with those of them that its
            functions read: `register` with `TABLE`.
    """
    read_directly = role.read & read_by_functions.keys()
    return walk(sorted(read_directly), lambda name: sorted(read_by_functions[name]))


def _sort(earlier: Mapping[int, AbstractSet[int]]) -> list[int]:
    """Sort indices so that each of them comes after those that must come earlier.

    Apart from that, the indices ascend: if 2 must come before 0, the order is 2, 0, 1.
    If two indices must each come before the other, one of the two conditions is
    ignored.

    Args:
        earlier: The indices that must come before each index.
    """
    # This is a depth-first search without recursion. When an index is on top of the stack
    # for the first time, the indices that must come earlier are put above it. When it is
    # on top again, all of these are in the order, and the index follows them.
    # The keys of this dictionary are the order.
    ordered: dict[int, None] = {}
    visited: set[int] = set()
    stack = sorted(earlier, reverse=True)
    while stack:
        index = stack[-1]
        if index not in visited:
            visited.add(index)
            stack += sorted(earlier[index] - visited, reverse=True)
            continue
        stack.pop()
        # An index can be on the stack twice. A dictionary keeps its first place.
        ordered[index] = None
    return list(ordered)


def _uses_later_names(statements: Sequence[DraftStatement]) -> bool:
    """Whether a statement uses a name at import time that is defined below it."""
    names_below: set[str] = set()
    for statement in reversed(statements):
        # Parsing is slow, so a statement without any of the words is not parsed.
        has_word = not names_below.isdisjoint(statement.words)
        if has_word and _used_at_import(statement, names_below):
            return True
        names_below.add(statement.name)
    return False


def _used_at_import(
    draft_statement: DraftStatement, names: AbstractSet[str]
) -> AbstractSet[str]:
    """Return which of the given names a statement uses at import time.

    Names in the bodies of functions are left out, because these run later.
    """
    used_names: set[str] = set()
    for statement in split(draft_statement.code).statements:
        used_names |= find_names_read_at_once(statement, names)
    return used_names
