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
        self._begins = [each.code.line for each in self._statements]
        self._parts: dict[int, list[tuple[range, Owner]]] = {}

    def owner(self, line: int) -> Owner:
        """Return the owner of a line (from 1)."""
        index = bisect_right(self._begins, line) - 1
        if index < 0:
            return NOBODY
        if index not in self._parts:
            self._parts[index] = list(_parts(self._statements[index]))
        return next((owner for lines, owner in self._parts[index] if line in lines), NOBODY)


def _parts(statement: Statement) -> Iterator[tuple[range, Owner]]:
    """The lines of a statement's members with their owners, then those of the whole."""
    if statement.kind is Kind.CLASS:
        for member in split(statement.code.cut(statement.head_end)).statements:
            if member.name:
                yield _lines(member), Owner(statement.name, member.name)
        yield _lines(statement), Owner(statement.name)
    elif statement.name:
        yield _lines(statement), Owner(None, statement.name)


def _lines(statement: Statement) -> range:
    """The lines of a statement, but for blank ones above it."""
    text = statement.code.text
    begin = statement.code.line + text.count("\n", 0, len(text) - len(text.lstrip()))
    return range(begin, statement.code.line + text.count("\n"))
