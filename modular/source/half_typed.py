"""The readable part of a file that somebody is typing in."""

import symtable
import warnings

from modular.source import module as modules
from modular.source.loading import syntax_problem


def blank_unreadable_statements(text: str, path: str) -> str:
    """Return a text in which top-level statements that are not Python are blank.

    All other statements stay on their lines. The text of a file without syntax errors
    comes back as it is.
    """
    if syntax_problem(text, path) is None:
        return text

    module = modules.read(path, text)
    lines = list(module.lines)
    for statement in module.block.statements:
        if not _is_python(statement.code.text, path):
            first = statement.code.line
            last = min(statement.code.origin.last_line, len(lines))
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _is_python(text: str, path: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(text, path, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
