"""Answers requests for inlay hints, which name inherited methods and attributes."""

from collections.abc import Sequence
from typing import NamedTuple

from lsprotocol import types as lsp

from modular.lsp import inheritance, syntax
from modular.lsp.project_file import ProjectFile
from modular.rules.classes.methods import find_methods
from modular.rules.classes.super_call import find_super_call
from modular.source.assignments import assigned_target, deleted_targets
from modular.source.blocks import Statement
from modular.source.definition_view import DefinitionView, view_definition
from modular.system.printable import counted


_MAX_SHOWN_ATTRIBUTES = 5
"""Number of attributes that a hint names; its tooltip names all."""


class _Hint(NamedTuple):
    """A hint at the end of a line of the last readable text.

    Attributes:
        line: The number of the line, from 1.
        label: The text of the hint.
        names: The names that the editor lists when the mouse is on the hint.
    """

    line: int
    label: str
    names: Sequence[str]


def inlay_hints(file: ProjectFile, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    """Return the hints for some lines of a modular file.

    A hint is grey text at the end of a line, and tells what a class inherits. While a
    statement is half typed, the hints are those of the last text that could be parsed.
    They are shown on the same lines of the current text.
    """
    if not file.is_modular:
        return []
    workspace = file.workspace
    modular = workspace.last_readable_file(file.path)
    if modular is None:
        return []

    current_lines = workspace.current_lines(file.path)
    # The editor counts lines from 0, hints count from 1.
    first_line = params.range.start.line + 1
    last_line = params.range.end.line + 1
    hints = []
    for name, binding in modular.definitions.classes.items():
        parent = inheritance.first_parent(workspace, modular, name)
        if parent is None:
            continue
        for hint in _class_hints(view_definition(binding.statement), parent):
            # A line that has changed has no hint.
            line = current_lines.get(hint.line)
            if line is not None and first_line <= line <= last_line:
                hints.append(_inlay_hint(file, line, hint))
    return hints


def _class_hints(class_: DefinitionView, parent: DefinitionView) -> list[_Hint]:
    """Return the hints of a class: its inherited methods, and its inherited attributes.

    The first is `+3 methods from LlamaMLP`, after the header of the class. The second
    is `self: act_fn, up_proj`, after the call to `super().__init__()`.
    """
    hints = []
    overrides = find_methods(class_.body.statements)
    methods = [
        name for name in find_methods(parent.body.statements) if name not in overrides
    ]
    if methods:
        header = class_.header.text.rstrip("\n")
        header_end = class_.header.line + header.count("\n")
        label = f"+{counted(len(methods), 'method')} from {parent.name}"
        hints.append(_Hint(header_end, label, methods))

    if "__init__" in overrides:
        body = overrides["__init__"].body.statements
        call_index = find_super_call(body, "__init__")
        attributes = _inherited_attributes(body, parent)
        if call_index is not None and attributes:
            label = f"self: {', '.join(attributes[:_MAX_SHOWN_ATTRIBUTES])}"
            if len(attributes) > _MAX_SHOWN_ATTRIBUTES:
                label += f", +{len(attributes) - _MAX_SHOWN_ATTRIBUTES}"
            call_end = body[call_index].bare_code.origin.last_line
            hints.append(_Hint(call_end, label, attributes))
    return hints


def _inherited_attributes(
    body: Sequence[Statement], parent: DefinitionView
) -> list[str]:
    """Return the parent's attributes that an `__init__` neither assigns nor deletes.

    If the parent's `__init__` assigns `self.a`, `self.b` and `self.c`, and the body has
    `self.a = 1` and `del self.b`, the result is `["c"]`.

    Args:
        body: The body of the `__init__`.
        parent: The parent class.
    """
    changed_targets: set[str] = set()
    for statement in body:
        changed_targets.update(deleted_targets(statement))
        target = assigned_target(statement)
        if target is not None:
            changed_targets.add(target.text)
    attributes = syntax.assigned_attributes(parent, "__init__")
    return [name for name in attributes if f"self.{name}" not in changed_targets]


def _inlay_hint(file: ProjectFile, line: int, hint: _Hint) -> lsp.InlayHint:
    """Return a hint for the end of a line, from 1, of the current text."""
    text = file.workspace.lines(file.path)[line - 1]
    position = file.position(line, len(text) + 1, text)
    tooltip = "\n".join(hint.names)
    return lsp.InlayHint(position, hint.label, tooltip=tooltip, padding_left=True)
