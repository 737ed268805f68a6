"""Aligns the lines of a formatted text with those of the unformatted one.

A formatter moves, joins and splits lines, and changes quotes, commas and parentheses,
but hardly ever the order of words. So equal lines are paired first, and the lines
between them by their tokens. Tokens are words and punctuation, also those in strings and
comments, so docstrings need no special treatment.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modular.source.diffs import matching_blocks


_TOKEN = re.compile(r"\w+|[^\w\s]")


class _Line(NamedTuple):
    """A line that is not blank: its number, from 0, and its text."""

    number: int
    text: str


class _Pair(NamedTuple):
    """A line of the old text and one of the new text that comes from it, from 0."""

    old: int
    new: int


def tokens(line: str) -> list[str]:
    """Return the words and punctuation of a line; all quotes count as the same."""
    return _TOKEN.findall(line.replace("'", '"'))


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each line of a formatted text the unformatted line it comes from.

        old               new                   returned
        0  x = f(         0  x = f(a, b)        [0, 2, 3]
        1      a, b)      1
        2                 2  y = 'z'
        3  y = "z"

    Args:
        old: The unformatted lines.
        new: The formatted lines.

    Returns:
        For each new line the number (from 0) of the old line that most of it comes
        from; None if nothing of it is in an old line. A blank new line comes from the
        blank old line next to the old line that its neighbour comes from.
    """
    origins: list[int | None] = [None] * len(new)
    for pair in _pairs(_filled_lines(old), _filled_lines(new)):
        origins[pair.new] = pair.old
    _add_origins_of_blank_lines(old, new, origins)
    return origins


def _filled_lines(lines: Sequence[str]) -> list[_Line]:
    """Return the lines that are not blank."""
    filled_lines = []
    for number, line in enumerate(lines):
        if line.strip():
            filled_lines.append(_Line(number, line.rstrip()))
    return filled_lines


def _pairs(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[_Pair]:
    """Yield each new line that comes from an old line, paired with the old line.

    Equal lines are paired first. The lines between two runs of equal lines are paired
    by the words and punctuation that they share.
    """
    old_texts = [line.text for line in old]
    new_texts = [line.text for line in new]
    old_end = new_end = 0
    # As in difflib, the last block has size 0 and stands at the end. So the loop also
    # pairs the lines below the last equal ones.
    for old_start, new_start, size in matching_blocks(old_texts, new_texts):
        old_between = old[old_end:old_start]
        new_between = new[new_end:new_start]
        yield from _pairs_by_tokens(old_between, new_between)
        old_end = old_start + size
        new_end = new_start + size
        equal_lines = zip(old[old_start:old_end], new[new_start:new_end], strict=True)
        for old_line, new_line in equal_lines:
            yield _Pair(old_line.number, new_line.number)


def _pairs_by_tokens(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[_Pair]:
    """Yield for each new line the old line with which it shares most tokens.

    A token is a word or a punctuation character. A new line that shares no token with an
    old line is left out.
    """
    old_tokens = _tokens_with_lines(old)
    new_tokens = _tokens_with_lines(new)
    # By default, difflib ignores tokens that occur often, such as commas.
    blocks = matching_blocks(
        [token.text for token in old_tokens],
        [token.text for token in new_tokens],
        autojunk=False,
    )
    # For each new line: how many tokens it shares with each old line.
    shared_counts: dict[int, Counter[int]] = defaultdict(Counter)
    for old_start, new_start, size in blocks:
        for index in range(size):
            old_token = old_tokens[old_start + index]
            new_token = new_tokens[new_start + index]
            shared_counts[new_token.line][old_token.line] += 1
    for new_number, counts_by_old_line in shared_counts.items():
        [(old_number, _)] = counts_by_old_line.most_common(1)
        yield _Pair(old_number, new_number)


class _Token(NamedTuple):
    """A token, and the number of its line, from 0."""

    text: str
    line: int


def _tokens_with_lines(lines: Sequence[_Line]) -> list[_Token]:
    """Return the tokens of some lines."""
    line_tokens = []
    for line in lines:
        line_tokens += [_Token(text, line.number) for text in tokens(line.text)]
    return line_tokens


def _add_origins_of_blank_lines(
    old: Sequence[str], new: Sequence[str], origins: list[int | None]
) -> None:
    """Add to `origins` the old line that each new blank line comes from.

        old               new
        0  import a       0  import a
        1                 1
        2  class A:       2
                          3  class A:

    A blank line has no text to compare, so its neighbours decide, the line below first.
    Both texts have a blank line above `class A:`, so new line 2 comes from old line 1.
    Both texts have a blank line below `import a`, so new line 1 comes from old line 1.
    """
    old_blank_lines = {number for number, line in enumerate(old) if not line.strip()}
    new_blank_lines = [number for number, line in enumerate(new) if not line.strip()]

    # The line below decides. It may be blank, too: the last lines come first, so that
    # its origin is known.
    for number in reversed(new_blank_lines):
        if number + 1 < len(new):
            origin_below = origins[number + 1]
            if origin_below is not None and origin_below - 1 in old_blank_lines:
                origins[number] = origin_below - 1
    # The line above decides. The first lines come first, for the same reason.
    for number in new_blank_lines:
        if number > 0 and origins[number] is None:
            origin_above = origins[number - 1]
            if origin_above is not None and origin_above + 1 in old_blank_lines:
                origins[number] = origin_above + 1
