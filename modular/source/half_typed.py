"""The readable part of a file that somebody is typing in."""

import symtable
import warnings

from modular.source import module as modules
from modular.source.blocks import Kind, Statement
from modular.source.definition_view import view_definition
from modular.source.loading import syntax_problem


def blank_unreadable_statements(
    text: str, path: str, *, keep_headers: bool = False
) -> str:
    """Replace the top-level statements with syntax errors by blank lines.

    So the rest of a file can be analysed while a statement is being typed. All other
    statements stay on their lines.

    Args:
        text: The text of the file.
        path: The path of the file, for diagnostics.
        keep_headers: Whether the header of a class with a syntax error stays, and only
            its broken members are replaced. After an unclosed bracket, all members of
            the class are broken.

    Returns:
        The text, unchanged if it has no syntax error.
    """
    if syntax_problem(text, path) is None:
        return text

    module = modules.read(path, text)
    lines = list(module.lines)
    for statement in module.block.statements:
        for unreadable in _unreadable_parts(statement, keep_headers):
            _, first_line, last_line = unreadable.code.origin
            for line in range(first_line, last_line + 1):
                lines[line - 1] = ""
    return "\n".join(lines)


def _unreadable_parts(statement: Statement, keep_headers: bool) -> list[Statement]:
    """Return the smallest parts of a top-level statement that have syntax errors.

    These are members of a class if its header is readable and ``keep_headers`` is true.
    Otherwise the only part is the whole statement. The list is empty if the statement has
    no syntax error.
    """
    if _is_python(statement.code.text):
        return []
    if not keep_headers or statement.kind is not Kind.CLASS:
        return [statement]
    class_ = view_definition(statement)
    stub = f"{class_.decorators.text}{class_.header.text} pass\n"
    if class_.is_inline or not _is_python(stub):
        return [statement]
    unreadable = []
    for member in class_.body.statements:
        # A member is indented, so it is only Python below a line such as this.
        if not _is_python(f"if True:\n{member.code.text}"):
            unreadable.append(member)
    return unreadable


def _is_python(text: str) -> bool:
    """Whether a text has no syntax error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # This parses like `ast.parse`, without building a tree in Python.
            symtable.symtable(text, "<statement>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
