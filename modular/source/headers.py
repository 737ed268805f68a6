"""Compound statements split into headers and bodies: classes and functions, and the branches of an `if` or `try`."""

import re
from typing import NamedTuple

from modular.source.blocks import Block, Statement, split
from modular.source.indentation import STEP
from modular.source.scan import lines_at_depth, logical_line_end
from modular.source.source_slice import SourceSlice


_MARK = re.compile(r"[()\[\]{}]|\blambda\b|:(?!=)")


class Branch(NamedTuple):
    """A branch: all up to its body, and its body. What is above the statement belongs to the first."""

    code: SourceSlice
    head: SourceSlice
    body: Block


def branches_of(statement: Statement) -> tuple[Branch, ...]:
    """Return an `if` or `try` taken apart, once. A body on the line of its branch is put on a line of its own."""
    return statement.memoized(_branches)


def _branches(statement: Statement) -> tuple[Branch, ...]:
    code = statement.code
    _, *following = lines_at_depth(code.mask, statement.start, statement.indent)
    branches = []
    for index, part in enumerate(code.cut_at([0, *following])):
        head, body = header_and_body(
            part, 0 if index else statement.start, statement.indent
        )
        branches.append(Branch(part, head, split(body)))
    return tuple(branches)


def header_and_body(
    code: SourceSlice, start: int, indent: str
) -> tuple[SourceSlice, SourceSlice]:
    """Part code after the header that begins on a line with this indent. A body on that line is put on a line of its own."""
    end = logical_line_end(code.mask, start)
    if not is_inline(code.mask, start, end):
        return code.cut(0, end), code.cut(end)
    colon = colon_of(code.mask, start)
    header, body = code.cut(0, colon + 1), code.cut(colon + 1)
    end, blank = len(header.text), len(body.text) - len(body.text.lstrip(" \t"))
    return header.replace([(end, end, "\n")]), body.replace([(0, blank, indent + STEP)])


def is_inline(mask: str, start: int, end: int) -> bool:
    """Whether a header's line, from ``start`` to ``end``, holds its body too."""
    return not mask[start:end].rstrip().endswith(":")


def colon_of(mask: str, start: int) -> int:
    """Return the offset of the colon that ends a header: it is in no brackets, and does not belong to a `lambda`."""
    depth = lambdas = 0
    for match in _MARK.finditer(mask, start):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif match[0] == "lambda":
            lambdas += depth == 0
        elif depth == 0 and lambdas == 0:
            return match.start()
        else:
            lambdas -= depth == 0
    return len(mask) - 1
