"""Aligns the lines of a formatted text with those of the unformatted one.

A formatter moves, joins and splits lines, and changes quotes, commas and parentheses,
but hardly ever the order of words. So equal lines are paired first, and the lines
between them by their tokens. Tokens are words and punctuation, also those in strings and
comments, so docstrings need no special treatment.
"""

import re
from collections import Counter
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

    Args:
        old: The unformatted lines.
        new: The formatted lines.

    Returns:
        For each new line the number (from 0) of the old line that most of it comes
        from; None if nothing of it is in an old line. Blank lines come from the blank
        lines beside the origins of their neighbours.
    """
    origins: list[int | None] = [None] * len(new)
    for pair in _pairs(_filled_lines(old), _filled_lines(new)):
        origins[pair.new] = pair.old
    _add_origins_of_blank_lines(old, new, origins)
    return origins


def _filled_lines(lines: Sequence[str]) -> list[_Line]:
    return [
        _Line(number, line.rstrip())
        for number, line in enumerate(lines)
        if line.strip()
    ]


def _pairs(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[_Pair]:
    """Yield the pairs of lines: equal ones, and between them those that share tokens."""
    old_texts = [line.text for line in old]
    new_texts = [line.text for line in new]
    old_done = new_done = 0
    for old_start, new_start, size in matching_blocks(old_texts, new_texts):
        yield from _pairs_by_tokens(old[old_done:old_start], new[new_done:new_start])
        old_done = old_start + size
        new_done = new_start + size
        for index in range(size):
            yield _Pair(old[old_start + index].number, new[new_start + index].number)


def _pairs_by_tokens(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[_Pair]:
    """Yield for each new line the old line with which it shares most tokens."""
    old_tokens = _numbered_tokens(old)
    new_tokens = _numbered_tokens(new)
    blocks = matching_blocks(
        [token for token, _ in old_tokens],
        [token for token, _ in new_tokens],
        autojunk=False,
    )
    shared_tokens: dict[int, Counter[int]] = {}
    for old_start, new_start, size in blocks:
        for index in range(size):
            _, old_number = old_tokens[old_start + index]
            _, new_number = new_tokens[new_start + index]
            shared_tokens.setdefault(new_number, Counter())[old_number] += 1
    for new_number, counts in shared_tokens.items():
        old_number, _ = counts.most_common(1)[0]
        yield _Pair(old_number, new_number)


def _numbered_tokens(lines: Sequence[_Line]) -> list[tuple[str, int]]:
    """Return the tokens of some lines, each with the number of its line."""
    numbered = []
    for line in lines:
        numbered += [(token, line.number) for token in tokens(line.text)]
    return numbered


def _add_origins_of_blank_lines(
    old: Sequence[str], new: Sequence[str], origins: list[int | None]
) -> None:
    """Add the origins of blank lines.

    A blank line comes from above the origin of the next line, or else from below the
    origin of the line before it.
    """
    blank_lines = [number for number, line in enumerate(new) if not line.strip()]
    for number in reversed(blank_lines):
        if number + 1 < len(new):
            _add_blank_origin(old, origins, number, origins[number + 1], -1)
    for number in blank_lines:
        if number > 0 and origins[number] is None:
            _add_blank_origin(old, origins, number, origins[number - 1], 1)


def _add_blank_origin(
    old: Sequence[str],
    origins: list[int | None],
    number: int,
    neighbour: int | None,
    step: int,
) -> None:
    """Set the origin of a line to the line beside its neighbour's origin if it is blank."""
    if neighbour is None:
        return
    origin = neighbour + step
    if 0 <= origin < len(old) and not old[origin].strip():
        origins[number] = origin
