"""Syntax trees of the statements that a lint asks about, and the places of what is in them."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from modular.source import trees
from modular.source.code import Code
from modular.source.diagnostics import Place
from modular.source.places import place_at, place_of
from modular.source.trees import walk, written


if TYPE_CHECKING:
    import libcst as cst


def tree_of(code: Code) -> "cst.BaseStatement | None":
    """Return the tree of one statement; None where LibCST cannot read it, and for comments and blank lines."""
    if not code.mask.strip():
        return None
    with suppress(trees.UnreadableError, RecursionError, MemoryError):
        return trees.parse(code.cut(len(code.text) - len(code.text.lstrip("\n")))).node
    return None


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
