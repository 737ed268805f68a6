"""Which class and which member of it each line of a file belongs to. The index tells, so LibCST is not loaded for it."""

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


UNOWNED = Owner()
"""The owner of imports, of what heads a file, and of blank lines between statements."""


def line_owners(module: Module) -> dict[int, Owner]:
    """Return the owner of each line (from 1) of a file; there is none for lines that belong to nobody."""
    return {
        line: owner
        for statement in module.block.statements
        for part, owner in _owners(statement)
        for line in _lines(part)
    }


def _owners(statement: Statement) -> Iterator[tuple[Statement, Owner]]:
    """A statement of a file, and the members of a class, each with what its lines belong to."""
    if statement.kind is Kind.CLASS:
        yield statement, Owner(statement.name)
        for member in split(statement.code.cut(statement.head_end)).statements:
            if member.name:
                yield member, Owner(statement.name, member.name)
    elif statement.name:
        yield statement, Owner(None, statement.name)


def _lines(statement: Statement) -> range:
    """The lines of a statement, but for blank ones above it."""
    text = statement.code.text
    begin = statement.code.line + text.count("\n", 0, len(text) - len(text.lstrip()))
    return range(begin, statement.code.line + text.count("\n"))
