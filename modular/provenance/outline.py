"""Tells which class, and which member of it, each line of a file belongs to.

The index of statements is enough for that, so LibCST is not loaded.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from modular.source import module as modules
from modular.source.blocks import Kind, Statement, split
from modular.source.module import Module
from modular.source.source_slice import SourceSlice


class Owner(NamedTuple):
    """The class and the member that a line belongs to.

    A function or assignment at module level is a member of no class.
    """

    class_: str | None = None
    member: str | None = None


class SourceOwner(NamedTuple):
    """A class and member, such as `LlamaMLP.forward`, of a hand-written file."""

    path: str
    owner: Owner


UNOWNED = Owner()
"""The owner of imports, of a file's header, and of blank lines between statements."""


@lru_cache(maxsize=8)
def read_outline(path: str, text: str) -> Module:
    """Split a file into its top-level statements, without parsing them.

    The results for the last files are kept by `lru_cache`, because one run asks for the
    statements of a generated file several times.

    Args:
        path: Path of the file.
        text: Its text, with a line end after each line.
    """
    return modules.read(path, text)


def line_owners(module: Module) -> dict[int, Owner]:
    """Return the class and member that each line (from 1) of a file belongs to.

    Lines outside of all definitions are left out.
    """
    owners = {}
    for statement in module.block.statements:
        # A class comes before its members, so their lines get the members as owners.
        for definition, owner in _owned_statements(statement):
            end = definition.code.line + definition.code.text.count("\n")
            for line in range(first_filled_line(definition.code), end):
                owners[line] = owner
    return owners


def _owned_statements(statement: Statement) -> Iterator[tuple[Statement, Owner]]:
    """Yield a named statement, and after a class its members, with their owners.

    A class `A` with a method `f` yields the whole class for `A`, then the method for
    `A.f`.
    """
    if statement.kind is Kind.CLASS:
        yield statement, Owner(statement.name)
        body = statement.code.cut(statement.header_end)
        for member in split(body).statements:
            if member.name:
                yield member, Owner(statement.name, member.name)
    elif statement.name:
        yield statement, Owner(None, statement.name)


def first_filled_line(code: SourceSlice) -> int:
    """Return the line (from 1) on which the code begins below its blank lines."""
    first_character = len(code.text) - len(code.text.lstrip())
    return code.line + code.text.count("\n", 0, first_character)
