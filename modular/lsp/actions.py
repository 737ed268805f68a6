"""Code actions: the fixes of diagnostics, imports that are missing, and the way from a generated file to its origin."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from modular.lsp import diagnostics, syntax
from modular.lsp.command_names import GO_TO_ORIGIN
from modular.lsp.documents import Coordinates
from modular.lsp.protocol import (
    CodeAction,
    CodeActionKind,
    Command,
    OptionalVersionedTextDocumentIdentifier,
    Range,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)
from modular.lsp.workspace import Workspace
from modular.source.blocks import Kind
from modular.source.diagnostics import Diagnostic, Edit, Fix, Problem


_MOST = 5
"""Imports that are proposed for a name."""


def need_all(workspace: Workspace, path: str, span: Range) -> bool:
    """Whether it takes all modular files to say what can be done: how they import a name."""
    return workspace.is_modular(path) and any(map(_may_be_imported, _at(workspace, path, span)))


def actions(workspace: Workspace, path: str, span: Range, at: Coordinates) -> list[CodeAction]:
    """Return what can be done about the lines of a span of a file, as far as modular files were read."""
    if workspace.is_modular(path):
        found = _at(workspace, path, span)
        return [action for each in found for action in _of_diagnostic(workspace, path, each, at)]
    modular = workspace.generator(path)
    return [] if modular is None else [_to_origin(workspace, path, modular, span, at)]


def _at(workspace: Workspace, path: str, span: Range) -> list[Diagnostic]:
    """The diagnostics of the lines of a span."""
    workspace.answers.of(path)
    lines = range(span.start.line + 1, span.end.line + 2)
    return [each for each in workspace.found(path) if each.place.path == path and each.place.line in lines]


def _may_be_imported(found: Diagnostic) -> bool:
    return found.code in (Problem.UNDEFINED_NAME, Problem.UNDEFINED_BASE)


def _of_diagnostic(workspace: Workspace, path: str, found: Diagnostic, at: Coordinates) -> list[CodeAction]:
    ways_out = [*found.fixes, *_missing_imports(workspace, path, found)]
    shown = diagnostics.of(workspace, path, found, at)
    return [
        CodeAction(
            each.title,
            CodeActionKind.QuickFix,
            [shown],
            is_preferred=each is ways_out[0],
            edit=_edit(workspace, each, at),
        )
        for each in ways_out
    ]


def _edit(workspace: Workspace, fix: Fix, at: Coordinates) -> WorkspaceEdit:
    """The changes of a fix, which are all in one project."""
    changes: list[TextDocumentEdit] = []
    for path in dict.fromkeys(each.path for each in fix.edits):
        lines = workspace.lines(path)
        edits = [TextEdit(at.span(each, lines), each.text) for each in fix.edits if each.path == path]
        document = OptionalVersionedTextDocumentIdentifier(at.uri(workspace.project, path), None)
        changes.append(TextDocumentEdit(document, edits))
    return WorkspaceEdit(document_changes=changes)


def _missing_imports(workspace: Workspace, path: str, found: Diagnostic) -> list[Fix]:
    """Imports of an undefined name: from the model files that define it, or as other modular files import it."""
    if not _may_be_imported(found):
        return []
    name = found.place.text[found.place.column - 1 : found.place.column - 1 + found.place.width]
    statements = list(dict.fromkeys([*_from_parents(workspace, path, name), *workspace.index.imports_of(name)]))
    line = _first_import(workspace, path)
    return [Fix(f"Add `{each}`", (Edit(path, line, 1, line, 1, f"{each}\n"),)) for each in statements[:_MOST]]


def _from_parents(workspace: Workspace, path: str, name: str) -> Iterator[str]:
    file = workspace.file(path)
    for parent, statement in file.model_imports if file is not None else ():
        if syntax.definition_of(syntax.module_of(parent, workspace.text(parent)), name) is not None:
            yield f"from {statement.source} import {name}"


def _first_import(workspace: Workspace, path: str) -> int:
    """The line of the first import, or of the first statement."""
    statements = syntax.module_of(path, workspace.text(path)).block.statements
    lines = [each.line for each in statements if each.kind is Kind.IMPORT] or [each.line for each in statements]
    return lines[0] if lines else 1


def _to_origin(workspace: Workspace, path: str, modular: str, span: Range, at: Coordinates) -> CodeAction:
    """Go to the line of the modular file, or of a parent's, from which the first line of the span comes."""
    title = f"Go to {PurePosixPath(modular).name}"
    command = Command(title, GO_TO_ORIGIN, arguments=[at.uri(workspace.project, path), span.start.line])
    shown = [diagnostics.generated(workspace, path, modular, at)] if span.start.line == 0 else None
    return CodeAction(title, CodeActionKind.QuickFix, shown, command=command)
