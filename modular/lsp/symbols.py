"""Answers requests for the outline of a file and for symbols of all modular files."""

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
_MAX_FOUND_SYMBOLS = 200
"""Number of symbols that a search returns."""


def outline(
    file: ProjectFile, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    """Return the named statements of the last readable text, and members of classes."""
    module = read_module(file.path, file.workspace.last_readable_text(file.path))
    return _symbols(file, module.block.statements)


def _symbols(
    file: ProjectFile, statements: Iterable[Statement]
) -> list[lsp.DocumentSymbol]:
    """Return the outline of some statements: a symbol for each that defines a name.

    The symbols of a class contain those of its methods and attributes.
    """
    symbols = []
    for statement in statements:
        if not statement.name:
            continue
        name_range = file.range(place_of_word(statement.bare_code, statement.name))
        start = lsp.Position(statement.line - 1, 0)
        end = lsp.Position(statement.bare_code.origin.last_line, 0)
        children: list[lsp.DocumentSymbol] = []
        if statement.kind is Kind.CLASS:
            children = _symbols(file, view_definition(statement).body.statements)
        symbol = lsp.DocumentSymbol(
            name=statement.name,
            kind=KINDS[statement.kind],
            range=lsp.Range(start, end),
            selection_range=name_range,
            children=children,
        )
        symbols.append(symbol)
    return symbols


def search(
    file_of_each_project: Iterable[ProjectFile], query: str
) -> list[lsp.WorkspaceSymbol]:
    """Return the classes and functions of modular files that match a query.

    A name matches if it has the letters of the query in the same order, in any case:
    `llmlp` finds `LlamaMLP`.

    Args:
        file_of_each_project: The projects to search, each given by any of its files.
        query: The letters.
    """
    symbols: list[lsp.WorkspaceSymbol] = []
    for file in file_of_each_project:
        file.workspace.complete_index()
        for definition in file.workspace.index.definitions():
            if _matches(query.lower(), definition.name.lower()):
                symbol = lsp.WorkspaceSymbol(
                    location=file.location(definition.place),
                    name=definition.name,
                    kind=KINDS[definition.kind],
                    container_name=definition.place.path.rpartition("/")[2],
                )
                symbols.append(symbol)
    return symbols[:_MAX_FOUND_SYMBOLS]


def _matches(query: str, name: str) -> bool:
    """Return whether a name has the letters of a query in order, as `llama` has `lma`."""
    # Each `in` consumes the letters up to the one that it finds.
    remaining_letters = iter(name)
    return all(letter in remaining_letters for letter in query)
