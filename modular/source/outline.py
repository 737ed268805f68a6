"""Which class and which member of it each line of a file belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass

from modular.source.blocks import Kind, Statement
from modular.source.module import Module


@dataclass(frozen=True, slots=True)
class Owner:
    """What a line belongs to: a class and a member of it, a class alone, or a function or assignment of module level.

    The latter has no class; its name is the member.
    """

    class_: str | None = None
    member: str | None = None


NOBODY = Owner()
"""The owner of imports, of what heads a file, and of blank lines between statements."""


def outline(module: Module) -> list[Owner]:
    """Return the owner of each line of a file, from the first."""
    owners = [NOBODY] * len(module.lines)
    for statement in module.block.statements:
        if statement.kind is Kind.CLASS:
            _fill(owners, statement, Owner(statement.name))
            for member in _members(statement):
                _fill(owners, member, Owner(statement.name, member.name))
        elif statement.name:
            _fill(owners, statement, Owner(None, statement.name))
    return owners


def _members(statement: Statement) -> Iterator[Statement]:
    return (each for each in statement.parts.body.statements if each.name)


def _fill(owners: list[Owner], statement: Statement, owner: Owner) -> None:
    text = statement.code.text
    begin = statement.code.line - 1 + text.count("\n", 0, len(text) - len(text.lstrip()))
    end = statement.code.line - 1 + text.count("\n")
    owners[begin:end] = [owner] * (end - begin)
