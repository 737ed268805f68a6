"""Normalizes indentation, so that classes with other indents can be merged."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from modular.source.blocks import Statement
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
    """Return a top-level statement with four blanks for each level of indentation.

    Lines inside brackets and strings stay as they are.
    """
    code = statement.code
    if _IRREGULAR.search(code.mask, statement.start) is None:
        return statement
    edits = []
    for start, end, indent in _normal_indents(code, statement.start):
        if code.text[start:end] != indent:
            edits.append((start, end, indent))
    if not edits:
        return statement
    return replace(statement, code=code.replace(edits))


def _normal_indents(code: SourceSlice, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield the span and the normal form of the indent of statements and comments."""
    widths = [0]  # the widths of the enclosing blocks' indents
    bracket_depth = 0
    opens_block = False
    for line in code.mask[start:].split("\n"):
        end = start + len(line)
        indent = _INDENT.match(code.text, start, end)
        assert indent is not None
        width = len(indent[0].expandtabs(_TAB_COLUMNS))
        has_code = bool(line.strip())
        is_first_in_block = opens_block and width > widths[-1]

        if bracket_depth == 0 and has_code:
            del widths[bisect_right(widths, width) :]
            if is_first_in_block:
                widths.append(width)
        if bracket_depth == 0 and indent.end() < end:
            level = bisect_right(widths, width) - 1
            if is_first_in_block and not has_code:  # a comment that begins a block
                level += 1
            yield start, indent.end(), STEP * level
        if has_code:
            bracket_depth += sum(line.count(bracket) for bracket in "([{")
            bracket_depth -= sum(line.count(bracket) for bracket in ")]}")
            opens_block = bracket_depth == 0 and line.rstrip().endswith(":")
        start = end + 1
