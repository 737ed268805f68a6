"""Hover: the flattened class or method, or the parent's code that a base, an import or a call of `super()` names."""

from lsprotocol import types as lsp

from modular.lsp import parents, preview, syntax
from modular.lsp.project_file import ProjectFile
from modular.lsp.syntax import Surrounding, Word
from modular.rules.classes.methods import methods
from modular.rules.modular_file import ModularFile
from modular.source.indentation import STEP
from modular.source.module import read as read_module
from modular.source.parts import Parts


_MOST = 300
"""Lines that are shown."""


def hover(file: ProjectFile, params: lsp.HoverParams) -> lsp.Hover | None:
    """Return, as Markdown, what becomes of the class or method at the cursor, or what the name there stands for."""
    if not file.is_modular:
        return None
    text, spot = file.workspace.readable(file.path, file.spot(params.position))
    word = syntax.word_at(text.split("\n"), spot)
    modular = file.workspace.converter.read(file.path, text)
    if word is None or modular is None:
        return None
    around = syntax.surrounding(modular.module, spot.line)
    shown = _of_super(file, modular, around, word) or _of_parent(file, modular, word.name) or _flat(file, around, word)
    return None if shown is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, shown))


def _of_super(file: ProjectFile, modular: ModularFile, around: Surrounding | None, word: Word) -> str | None:
    """The parent's method that takes the place of `super().method(...)`."""
    name = around.method.name if around is not None and around.method is not None else ""
    is_method = word.before.endswith("super().")
    if around is None or around.owner is None or not (is_method or (word.name == "super" and name)):
        return None
    parent = parents.parent_parts(file.workspace, modular, around.owner.name)
    name = word.name if is_method else name
    code = None if parent is None else _member(parent, name)
    return None if parent is None or code is None else _markdown(f"`{parent.name}.{name}`", parent.code.path, code)


def _of_parent(file: ProjectFile, modular: ModularFile, name: str) -> str | None:
    """The definition of an imported name, as its own file has it."""
    if name not in modular.parent_of:
        return None
    path = modular.parent_of[name]
    statement = syntax.statement_named(file.workspace.module(path), modular.original_names[name])
    return None if statement is None else _markdown(f"`{statement.name}`", path, statement.own.text)


def _flat(file: ProjectFile, around: Surrounding | None, word: Word) -> str | None:
    """What is generated from a class, a function or a method."""
    owner, method = (around.owner, around.method) if around is not None else (None, None)
    is_method = owner is not None and method is not None and method.name == word.name
    name = owner.name if owner is not None and is_method else word.name
    for path, text in preview.formatted_texts(preview.state_with_formatted(file, file.path)).items():
        statement = syntax.statement_named(read_module(path, text), name)
        if statement is not None:
            code = _member(statement.parts, word.name) if is_method else statement.own.text
            if code is not None:
                return _markdown(f"`{word.name}` as generated", path, code)
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
