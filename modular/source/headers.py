"""Splits compound statements, and branches of `if` and `try`, into header and body."""

import re
from typing import NamedTuple

from modular.source.blocks import Block, Statement, split
from modular.source.indentation import STEP
from modular.source.scan import count_leading_blanks, lines_at_depth, logical_line_end
from modular.source.source_slice import SourceSlice


_HEADER_TOKEN = re.compile(r"[()\[\]{}]|\blambda\b|:(?!=)")


class Branch(NamedTuple):
    """A branch of a compound statement.

    Attributes:
        code: The whole branch. That of the first one begins with the comments above.
        header: The code before the body.
        body: The statements of the body.
    """

    code: SourceSlice
    header: SourceSlice
    body: Block


def branches_of(statement: Statement) -> tuple[Branch, ...]:
    """Return the branches of an `if` or `try` statement. The result is kept."""
    return statement.memoized(_split_branches)


def _split_branches(statement: Statement) -> tuple[Branch, ...]:
    """Split an `if` or `try` statement before its lines with `else`, `except` and so on.

    These lines and the first one, such as `if a:`, are the headers of the branches. Only
    they have the indent of the statement.
    """
    code = statement.code
    lines = lines_at_depth(code.masked_text, statement.start, statement.indent)
    first_header, *other_headers = lines
    branches = []
    # The first branch begins with the comments above the statement, each other branch
    # with its header.
    header_start = first_header
    for branch_code in code.cut_at([0, *other_headers]):
        header, body = header_and_body(branch_code, header_start, statement.indent)
        branches.append(Branch(branch_code, header, split(body)))
        header_start = 0
    return tuple(branches)


def header_and_body(
    code: SourceSlice, start: int, indent: str
) -> tuple[SourceSlice, SourceSlice]:
    """Split a compound statement after its header.

    A body on the header's line is moved to a line of its own: `if a: b` is split into
    `if a:` and an indented `b`.

    Args:
        code: The statement, with the lines above it.
        start: The offset of the line on which the header begins.
        indent: The indent of that line.

    Returns:
        The code up to the end of the header's line, and the body.
    """
    end = logical_line_end(code.masked_text, start)
    has_body_on_line = is_inline(code.masked_text, start, end)
    if not has_body_on_line:
        return code.cut(0, end), code.cut(end)

    header_end = colon_of(code.masked_text, start) + 1
    header = code.cut(0, header_end)
    body = code.cut(header_end)
    blanks = count_leading_blanks(body.text, " \t")
    return (
        header.replace([(header_end, header_end, "\n")]),
        body.replace([(0, blanks, indent + STEP)]),
    )


def is_inline(masked_text: str, start: int, end: int) -> bool:
    """Whether the header between two offsets has its body on the same line."""
    return not masked_text[start:end].rstrip().endswith(":")


def colon_of(masked_text: str, start: int) -> int:
    """Return the offset of the colon that ends the header of a compound statement.

    Colons in brackets and those of lambdas are skipped. The header of
    `if x[1:] or (lambda: y):` ends at its last colon.

    Args:
        masked_text: The statement with strings and comments overwritten (`scan.mask_text`).
        start: The offset at which the header begins.

    Returns:
        The offset of the colon. In code without one, the last offset.
    """
    depth = 0
    open_lambdas = 0
    for match in _HEADER_TOKEN.finditer(masked_text, start):
        token = match[0]
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        elif depth != 0:
            continue
        elif token == "lambda":
            open_lambdas += 1
        elif open_lambdas == 0:
            return match.start()
        else:
            # This colon ends the parameters of a lambda.
            open_lambdas -= 1
    return len(masked_text) - 1
