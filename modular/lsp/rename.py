"""Rename: a class, function or method of a model, in all files that people write."""

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from modular.lsp import parents, syntax
from modular.lsp.actions import workspace_edit
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.refactor.rename import RenameError, Symbol, rename


def rename_symbol(file: ProjectFile, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    """Return the edits that rename what the cursor is on. Raises JsonRpcException with the reason why that cannot be done.

    All models are read, which takes seconds where a class has many children.
    """
    cursor = syntax.cursor_at(file, params.position)
    symbol = None if cursor is None else _symbol_at(cursor)
    try:
        if symbol is None:
            raise RenameError("no class, function or method of a model is defined or imported here")
        renaming = rename(file.project, str(symbol), params.new_name)
    except RenameError as error:
        raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from error
    return workspace_edit(file, [edit for file_edits in renaming.edits.values() for edit in file_edits])


def _symbol_at(cursor: Cursor) -> Symbol | None:
    """The definition whose name the cursor is on, or that of the name that a modular file imports."""
    if cursor.owner is not None and cursor.is_method_name:
        return Symbol(cursor.file.path, cursor.owner.name, cursor.name)
    if cursor.imported is not None:
        return Symbol(*parents.written_class(cursor.file.workspace, cursor.imported))
    statement = syntax.statement_named(cursor.file.workspace.module(cursor.file.path), cursor.name)
    return Symbol(cursor.file.path, cursor.name) if statement is not None and statement.is_definition else None
