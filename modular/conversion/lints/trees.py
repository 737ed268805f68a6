"""Syntax trees of the statements that a lint asks about, and the places of what is in them."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from modular.source.code import Code
from modular.source.diagnostics import Place
from modular.source.places import place_at, place_of


if TYPE_CHECKING:
    import libcst as cst

_FRAME = "if True:\n"


def tree_of(code: Code) -> "cst.BaseStatement | None":
    """Return the tree of one statement; None where LibCST cannot read it."""
    import libcst as cst

    text = code.text.lstrip("\n")
    try:
        if text[:1] not in " \t":
            return cst.parse_module(text).body[0]
        frame = cst.ensure_type(cst.parse_module(_FRAME + text).body[0], cst.If)
        return cast("cst.BaseStatement", frame.body.body[0])
    except (cst.ParserSyntaxError, RecursionError, IndexError):
        return None


def walk(node: "cst.CSTNode") -> "Iterator[cst.CSTNode]":
    """Yield a node and all below it, in their order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.children)


def written(node: "cst.CSTNode") -> str:
    """Return how a node is written."""
    import libcst as cst

    return cst.Module([]).code_for_node(node)


def place_of_node(code: Code, tree: "cst.CSTNode", node: "cst.CSTNode") -> Place:
    """Return the place, in some code, of a node of its tree; of one over several lines that of its first."""
    text = written(node)
    alike = [each for each in walk(tree) if type(each) is type(node) and written(each) == text]
    number = next(index for index, each in enumerate(alike) if each is node)
    spans = [match.start() for match in re.finditer(re.escape(text), code.text) if _is_code(code, match.start())]
    if number >= len(spans):
        return place_of(code)
    return place_at(code, spans[number], len(text.partition("\n")[0].rstrip()))


def _is_code(code: Code, start: int) -> bool:
    """Whether code, and no string or comment, begins at an offset, and no word goes on there."""
    before = code.mask[start - 1 : start]
    starts_word = code.mask[start].isidentifier()
    return not (code.mask[start].isspace() or (starts_word and (before.isidentifier() or before.isdigit())))
