"""Maps the lines of a formatted text to those of the unformatted one.

A formatter moves, joins and splits lines, and changes quotes, commas and parentheses; it hardly ever changes the order of
words. So lines that are the same are paired first, and what is between them token by token. Tokens are words and
punctuation, those in strings and comments included, so that docstrings need no care of their own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from modular.source.diffs import matching_blocks


_TOKEN = re.compile(r"\w+|[^\w\s]")

_Line = tuple[int, str]
"""The number (from 0) and the text of a line that is not blank."""


def tokens(line: str) -> list[str]:
    """Return the words and punctuation of a line; the kind of quotes makes no difference."""
    return _TOKEN.findall(line.replace("'", '"'))


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each line of the formatted text ``new`` the line of ``old`` (from 0) that most of it comes from.

    It is None for lines of which nothing is in ``old``. Blank lines lead to the blank lines beside where their
    neighbours come from.
    """
    aligned = dict(_pairs(_filled(old), _filled(new)))
    origins = [aligned.get(line) for line in range(len(new))]
    _add_blank_lines(old, new, origins)
    return origins


def _filled(lines: Sequence[str]) -> list[_Line]:
    return [
        (number, line.rstrip()) for number, line in enumerate(lines) if line.strip()
    ]


def _pairs(old: Sequence[_Line], new: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    """Yield the number of each line of the new text with that of the old one that it comes from."""
    left = right = 0
    for start, begin, size in matching_blocks(
        [text for _, text in old], [text for _, text in new]
    ):
        yield from _pairs_by_tokens(old[left:start], new[right:begin])
        left, right = start + size, begin + size
        for (origin, _), (number, _) in zip(
            old[start:left], new[begin:right], strict=True
        ):
            yield number, origin


def _pairs_by_tokens(
    old: Sequence[_Line], new: Sequence[_Line]
) -> Iterator[tuple[int, int]]:
    before, after = (
        [(token, number) for number, text in lines for token in tokens(text)]
        for lines in (old, new)
    )
    votes: dict[int, Counter[int]] = {}
    blocks = matching_blocks(
        [token for token, _ in before], [token for token, _ in after], autojunk=False
    )
    for start, begin, size in blocks:
        for (_, origin), (_, number) in zip(
            before[start : start + size], after[begin : begin + size], strict=True
        ):
            votes.setdefault(number, Counter())[origin] += 1
    for number, counted in votes.items():
        yield number, counted.most_common(1)[0][0]


def _add_blank_lines(
    old: Sequence[str], new: Sequence[str], origins: list[int | None]
) -> None:
    """Blank lines come from those above the line that follows, or else from those below the line before."""
    blank = [number for number, line in enumerate(new) if not line.strip()]
    for line in reversed(blank):
        _take(old, origins, line, line + 1, -1)
    for line in blank:
        if origins[line] is None:
            _take(old, origins, line, line - 1, 1)


def _take(
    old: Sequence[str], origins: list[int | None], line: int, neighbour: int, step: int
) -> None:
    source = origins[neighbour] if 0 <= neighbour < len(origins) else None
    if (
        source is not None
        and 0 <= source + step < len(old)
        and not old[source + step].strip()
    ):
        origins[line] = source + step
