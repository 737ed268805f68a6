"""Hover: the flattened class or method that will come out."""

from modular.lsp import syntax
from modular.lsp.documents import Spot
from modular.lsp.workspace import Workspace
from modular.rules.classes.methods import methods
from modular.source.indentation import STEP
from modular.source.parts import Parts
from modular.source.ruff import FormatterError


_MOST = 300
"""Lines that are shown."""


def hover(workspace: Workspace, path: str, spot: Spot) -> str | None:
    """Return, as Markdown, what comes out of what the cursor is on; None if nothing does."""
    if not workspace.is_modular(path):
        return None
    text, spot = workspace.readable(path, spot)
    module = syntax.module_of(path, text)
    word = syntax.word_at(module.lines, spot)
    if word is None:
        return None
    found = syntax.around(module, spot.line)
    if found is not None and found.owner is not None and found.method is not None and found.method.name == word.name:
        return _shown(workspace, path, found.owner.name, word.name)
    return _shown(workspace, path, word.name)


def _shown(workspace: Workspace, modular: str, name: str, member: str = "") -> str | None:
    for path, text in _texts(workspace, modular).items():
        statement = next((each for each in syntax.module_of(path, text).block.statements if each.name == name), None)
        if statement is None:
            continue
        code = (
            statement.own.text if not member else _member(syntax.class_of(syntax.module_of(path, text), name), member)
        )
        if code is not None:
            return f"comes out in `{path.rpartition('/')[2]}`\n\n```python\n{_cut(code)}```"
    return None


def _texts(workspace: Workspace, modular: str) -> dict[str, str]:
    """The texts of the files that are generated, formatted if there is a formatter."""
    try:
        formatted = workspace.answers.formatted(modular).formatted
    except FormatterError:
        formatted = None
    good = workspace.answers.of(modular).good.texts
    return {path: (formatted.texts if formatted is not None else good).get(path, text) for path, text in good.items()}


def _member(owner: Parts | None, name: str) -> str | None:
    if owner is None:
        return None
    found = [each for each in methods(owner.body.statements).values() if each.name == name]
    return "".join(_dedented(each.statement.own.text) for each in found) or None


def _dedented(text: str) -> str:
    return "".join(line.removeprefix(STEP) for line in text.splitlines(keepends=True))


def _cut(text: str) -> str:
    lines = text.splitlines(keepends=True)
    rest = len(lines) - _MOST
    return "".join(lines[:_MOST]) + (f"# ... and {rest} lines more\n" if rest > 0 else "")
