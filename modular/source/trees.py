"""Syntax trees of single statements, read by LibCST.

A tree shows what a statement means; output consists of slices of the sources. A class
or function is read as a stub: its decorators and its header, with `pass` as body.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from modular.source.blocks import Statement
from modular.source.headers import header_and_body
from modular.source.source_slice import SourceSlice, synthetic
from modular.source.unreadable import UnreadableError
from modular.source.walking import descend


_FRAME = "if True:\n"
"""An indented statement is parsed below this line, so that its lines stay the same."""

_EMPTY_MODULE = cst.Module(body=[])
_MAX_CACHED_CHARS = 300
"""The length of texts whose modules are kept for statements that are written alike."""

_parse_short_module = lru_cache(maxsize=1000)(cst.parse_module)


class Tree(NamedTuple):
    """The tree of one statement, and the module that it was read in."""

    module: cst.Module
    node: cst.BaseStatement

    @property
    def is_bare(self) -> bool:
        """Whether the statement was read without a frame."""
        return self.node is self.module.body[0]

    def render(self, node: cst.BaseStatement) -> str:
        """Return the text of the statement after its node was replaced."""
        module = cst.ensure_type(self.module.deep_replace(self.node, node), cst.Module)
        return module.code.removeprefix(_FRAME)


def statement_tree(statement: Statement) -> Tree:
    """Return LibCST's tree of a statement, which is parsed only once.

    Of a class or function only decorators and header are parsed. Its body in the tree
    is `pass`.

    Raises:
        UnreadableError: LibCST cannot read the statement.
    """
    return statement.memoized(_parse_statement)


def _parse_statement(statement: Statement) -> Tree:
    """Parse a statement, with `pass` in place of the body of a class or function.

    Parsing all bodies would be slow.
    """
    if not statement.is_definition:
        return parse(statement.bare_code)
    header_start = statement.header_start - statement.start
    header, _ = header_and_body(statement.bare_code, header_start, statement.indent)
    end = len(header.text)
    return parse(header.replace([(end, end, f"{statement.indent} pass\n")]))


def parse(code: SourceSlice) -> Tree:
    """Parse one statement with LibCST.

    Args:
        code: The statement, which may be indented, with nothing above it.

    Raises:
        UnreadableError: LibCST cannot read the statement.
    """
    # An indented statement is parsed as the body of `if True:`.
    is_indented = code.text[0] in " \t"
    text = _FRAME + code.text if is_indented else code.text
    try:
        # Short statements are often repeated, so their trees are cached.
        if len(text) <= _MAX_CACHED_CHARS:
            module = _parse_short_module(text)
        else:
            module = cst.parse_module(text)
    except cst.ParserSyntaxError:
        raise UnreadableError(code) from None

    node: cst.CSTNode = module.body[0]
    if is_indented:
        node = cst.ensure_type(node, cst.If).body.body[0]
    assert isinstance(node, cst.BaseStatement)
    return Tree(module, node)


def node_text(node: cst.CSTNode) -> str:
    """Return the source text of a node; that of a dotted name without blanks."""
    return dotted_name(node) or _EMPTY_MODULE.code_for_node(node).strip()


def normalized_text(node: cst.CSTNode) -> str:
    """Return the source text of a node in a normal form, so that nodes can be compared.

    It has no comments and no needless blanks: see `SourceSlice.normalized`.
    """
    # Most nodes are names, for which this is faster.
    name = dotted_name(node)
    if name:
        return name
    return synthetic(_EMPTY_MODULE.code_for_node(node), "", 1).normalized()


def dotted_name(node: cst.CSTNode) -> str:
    """Return the text of a name or dotted name; empty for any other node.

    Blanks around the dots are left out.
    """
    match node:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=owner, attr=cst.Name(value=name)):
            owner_name = dotted_name(owner)
            return f"{owner_name}.{name}" if owner_name else ""
    return ""


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all nodes below it in document order, without recursion."""
    return descend(node, lambda node: node.children)
