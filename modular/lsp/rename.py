"""Rename: a class, function or method of a model, in all files that people write."""

from dataclasses import dataclass, replace

from lsprotocol import types as lsp

from modular.lsp import parents, syntax
from modular.lsp.actions import workspace_edit
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.project.project import Project
from modular.refactor.rename import RenameEdits, RenameError, Symbol, rename


@dataclass(frozen=True)
class PendingRename:
    """A renaming that is still to be computed: a project with its unsaved texts, what is renamed, and the new name."""

    project: Project
    symbol: Symbol
    new: str

    def compute(self) -> RenameEdits:
        """Read all models, which takes seconds where a class has many children. Any thread may. Raises RenameError."""
        return rename(self.project, str(self.symbol), self.new)


def prepare(file: ProjectFile, params: lsp.RenameParams) -> PendingRename:
    """Return the renaming of what the cursor is on. Raises RenameError."""
    cursor = syntax.cursor_at(file, params.position)
    symbol = None if cursor is None else _symbol_at(cursor)
    if symbol is None:
        raise RenameError("no class, function or method of a model is defined or imported here")
    project = replace(file.workspace.project, unsaved=dict(file.workspace.texts))
    return PendingRename(project, symbol, params.new_name)


def edits(file: ProjectFile, pending: PendingRename, renaming: RenameEdits) -> lsp.WorkspaceEdit:
    """Translate a renaming that was computed. Raises RenameError if somebody has typed meanwhile."""
    if pending.project.unsaved != file.workspace.texts:
        raise RenameError("the files have changed meanwhile: rename again")
    return workspace_edit(file, [edit for file_edits in renaming.edits.values() for edit in file_edits])


def _symbol_at(cursor: Cursor) -> Symbol | None:
    """The definition whose name the cursor is on, or which a name that a modular file imports stands for."""
    if cursor.owner is not None and cursor.is_method_name:
        return Symbol(cursor.file.path, cursor.owner.name, cursor.name)
    if cursor.imported is not None:
        return Symbol(*parents.written_class(cursor.file.workspace, cursor.imported))
    statement = syntax.statement_named(cursor.file.workspace.module(cursor.file.path), cursor.name)
    return Symbol(cursor.file.path, cursor.name) if statement is not None and statement.is_definition else None
