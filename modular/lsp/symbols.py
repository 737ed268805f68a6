"""The outline of a file: its classes with their members, its functions and what it assigns."""

from dataclasses import dataclass, field

from modular.lsp import syntax
from modular.lsp.documents import Spot
from modular.lsp.workspace import Workspace
from modular.source.blocks import Kind, Statement
from modular.source.diagnostics import Place
from modular.source.places import place_of_word


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that is defined: where its name stands, its first and last line, and what is defined in it."""

    name: str
    kind: Kind
    place: Place
    first_line: int
    last_line: int
    members: list["Symbol"] = field(default_factory=list)


def symbols(workspace: Workspace, path: str) -> list[Symbol]:
    """Return the outline of a file; of one that is half typed, as it was when it last could be read."""
    text, _ = workspace.readable(path, Spot(1, 1))
    return [_symbol(each) for each in syntax.module_of(path, text).block.statements if each.name]


def _symbol(statement: Statement) -> Symbol:
    own = statement.own
    place = place_of_word(own, statement.name)
    symbol = Symbol(statement.name, statement.kind, place, statement.line, own.origin.last_line)
    if statement.kind is Kind.CLASS:
        symbol.members.extend(_symbol(each) for each in statement.parts.body.statements if each.name)
    return symbol
