"""Syntax trees of Python's `ast`, which parses ten times as fast as LibCST.

They are enough for rules that only look for names. Code that the running Python cannot
parse has an empty tree here; see `newer_syntax`.
"""

import ast
import warnings


_FRAME = "if True:\n"
"""Indented statements are parsed below this line."""


def parse(text: str) -> ast.Module:
    """Return the `ast` tree of some statements, which may be indented.

    Args:
        text: The statements. Indented ones become the body of an `if`, because Python
            does not parse them alone.

    Returns:
        The tree; an empty one if the running Python cannot parse the statements.
    """
    try:
        with warnings.catch_warnings():
            # Python warns of strings such as `"\d"`.
            warnings.simplefilter("ignore")
            return ast.parse(frame_indented(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def frame_indented(text: str) -> str:
    """Return statements as a module: indented ones as the body of an `if`."""
    return _FRAME + text if text[:1] in (" ", "\t") else text


def dotted_name(node: ast.expr) -> str:
    """Return a name or dotted name; empty for any other expression."""
    attributes = ""
    while isinstance(node, ast.Attribute):
        attributes = f".{node.attr}{attributes}"
        node = node.value
    return node.id + attributes if isinstance(node, ast.Name) else ""
