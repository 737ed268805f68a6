"""Answers requests that edit sources: fixes, missing imports and renames."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from modular.infer.overriding_rename import rename_with_overrides
from modular.lsp import diagnostics, inheritance, preview, syntax
from modular.lsp.commands import LIFT
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.refactor.autofix import fix_models
from modular.refactor.errors import RenameError
from modular.refactor.rename import Symbol, refuse_symbol
from modular.run.options import Options
from modular.source.diagnostics import Diagnostic, Edit, Fix, Problem
from modular.source.edits import EditError, find_line_edits, locate_edits
from modular.source.module import statement_named
from modular.source.places import place_of
from modular.source.unreadable import UnreadableError
from modular.system.errors import ModularError


_LIFT_KIND = lsp.CodeActionKind.RefactorMove

KINDS = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll, _LIFT_KIND]
"""The kinds of actions that the server offers."""

_MAX_PROPOSED_IMPORTS = 5
"""Number of imports that are proposed for a name."""


def actions(file: ProjectFile, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return the code actions that the editor offers for some lines of a file.

    In a modular file, these are quick fixes of its diagnostics. In a generated file with
    edits, one action moves the edits to the modular file. If the editor asks for *fix
    all*, for example when it saves a file, this is the only action.
    """
    for requested_kind in params.context.only or ():
        # Kinds contain each other: `source` asks for `source.fixAll`, too.
        if lsp.CodeActionKind.SourceFixAll.value.startswith(requested_kind):
            return _fix_all(file)
    if not file.is_modular:
        return _lift_edits(file)

    # The diagnostics below must be those of the current text.
    file.workspace.states.convert_if_stale(file.path)
    # The editor counts lines from 0, diagnostics count from 1.
    first_line = params.range.start.line + 1
    last_line = params.range.end.line + 1
    quick_fixes = []
    for diagnostic in file.workspace.diagnostics(file.path):
        # A diagnostic of the model can be in a parent file.
        is_in_file = diagnostic.place.path == file.path
        if is_in_file and first_line <= diagnostic.place.line <= last_line:
            quick_fixes += _quick_fixes(file, diagnostic)
    return quick_fixes


def _lift_edits(file: ProjectFile) -> list[lsp.CodeAction]:
    """Return the action that moves the edits of a generated file to its modular file.

    The list is empty if the file is not generated, or not edited.
    """
    modular = file.workspace.generating_modular(file.path)
    if modular is None or not preview.is_edited(file):
        return []
    title = lift_title(modular)
    command = lsp.Command(title, LIFT, arguments=[file.uri])
    return [lsp.CodeAction(title, _LIFT_KIND, command=command)]


def _quick_fixes(file: ProjectFile, diagnostic: Diagnostic) -> list[lsp.CodeAction]:
    """Return the fixes of a diagnostic as actions, the preferred action first."""
    fixed_diagnostics = [diagnostics.of_diagnostic(file, diagnostic)]
    quick_fixes: list[lsp.CodeAction] = []
    for fix in [*diagnostic.fixes, *_missing_imports(file, diagnostic)]:
        edits: list[Edit] = []
        try:
            # The edits of a fix can be in several files.
            for edit in fix.edits:
                edits += locate_edits(file.workspace.text(edit.path), [edit])
        except EditError:
            # The text that the fix replaces is not in the file any more.
            continue
        # An import is only preferred if the hint of the diagnostic proposes it.
        is_proposed = fix in diagnostic.fixes or "import it" in diagnostic.hint
        is_first = not quick_fixes
        quick_fix = lsp.CodeAction(
            title=fix.title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=fixed_diagnostics,
            is_preferred=is_proposed and is_first,
            edit=workspace_edit(file, edits),
        )
        quick_fixes.append(quick_fix)
    return quick_fixes


def _fix_all(file: ProjectFile) -> list[lsp.CodeAction]:
    """Return the action that does what `modular fix` does to a modular file.

    The list is empty if there is nothing to fix.
    """
    if not file.is_modular:
        return []

    file.workspace.states.convert_if_stale(file.path)
    fixes: list[Fix] = []
    for diagnostic in file.workspace.diagnostics(file.path):
        fixes += diagnostic.fixes
    if not any(fix.is_safe for fix in fixes):
        # Most files end here, without the slow search for fixes below.
        return []

    root = file.project.root
    options = Options(root=root, jobs=1)
    fixed = fix_models(file.project, [str(root / file.path)], options, unsafe=False)
    edits: list[Edit] = []
    for fixed_file in fixed.files:
        edits += find_line_edits(fixed_file.path, fixed_file.before, fixed_file.after)
    if not edits:
        return []
    fix_all = lsp.CodeAction(
        title="Fix all that can be fixed safely",
        kind=lsp.CodeActionKind.SourceFixAll,
        edit=workspace_edit(file, edits),
    )
    return [fix_all]


def workspace_edit(file: ProjectFile, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
    """Translate edits of files of one project to an edit of the editor's protocol.

    The versions of open files are included, so that an editor refuses edits of a text
    that has changed since.
    """
    by_path: dict[
        str, list[lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit]
    ] = {}
    for edit in edits:
        text_edit = lsp.TextEdit(file.edited_range(edit), edit.text)
        by_path.setdefault(edit.path, []).append(text_edit)

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
    """Return the fixes of an undefined name that import it: `Add from torch import nn`.

    Imports from the parent files that define the name come first. Then come imports of
    the name that other modular files have. The list is empty for other diagnostics.
    """
    if diagnostic.code not in (
        Problem.UNDEFINED_NAME,
        Problem.UNDEFINED_BASE_OR_DECORATOR,
    ):
        return []

    # The place marks the undefined name in its line.
    place = diagnostic.place
    start = place.column - 1
    name = place.text[start : start + place.width]

    workspace = file.workspace
    import_lines = []
    modular = workspace.last_readable_file(file.path)
    if modular is not None:
        for parent, statement in modular.model_imports:
            if statement_named(workspace.module(parent), name) is not None:
                import_lines.append(f"from {statement.source} import {name}")
    workspace.complete_index()
    import_lines += workspace.index.imports_of(name)

    line = syntax.first_import_line(file)
    unique_import_lines = list(dict.fromkeys(import_lines))
    fixes = []
    for text in unique_import_lines[:_MAX_PROPOSED_IMPORTS]:
        # The edit inserts a line before the first import.
        edit = Edit(file.path, line, 1, line, 1, f"{text}\n", old="")
        fixes.append(Fix(f"Add `{text}`", (edit,)))
    return fixes


def lift_title(modular: str) -> str:
    """Return the title of the action that moves edits to a modular file."""
    return f"Move the edits to {PurePosixPath(modular).name}"


def prepare_rename(
    file: ProjectFile, params: lsp.PrepareRenameParams
) -> lsp.PrepareRenamePlaceholder | None:
    """Return the name under the cursor, if this server can rename it.

    For other names, such as local variables, the result is None. The editor then asks
    another server.

    Raises:
        pygls.exceptions.JsonRpcException: The symbol cannot get any other name.
    """
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None:
        return None
    try:
        symbol = _symbol_at(cursor)
    except RenameError:
        return None
    try:
        refuse_symbol(file.project, str(symbol))
    except ModularError as error:
        raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from error
    # The cursor belongs to the last text that could be parsed. The editor needs the
    # range in the current text, where the name may be gone.
    name_range = syntax.word_range(file, params.position)
    if name_range is None:
        return None
    return lsp.PrepareRenamePlaceholder(name_range, placeholder=cursor.name)


def rename_symbol(file: ProjectFile, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    """Return the edits that rename the symbol under the cursor.

    All models are read, which takes seconds for a class with many children.

    Raises:
        pygls.exceptions.JsonRpcException: The symbol cannot be renamed.
    """
    try:
        symbol = _symbol_at(syntax.cursor_at(file, params.position))
        options = Options(jobs=1)
        renaming = rename_with_overrides(
            file.project, str(symbol), params.new_name, options
        )
        edits = []
        for path, file_edits in renaming.edits.items():
            edits += locate_edits(file.workspace.text(path), file_edits)
    except UnreadableError as error:
        place = place_of(error.code)
        message = f"{place.path}:{place.line}: LibCST cannot read this statement"
        raise JsonRpcException(message, lsp.LSPErrorCodes.RequestFailed) from error
    except ModularError as error:
        raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from error
    return workspace_edit(file, edits)


def _symbol_at(cursor: Cursor | None) -> Symbol:
    """Return the class, function or method that the name under the cursor stands for.

    For `forward` in `def forward`, this is the method of the class around the cursor. For
    `LlamaMLP` in `from ..llama.modeling_llama import LlamaMLP`, this is the class in the
    parent file, or in the modular file that generates the parent file.

    Raises:
        modular.refactor.errors.RenameError: The cursor is on no such name.
    """
    if cursor is not None:
        path = cursor.file.path
        workspace = cursor.file.workspace
        # `owner` is the class around the cursor.
        if cursor.owner is not None and cursor.is_method_name:
            return Symbol(path, cursor.owner.name, cursor.name)
        # `imported` is what the name is in the file that it is imported from.
        if cursor.imported is not None:
            definition = inheritance.class_to_edit(workspace, cursor.imported)
            return Symbol(definition.path, definition.name)
        statement = statement_named(workspace.module(path), cursor.name)
        if statement is not None and statement.is_definition:
            return Symbol(path, cursor.name)
    raise RenameError(
        "no class, function or method of a model is defined or imported here"
    )
