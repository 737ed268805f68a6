"""Inlay hints: what a class inherits without writing it, and which attributes come by `super().__init__(...)`."""

from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from modular.lsp import inheritance, syntax
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import methods
from modular.rules.classes.super_call import find_super_call
from modular.source.assignments import assigned_target, deleted_targets
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.diagnostics import Place


_MOST = 5
"""Names that a hint lists."""


def inlay_hints(file: ProjectFile, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    """Return the hints for some lines of a modular file."""
    modular = file.workspace.modular_file(file.path) if file.is_modular else None
    if modular is None or file.workspace.readable(file.path) != file.workspace.text(
        file.path
    ):
        return []  # lines of a half-typed file may have moved
    hints: list[lsp.InlayHint] = []
    for definition in modular.definitions.classes.values():
        own = view_definition(definition.statement)
        parent = inheritance.first_parent(file.workspace, modular, definition.name)
        if parent is not None:
            hints += _of_class(file, own, parent)
    return [
        hint
        for hint in hints
        if params.range.start.line <= hint.position.line <= params.range.end.line
    ]


def _of_class(
    file: ProjectFile, own: DefinitionView, parent: DefinitionView
) -> Iterator[lsp.InlayHint]:
    inherited, overrides = methods(parent.body.statements), methods(own.body.statements)
    names = [name for name in inherited if name not in overrides]
    if names:
        count = "1 method" if len(names) == 1 else f"{len(names)} methods"
        last = own.header.line + own.header.text.rstrip("\n").count("\n")
        yield _hint(file, last, f"+{count} from {parent.name}", names)
    if "__init__" in overrides:
        yield from _of_init(file, overrides["__init__"].body.statements, parent)


def _of_init(
    file: ProjectFile, body: Sequence[Statement], parent: DefinitionView
) -> Iterator[lsp.InlayHint]:
    """The attributes that the parent's `__init__` assigns, less those that are deleted or assigned again."""
    index = find_super_call(body, "__init__")
    if index is None:
        return
    own = {name for statement in body for name in deleted_targets(statement)}
    own |= {
        target.text
        for statement in body
        if (target := assigned_target(statement)) is not None
    }
    names = [
        name
        for name in syntax.assigned_attributes(parent, "__init__")
        if f"self.{name}" not in own
    ]
    if names:
        more = f", +{len(names) - _MOST}" if len(names) > _MOST else ""
        yield _hint(
            file,
            body[index].own.origin.last_line,
            f"self: {', '.join(names[:_MOST])}{more}",
            names,
        )


def _hint(
    file: ProjectFile, line: int, label: str, names: Sequence[str]
) -> lsp.InlayHint:
    """A hint at the end of a line (from 1)."""
    text = file.workspace.lines(file.path)[line - 1]
    end = file.range(Place(file.path, line, len(text) + 1, 0, text)).start
    return lsp.InlayHint(end, label, tooltip="\n".join(names), padding_left=True)
