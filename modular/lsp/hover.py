"""Hover: the flattened class or method, or the parent's code that a base, an import or a call of `super()` names."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Cursor
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.indentation import STEP
from modular.source.module import read as read_module
from modular.source.parts import Parts, parts_of


_MOST = 300
"""Lines that are shown."""


def hover(file: ProjectFile, params: lsp.HoverParams) -> lsp.Hover | None:
    """Return, as Markdown, what becomes of the class or method at the cursor, or what the name there stands for."""
    cursor = syntax.cursor_at(file, params.position)
    if cursor is None or cursor.modular is None:
        return None
    shown = _of_super(file, cursor.modular, cursor) or _of_parent(file, cursor.modular, cursor.name)
    shown = shown or _flat(file, cursor)
    return None if shown is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, shown))


def _of_super(file: ProjectFile, modular: ModularFile, cursor: Cursor) -> str | None:
    """The parent's method that takes the place of `super().method(...)`."""
    called = cursor.name if cursor.before.endswith("super().") else ""
    if cursor.name == "super" and cursor.method is not None:
        called = cursor.method.name
    parent = parents.parent_parts(file.workspace, modular, cursor.owner.name) if called and cursor.owner else None
    code = None if parent is None else _member(parent, called)
    return None if parent is None or code is None else _markdown(f"`{parent.name}.{called}`", parent.code.path, code)


def _of_parent(file: ProjectFile, modular: ModularFile, name: str) -> str | None:
    """The definition of an imported name, as its own file has it."""
    if name not in modular.parent_of:
        return None
    path = modular.parent_of[name]
    statement = syntax.statement_named(file.workspace.module(path), modular.original_names[name])
    return None if statement is None else _markdown(f"`{statement.name}`", path, statement.own.text)


def _flat(file: ProjectFile, cursor: Cursor) -> str | None:
    """What is generated from a class, a function or a method."""
    name = cursor.owner.name if cursor.owner is not None and cursor.is_method_name else cursor.name
    for path, text in preview.formatted_texts(preview.state_with_formatted(file, file.path)).items():
        statement = syntax.statement_named(read_module(path, text), name)
        if statement is not None:
            code = _member(parts_of(statement), cursor.name) if cursor.is_method_name else statement.own.text
            if code is not None:
                return _markdown(f"`{cursor.name}` as generated", path, code)
    return None


def _member(owner: Parts, name: str) -> str | None:
    found = [method for method in methods(owner.body.statements).values() if method.name == name]
    return "".join(_dedented(method.statement.own.text) for method in found) or None


def _dedented(text: str) -> str:
    return "".join(line.removeprefix(STEP) for line in text.splitlines(keepends=True))


def _markdown(title: str, path: str, code: str) -> str:
    lines = code.splitlines(keepends=True)
    rest = len(lines) - _MOST
    more = f"# ... and {rest} more lines\n" if rest > 0 else ""
    return f"{title} in `{path.rpartition('/')[2]}`\n\n```python\n{''.join(lines[:_MOST])}{more}```"
