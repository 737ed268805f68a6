"""Normalizes indentation, so that classes with other indents can be merged."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from modular.source.blocks import Statement
from modular.source.scan import count_open_brackets
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
    # The pattern finds a tab or another indent; most statements have neither.
    if _IRREGULAR.search(code.mask, statement.start) is None:
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

    Each comes with its level, the number of blocks around the line. In a class with
    indents of 0, 2 and 4 blanks, these are levels 0, 1 and 2. Blank lines, and lines
    inside brackets, which continue the statement above, are left out.
    """
    # The widths of the indents of the blocks around the last line of code, the outermost
    # first: 0, 2 and 4 in a method of a class that is indented by 2 blanks.
    block_widths = [0]
    bracket_depth = 0
    is_below_colon = False
    line_start = start
    for line in code.mask[start:].split("\n"):
        line_end = line_start + len(line)
        indent = _INDENT.match(code.text, line_start, line_end)
        assert indent is not None
        width = len(indent[0].expandtabs(_TAB_COLUMNS))
        # A line with only a comment is blank in the mask, but not in the text.
        has_code = bool(line.strip())
        is_blank = indent.end() == line_end
        if bracket_depth == 0 and not is_blank:
            begins_block = is_below_colon and width > block_widths[-1]
            # A line of width 2 ends the block of width 4, and is in those of 0 and 2.
            widths_around = [other for other in block_widths if other <= width]
            if begins_block:
                widths_around.append(width)
            # The outermost block is the module, at level 0.
            level = len(widths_around) - 1
            yield _Indent(line_start, indent.end(), level)
            # A comment may stand at any indent, so it begins and ends no block for the
            # lines below it.
            if has_code:
                block_widths = widths_around
        if has_code:
            bracket_depth += count_open_brackets(line, 0, len(line))
            is_below_colon = bracket_depth == 0 and line.rstrip().endswith(":")
        line_start = line_end + 1
