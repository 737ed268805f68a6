"""What changes sources: fixes of diagnostics, missing imports, and renaming; and the way from a generated file to its origin."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from modular.lsp import diagnostics, inheritance, syntax
from modular.lsp.commands import GO_TO_ORIGIN
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.refactor.autofix import fix_models
from modular.refactor.errors import RenameError
from modular.refactor.rename import Symbol, rename_in
from modular.run.options import Options
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, Edit, Fix, Problem
from modular.source.edits import EditError, find_line_edits, locate_edits
from modular.source.module import statement_named
from modular.source.places import place_of
from modular.source.trees import UnreadableError


KINDS = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]
"""The kinds of actions that there are."""

_MOST = 5
"""Imports that are proposed for a name."""


def actions(file: ProjectFile, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return what can be done about some lines of a file, or, if the editor asks for that alone, all safe fixes of it."""
    if any(
        lsp.CodeActionKind.SourceFixAll.value.startswith(kind)
        for kind in params.context.only or ()
    ):
        return _fix_all(file)
    if file.is_modular:
        known = _diagnostics(file, params.range)
        return [
            action
            for diagnostic in known
            for action in _of_diagnostic(file, diagnostic)
        ]
    modular = file.workspace.generator(file.path)
    return [] if modular is None else [_to_origin(file, modular, params.range)]


def _diagnostics(file: ProjectFile, span: lsp.Range) -> list[Diagnostic]:
    """The diagnostics of the lines of a span."""
    file.workspace.states.current(file.path)
    lines = range(span.start.line + 1, span.end.line + 2)
    known = (
        diagnostic
        for diagnostic in file.workspace.diagnostics(file.path)
        if diagnostic.place.path == file.path
    )
    return [diagnostic for diagnostic in known if diagnostic.place.line in lines]


def _of_diagnostic(file: ProjectFile, diagnostic: Diagnostic) -> list[lsp.CodeAction]:
    shown, kind = (
        [diagnostics.of_diagnostic(file, diagnostic)],
        lsp.CodeActionKind.QuickFix,
    )
    found: list[lsp.CodeAction] = []
    for fix in [*diagnostic.fixes, *_missing_imports(file, diagnostic)]:
        with suppress(EditError):
            edit = workspace_edit(file, _located(file, fix.edits))
            is_first = not found
            found.append(
                lsp.CodeAction(fix.title, kind, shown, is_preferred=is_first, edit=edit)
            )
    return found


def _located(file: ProjectFile, edits: Iterable[Edit]) -> list[Edit]:
    """Return edits of code with the columns that they have in the editor.

    Raises EditError if the text is not the one that the edits were made for.
    """
    located = []
    for edit in edits:
        located += locate_edits(file.workspace.text(edit.path), [edit])
    return located


def _fix_all(file: ProjectFile) -> list[lsp.CodeAction]:
    """What `modular fix` does to the file: each safe fix is checked by converting again, and may lead to another."""
    if not file.is_modular:
        return []
    file.workspace.states.current(file.path)
    if not any(
        fix.is_safe
        for diagnostic in file.workspace.diagnostics(file.path)
        for fix in diagnostic.fixes
    ):
        return []
    options = Options(root=file.project.root, jobs=1)
    fixed = fix_models(
        file.project, [str(file.project.root / file.path)], options, unsafe=False
    )
    edits: list[Edit] = []
    for fixed_file in fixed.files:
        before, after = f"{fixed_file.before}\n", f"{fixed_file.after}\n"
        edits += find_line_edits(fixed_file.path, before, after)
    title, kind = "Fix all that can be fixed safely", lsp.CodeActionKind.SourceFixAll
    return (
        [lsp.CodeAction(title, kind, edit=workspace_edit(file, edits))] if edits else []
    )


def workspace_edit(file: ProjectFile, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
    """Translate edits of files of one project. An editor refuses those of a text that has changed meanwhile."""
    by_path: dict[
        str, list[lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit]
    ] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(
            lsp.TextEdit(file.edited_range(edit), edit.text)
        )
    changes: list[
        lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile
    ] = []
    for path, text_edits in by_path.items():
        document = lsp.OptionalVersionedTextDocumentIdentifier(
            file.uri_of(path), file.version_of(path)
        )
        changes.append(lsp.TextDocumentEdit(document, text_edits))
    return lsp.WorkspaceEdit(document_changes=changes)


def _missing_imports(file: ProjectFile, diagnostic: Diagnostic) -> list[Fix]:
    """Imports of an undefined name: from the parent files that define it, or as other modular files import it."""
    if diagnostic.code not in (Problem.UNDEFINED_NAME, Problem.UNDEFINED_BASE):
        return []
    place = diagnostic.place
    name = place.text[place.column - 1 : place.column - 1 + place.width]
    file.workspace.complete_index()
    statements = [*_from_parents(file, name), *file.workspace.index.imports_of(name)]
    line = _first_import(file)
    fixes = (
        Fix(
            f"Add `{statement}`",
            (Edit(file.path, line, 1, line, 1, f"{statement}\n", old=""),),
        )
        for statement in statements
    )
    return list(dict.fromkeys(fixes))[:_MOST]


def _from_parents(file: ProjectFile, name: str) -> Iterator[str]:
    modular = file.workspace.modular_file(file.path)
    for parent, statement in modular.model_imports if modular is not None else ():
        if statement_named(file.workspace.module(parent), name) is not None:
            yield f"from {statement.source} import {name}"


def _first_import(file: ProjectFile) -> int:
    """The line of the first import, or of the first statement."""
    statements = file.workspace.module(file.path).block.statements
    imports = [statement for statement in statements if statement.kind is Kind.IMPORT]
    return next((statement.line for statement in [*imports, *statements]), 1)


def _to_origin(file: ProjectFile, modular: str, span: lsp.Range) -> lsp.CodeAction:
    """Go to the line from which the first line of the span comes."""
    title = f"Go to {PurePosixPath(modular).name}"
    command = lsp.Command(title, GO_TO_ORIGIN, arguments=[file.uri, span.start.line])
    shown = [diagnostics.generated(file, modular)] if span.start.line == 0 else None
    return lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, shown, command=command)


def rename_symbol(file: ProjectFile, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    """Return the edits that rename what the cursor is on. Raises JsonRpcException with the reason why that cannot be done.

    All models are read, which takes seconds where a class has many children.
    """
    cursor = syntax.cursor_at(file, params.position)
    symbol = None if cursor is None else _symbol_at(cursor)
    try:
        if symbol is None:
            raise RenameError(
                "no class, function or method of a model is defined or imported here"
            )
        renaming = rename_in(file.project, str(symbol), params.new_name)
        edits = []
        for path, file_edits in renaming.edits.items():
            edits += locate_edits(file.workspace.text(path), file_edits)
    except UnreadableError as error:
        place = place_of(error.code)
        message = f"{place.path}:{place.line}: LibCST cannot read this statement"
        raise JsonRpcException(message, lsp.LSPErrorCodes.RequestFailed) from error
    except (RenameError, EditError) as error:
        raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from error
    return workspace_edit(file, edits)


def _symbol_at(cursor: Cursor) -> Symbol | None:
    """The definition whose name the cursor is on, or that of the name that a modular file imports."""
    if cursor.owner is not None and cursor.is_method_name:
        return Symbol(cursor.file.path, cursor.owner.name, cursor.name)
    if cursor.imported is not None:
        return Symbol(
            *inheritance.class_to_edit(cursor.file.workspace, cursor.imported)
        )
    statement = statement_named(
        cursor.file.workspace.module(cursor.file.path), cursor.name
    )
    return (
        Symbol(cursor.file.path, cursor.name)
        if statement is not None and statement.is_definition
        else None
    )
