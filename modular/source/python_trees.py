"""Syntax trees of Python's `ast`, which parses ten times as fast as LibCST.

They are enough for rules that only look for names.
"""

import ast
import warnings
from typing import cast


_FRAME = "if True:\n"
"""Indented statements are parsed below this line."""


def parse(text: str) -> ast.Module:
    """Return the `ast` tree of some statements, which may be indented.

    If the running Python cannot parse them, they may be newer than this Python. Then
    they are rewritten in older syntax, with the same names on the same lines.

    Args:
        text: The statements. Indented ones become the body of an `if`, because Python
            does not parse them alone.

    Returns:
        The tree; an empty one if Python cannot parse the statements.
    """
    if text[:1] in (" ", "\t"):
        text = _FRAME + text
    tree = _parse_with_running_python(text)
    if tree is None:
        # Every command imports this module. LibCST takes time to load, and is rarely
        # needed.
        from modular.source.newer_syntax import rewrite_in_older_syntax

        older_text = rewrite_in_older_syntax(text)
        if older_text is not None:
            tree = _parse_with_running_python(older_text)
    return ast.Module(body=[], type_ignores=[]) if tree is None else tree


class NodeSpans:
    """Finds the nodes of a syntax tree in the text that was parsed."""

    def __init__(self, text: str) -> None:
        """Find the lines of a text, and the offset at which each of them begins.

        Args:
            text: The text, which begins with a line that is not indented.
        """
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + len("\n"))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the offsets in the text at which a node begins and ends."""
        # Statements, arguments and other nodes have the same attributes.
        positioned = cast(ast.expr, node)
        start = self._offset(positioned.lineno, positioned.col_offset)
        end = self._offset(
            positioned.end_lineno or positioned.lineno, positioned.end_col_offset or 0
        )
        return start, end

    def _offset(self, line: int, column_bytes: int) -> int:
        """Return the offset of a position whose column counts bytes of UTF-8."""
        text = self._lines[line - 1]
        column = column_bytes
        if not text.isascii():
            column = len(text.encode()[:column_bytes].decode())
        return self._starts[line - 1] + column


def equal_trees(text: str, other_text: str) -> bool:
    """Whether two texts have the same syntax tree, which is not empty."""
    tree = parse(text)
    return bool(tree.body) and ast.dump(tree) == ast.dump(parse(other_text))


def parse_expression(text: str) -> ast.expr | None:
    """Return the tree of an expression; None if the running Python cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_or_raise(text: str) -> ast.Module:
    """Return the tree of some statements, whose nodes have places in the text.

    Args:
        text: The statements, which are not indented.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: If the running Python
            cannot parse them.
    """
    with warnings.catch_warnings():
        # Python warns of strings such as `"\d"`.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _parse_with_running_python(text: str) -> ast.Module | None:
    """Return the tree of a module; None if the running Python cannot parse it."""
    try:
        return parse_or_raise(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def dotted_name(node: ast.expr) -> str:
    """Return a name or dotted name; empty for any other expression."""
    attributes = ""
    while isinstance(node, ast.Attribute):
        attributes = f".{node.attr}{attributes}"
        node = node.value
    return node.id + attributes if isinstance(node, ast.Name) else ""


def variable_of(node: ast.expr) -> ast.expr:
    """Return the variable at the beginning of a dotted name: `a` of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
