"""The syntax tree of a statement that a lint rule asks about, and the places of its nodes."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Final

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from modular.source import trees
from modular.source.code import Code
from modular.source.diagnostics import Place
from modular.source.places import place_at


class Syntax:
    """A statement as a tree; nodes have places in the file."""

    def __init__(self, code: Code, tree: trees.Tree) -> None:
        self.code: Final = code
        self.node: Final = tree.node
        self._tree: Final = tree

    @staticmethod
    def read(code: Code) -> "Syntax | None":
        """Read one statement; None where LibCST cannot read it, and for comments and blank lines."""
        code = code.cut(len(code.text) - len(code.text.lstrip("\n")))
        if code.mask.strip():
            with suppress(trees.UnreadableError, RecursionError, MemoryError):
                return Syntax(code, trees.parse(code))
        return None

    def walk(self) -> Iterator[cst.CSTNode]:
        """Yield all nodes in their order."""
        return trees.walk(self.node)

    def place(self, node: cst.CSTNode) -> Place:
        """Return the place of a node; of one over several lines that of its first."""
        start, end = self._positions[node].start, self._positions[node].end
        line = self.code.line_at(start.line - 1 - (not self._tree.is_bare))
        width = (end.column if end.line == start.line else len(line.text.rstrip())) - start.column
        return place_at(line, start.column, width)

    @cached_property
    def _positions(self) -> "dict[cst.CSTNode, CodeRange]":
        wrapper = MetadataWrapper(self._tree.module, unsafe_skip_copy=True)
        return dict(wrapper.resolve(PositionProvider))
