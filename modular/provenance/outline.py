"""Which class and which member of it each line of a file belongs to. The index tells, so LibCST is not loaded for it."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from modular.source.blocks import Kind, Statement, split
from modular.source.module import Module


class Owner(NamedTuple):
    """What a line belongs to: a class and a member of it, a class alone, or a function or assignment of module level.

    The latter has no class; its name is the member.
    """

    class_: str | None = None
    member: str | None = None


NOBODY = Owner()
"""The owner of imports, of what heads a file, and of blank lines between statements."""


class Outline:
    """The owners of a file's lines. Only statements in which a line is asked for are looked into."""

    def __init__(self, module: Module) -> None:
        self._statements = module.block.statements
        self._begins = [statement.code.line for statement in self._statements]
        self._members: dict[int, list[tuple[range, Owner]]] = {}

    def owner(self, line: int) -> Owner:
        """Return the owner of a line (from 1)."""
        index = bisect_right(self._begins, line) - 1
        if index < 0:
            return NOBODY
        members = self._members_of(index)
        position = bisect_right(members, line, key=lambda member: member[0].start) - 1
        if position >= 0 and line in members[position][0]:
            return members[position][1]
        statement = self._statements[index]
        return _owner(statement) if line in _lines(statement) else NOBODY

    def owners(self) -> Iterator[Owner]:
        """Yield all owners that the file has."""
        for index, statement in enumerate(self._statements):
            yield _owner(statement)
            yield from (owner for _, owner in self._members_of(index))

    def _members_of(self, index: int) -> list[tuple[range, Owner]]:
        """The lines of a class's members with their owners, in order."""
        if index not in self._members:
            self._members[index] = list(_members(self._statements[index]))
        return self._members[index]


def _owner(statement: Statement) -> Owner:
    if not statement.name:
        return NOBODY
    return Owner(statement.name) if statement.kind is Kind.CLASS else Owner(None, statement.name)


def _members(statement: Statement) -> Iterator[tuple[range, Owner]]:
    if statement.kind is Kind.CLASS:
        for member in split(statement.code.cut(statement.head_end)).statements:
            if member.name:
                yield _lines(member), Owner(statement.name, member.name)


def _lines(statement: Statement) -> range:
    """The lines of a statement, but for blank ones above it."""
    text = statement.code.text
    begin = statement.code.line + text.count("\n", 0, len(text) - len(text.lstrip()))
    return range(begin, statement.code.line + text.count("\n"))
