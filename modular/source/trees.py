"""Syntax trees of single statements, read by LibCST. What is put out are slices of the sources; a tree says what they mean.

A class or function is read as a stub: its decorators and its header, with `pass` for a body.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from modular.source.blocks import Statement
from modular.source.headers import header_and_body
from modular.source.source_slice import SourceSlice, generated
from modular.source.walking import descend


_FRAME = "if True:\n"
"""What an indented statement is in when it is read, so that its lines stay as they are."""

_NOTHING = cst.Module(body=[])
_LONGEST = 300
"""Characters of texts whose trees are kept for those that are written alike."""

_short_module = lru_cache(maxsize=1000)(cst.parse_module)


@dataclass(eq=False)
class UnreadableError(ValueError):
    """A statement that LibCST cannot read."""

    code: SourceSlice


class Tree(NamedTuple):
    """The tree of one statement, and the module that it was read as."""

    module: cst.Module
    node: cst.BaseStatement

    @property
    def is_bare(self) -> bool:
        """Whether the statement was read without a frame."""
        return self.node is self.module.body[0]

    def render(self, node: cst.BaseStatement) -> str:
        """Return the text of the statement with another node in its place."""
        module = cst.ensure_type(self.module.deep_replace(self.node, node), cst.Module)
        return module.code.removeprefix(_FRAME)


def statement_tree(statement: Statement) -> Tree:
    """Return what a statement means, read once; of a definition its decorators and header.

    Raises UnreadableError for what LibCST does not know.
    """
    return statement.memoized(_read)


def _read(statement: Statement) -> Tree:
    if not statement.is_definition:
        return parse(statement.own)
    header, _ = header_and_body(
        statement.own, statement.opening - statement.start, statement.indent
    )
    end = len(header.text)
    return parse(header.replace([(end, end, f"{statement.indent} pass\n")]))


def parse(code: SourceSlice) -> Tree:
    """Read the code of one statement, with nothing above it. Raises what `statement_tree` does."""
    text = code.text
    framed = text if text[0] not in " \t" else _FRAME + text
    try:
        module = (
            _short_module(framed)
            if len(framed) <= _LONGEST
            else cst.parse_module(framed)
        )
    except cst.ParserSyntaxError:
        raise UnreadableError(code) from None
    node = (
        module.body[0]
        if framed is text
        else cst.ensure_type(module.body[0], cst.If).body.body[0]
    )
    assert isinstance(node, cst.BaseStatement)
    return Tree(module, node)


def written(node: cst.CSTNode) -> str:
    """Return how a node is written, without the indent of the statement that it is in; a dotted name without blanks."""
    return dotted_name(node) or _NOTHING.code_for_node(node).strip()


def plainly(node: cst.CSTNode) -> str:
    """Return how a node is written, less the blanks that say nothing: the same for what is the same to Python."""
    return dotted_name(node) or generated(_NOTHING.code_for_node(node), "", 1).normal()


def dotted_name(node: cst.CSTNode) -> str:
    """A name or a dotted name, without the blanks and parentheses in it; nothing for any other node."""
    match node:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            before = dotted_name(owner)
            return f"{before}.{name}" if before else ""
    return ""


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all below it, in their order and however deep they are."""
    return descend(node, lambda node: node.children)
