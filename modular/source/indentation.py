"""Makes indentation regular: classes that are merged must be indented alike, by four spaces a level."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from modular.source.blocks import Statement
from modular.source.source_slice import SourceSlice


STEP = " " * 4
"""The indentation of one level."""

_INDENT = re.compile(r"[ \t]*")
_TAB = 8
_IRREGULAR = re.compile(
    rf"^ *\t|^( *+)[^\n]*:(?>(?: *\n)+)(?!\1{STEP}\S)", re.MULTILINE
)
"""A tab that indents, or a line below one that ends in a colon and not indented by four blanks more."""


def normalize_indentation(statement: Statement) -> Statement:
    """Return a statement of module level with all that is in it indented by four spaces a level.

    Lines inside brackets and strings stay as they are. A statement that is regular already is returned as it is.
    """
    code = statement.code
    if _IRREGULAR.search(code.mask, statement.start) is None:
        return statement
    edits = [
        edit
        for edit in _edits(code, statement.start)
        if code.text[edit[0] : edit[1]] != edit[2]
    ]
    return replace(statement, code=code.replace(edits)) if edits else statement


def _edits(code: SourceSlice, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield for each line that holds a statement or a comment its indentation's span and what it should be."""
    widths = [0]
    depth = 0
    opens_block = False
    for line in code.mask[start:].split("\n"):
        end = start + len(line)
        indent = _INDENT.match(code.text, start, end)
        assert indent is not None
        width = len(indent.group().expandtabs(_TAB))
        opened = opens_block and width > widths[-1]
        if depth == 0 and line.strip():
            del widths[bisect_right(widths, width) :]
            widths += [width] if opened else []
        if depth == 0 and indent.end() < end:
            yield (
                start,
                indent.end(),
                STEP
                * (bisect_right(widths, width) - 1 + (opened and not line.strip())),
            )
        if line.strip():
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
            opens_block = depth == 0 and line.rstrip().endswith(":")
        start = end + 1
