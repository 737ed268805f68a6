"""The branches of an `if` or a `try`: what heads each, and the statements below it."""

from typing import NamedTuple

from modular.source import trees
from modular.source.blocks import Block, Statement, split
from modular.source.code import Code
from modular.source.lines import logical_line_end, starts_at_depth
from modular.source.parts import is_inline, own_lines


class Branch(NamedTuple):
    """A branch: all up to its body, and its body. What stands above the statement belongs to the first."""

    code: Code
    head: Code
    body: Block


def branches_of(statement: Statement) -> tuple[Branch, ...]:
    """Return an `if` or `try` taken apart, once. A body on the line of its branch is put on a line of its own."""
    return statement.once(_branches)


def _branches(statement: Statement) -> tuple[Branch, ...]:
    code = statement.code
    starts = starts_at_depth(code.mask, statement.start)
    parts = [code.cut(0, starts[1] if len(starts) > 1 else None), *code.cut_at(starts[1:])]
    found = []
    for index, part in enumerate(parts):
        start = 0 if index else statement.start
        end = logical_line_end(part.mask, start)
        head, body = part.cut(0, end), part.cut(end)
        if is_inline(part.mask, start, end):
            head, body = own_lines(part, 0, start, _colon(statement, index, part, start) + 1)
        found.append(Branch(part, head, split(body)))
    return tuple(found)


def _colon(statement: Statement, index: int, part: Code, start: int) -> int:
    """The offset of the colon of a branch whose body stands on its line."""
    branch = list(trees.branches(trees.statement_tree(statement).node))[index]
    keyword = start + len(part.mask[start:]) - len(part.mask[start:].lstrip())
    elided = len("el") if part.mask.startswith("elif", keyword) else 0
    return part.mask.index(":", keyword + elided + trees.condition_end(branch))
