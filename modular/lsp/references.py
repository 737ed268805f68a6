"""References, and the lenses above classes: which models inherit from a class, and who else uses a name."""

from lsprotocol import types as lsp

from modular.lsp import parents
from modular.lsp.commands import GO_TO_ORIGIN, SHOW_REFERENCES
from modular.lsp.project_file import TOP, ProjectFile
from modular.lsp.syntax import Cursor
from modular.source.blocks import Kind
from modular.source.places import place_of_word


def references(cursor: Cursor) -> list[lsp.Location]:
    """Return where modular files use the name at the cursor, which a file of a model defines or a modular file imports."""
    workspace = cursor.file.workspace
    uses = parents.uses_of(workspace, cursor.file.path, cursor.name)
    if cursor.imported is not None:
        uses += workspace.index.uses(*cursor.imported)
    return [cursor.file.location(use.place) for use in uses]


def lenses(file: ProjectFile, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Return the number of models above each class, and at the top of a generated file its modular file."""
    code_lenses = []
    if (modular := file.workspace.generator(file.path)) is not None:
        title = f"generated from {modular.rpartition('/')[2]}: go there"
        code_lenses.append(lsp.CodeLens(TOP, lsp.Command(title, GO_TO_ORIGIN, arguments=[file.uri, 0])))
    for statement in file.workspace.module(file.path).block.statements:
        if statement.kind is Kind.CLASS:
            uses = [use for use in parents.uses_of(file.workspace, file.path, statement.name) if use.child]
            if count := len({use.modular for use in uses}):
                title = "1 model inherits from this" if count == 1 else f"{count} models inherit from this"
                span = file.range(place_of_word(statement.own, statement.name))
                places = [file.location(use.place) for use in uses]
                command = lsp.Command(title, SHOW_REFERENCES, arguments=[file.uri, span.start, places])
                code_lenses.append(lsp.CodeLens(span, command))
    return code_lenses
