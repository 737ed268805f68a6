"""The outline of a file, and the search for a symbol over all modular files."""

from collections.abc import Iterable

from lsprotocol import types as lsp

from modular.lsp.project_file import ProjectFile
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.module import read as read_module
from modular.source.places import place_of_word


KINDS = {
    Kind.CLASS: lsp.SymbolKind.Class,
    Kind.FUNCTION: lsp.SymbolKind.Function,
    Kind.ASSIGNMENT: lsp.SymbolKind.Variable,
}
_MOST = 200
"""Symbols that a search gives."""


def outline(
    file: ProjectFile, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    """Return the classes, with their members, functions and assignments of a file, by its last readable text."""
    text = file.workspace.readable(file.path)
    return [
        _symbol(file, statement)
        for statement in read_module(file.path, text).block.statements
        if statement.name
    ]


def _symbol(file: ProjectFile, statement: Statement) -> lsp.DocumentSymbol:
    name = file.range(place_of_word(statement.own, statement.name))
    first = min(name.start, lsp.Position(statement.line - 1, 0))
    whole = lsp.Range(first, lsp.Position(statement.own.origin.last_line, 0))
    body = (
        view_definition(statement).body.statements
        if statement.kind is Kind.CLASS
        else ()
    )
    members = [_symbol(file, member) for member in body if member.name]
    return lsp.DocumentSymbol(
        statement.name, KINDS[statement.kind], whole, name, children=members
    )


def search(files: Iterable[ProjectFile], query: str) -> list[lsp.WorkspaceSymbol]:
    """Return the classes and functions of modular files whose names have the letters of a query in this order.

    ``files`` has one file of each project.
    """
    matches = []
    for file in files:
        file.workspace.complete_index()
        for name, kind, place in file.workspace.index.definitions():
            if _matches(query.lower(), name.lower()):
                model = place.path.rpartition("/")[2]
                matches.append(
                    lsp.WorkspaceSymbol(
                        file.location(place), name, KINDS[kind], container_name=model
                    )
                )
    return matches[:_MOST]


def _matches(query: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in query)
