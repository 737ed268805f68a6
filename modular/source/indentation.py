"""Normalizes indentation, so that classes with other indents can be merged."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from modular.source.blocks import Statement
from modular.source.scan import logical_line_end
from modular.source.source_slice import SourceSlice


STEP = " " * 4
"""The indentation of one level."""

_INDENT = re.compile(r"[ \t]*")
_TAB_COLUMNS = 8
_IRREGULAR = re.compile(
    rf"^ *\t|^( *+)[^\n]*:(?>(?: *\n)+)(?!\1{STEP}\S)", re.MULTILINE
)
"""A tab in an indent, or a block that is not indented by four blanks more."""


def normalize_indentation(statement: Statement) -> Statement:
    """Indent the body of a top-level statement by four blanks for each level.

    So classes with other indents can be merged. Lines inside brackets and strings stay
    as they are.
    """
    code = statement.code
    # Most statements have no tabs, and indent each block by four blanks already.
    if _IRREGULAR.search(code.masked_text, statement.start) is None:
        return statement
    edits = []
    for indent in _find_indents(code, statement.start):
        normal_indent = STEP * indent.level
        if code.text[indent.start : indent.end] != normal_indent:
            edits.append((indent.start, indent.end, normal_indent))
    if not edits:
        return statement
    return replace(statement, code=code.replace(edits))


class _Indent(NamedTuple):
    """The span of a line's indent, and the number of blocks that the line is in."""

    start: int
    end: int
    level: int


def _find_indents(code: SourceSlice, start: int) -> Iterator[_Indent]:
    """Yield the indents of the lines on which statements and comments begin.

    Each has a level, the number of blocks around the line. In a class with indents of 0,
    2 and 4 blanks, these are levels 0, 1 and 2. Blank lines, and lines inside brackets,
    which continue the statement above, are left out.
    """
    # The widths of the indents of the open blocks, the outermost first: `[0, 2, 4]` in a
    # method of a class that is indented by 2 blanks. The outermost block is the module.
    block_widths = [0]
    is_below_colon = False
    line_start = start
    while line_start < len(code.masked_text):
        # A statement with brackets can end some lines below.
        next_start = logical_line_end(code.masked_text, line_start)
        indent = _INDENT.match(code.text, line_start)
        assert indent is not None
        is_blank = code.text[indent.end() : next_start] in ("", "\n")
        if not is_blank:
            width = len(indent[0].expandtabs(_TAB_COLUMNS))
            # A block that is indented by 4 blanks ends above a line with 2 blanks.
            widths_around = [block for block in block_widths if block <= width]
            begins_block = is_below_colon and width > block_widths[-1]
            if begins_block:
                widths_around.append(width)
            yield _Indent(line_start, indent.end(), level=len(widths_around) - 1)

            # A comment, which is blank in the masked text, begins and ends no block.
            statement = code.masked_text[line_start:next_start].rstrip()
            if statement:
                block_widths = widths_around
                is_below_colon = statement.endswith(":")
        line_start = next_start
