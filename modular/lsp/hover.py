"""Hover: the flattened class or method, or the parent's code that a base, an import or a call of `super()` names."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.syntax import Cursor
from modular.rules.classes.methods import methods
from modular.source.indentation import STEP
from modular.source.module import read as read_module
from modular.source.parts import Parts, parts_of


_MOST = 300
"""Lines that are shown."""


def hover(cursor: Cursor) -> lsp.Hover | None:
    """Return, as Markdown, the flattened class or method at the cursor, or the definition of the name there."""
    if cursor.modular is None:
        return None
    shown = _of_super(cursor) or _of_parent(cursor) or _flat(cursor)
    return None if shown is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, shown))


def _of_super(cursor: Cursor) -> str | None:
    """The parent's method that replaces `super().method(...)`."""
    called = cursor.name if cursor.before.endswith("super().") else ""
    if cursor.name == "super" and cursor.method is not None:
        called = cursor.method.name
    if not called or cursor.owner is None:
        return None
    parent = parents.parent_parts(cursor.file.workspace, cursor.modular, cursor.owner.name)
    code = None if parent is None else _member(parent, called)
    return None if parent is None or code is None else _markdown(f"`{parent.name}.{called}`", parent.code.path, code)


def _of_parent(cursor: Cursor) -> str | None:
    """The definition of an imported name, as its own file has it."""
    if cursor.imported is None:
        return None
    path, name = cursor.imported
    statement = syntax.statement_named(cursor.file.workspace.module(path), name)
    return None if statement is None else _markdown(f"`{name}`", path, statement.own.text)


def _flat(cursor: Cursor) -> str | None:
    """What is generated from a class, a function or a method."""
    name = cursor.owner.name if cursor.owner is not None and cursor.is_method_name else cursor.name
    for path, text in preview.formatted_texts(cursor.file, cursor.file.path).items():
        statement = syntax.statement_named(read_module(path, text), name)
        if statement is not None:
            code = _member(parts_of(statement), cursor.name) if cursor.is_method_name else statement.own.text
            if code is not None:
                return _markdown(f"`{cursor.name}` as generated", path, code)
    return None


def _member(owner: Parts, name: str) -> str | None:
    members = [method for method in methods(owner.body.statements).values() if method.name == name]
    lines = (line for method in members for line in method.statement.own.text.splitlines(keepends=True))
    return "".join(line.removeprefix(STEP) for line in lines) or None


def _markdown(title: str, path: str, code: str) -> str:
    lines = code.splitlines(keepends=True)
    rest = len(lines) - _MOST
    more = f"# ... and {rest} more lines\n" if rest > 0 else ""
    return f"{title} in `{path.rpartition('/')[2]}`\n\n```python\n{''.join(lines[:_MOST])}{more}```"
