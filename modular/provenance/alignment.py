"""Maps the lines of a formatted text to those of the unformatted one, token by token.

A formatter moves, joins and splits lines, and changes quotes, commas and parentheses; it hardly ever changes the order of
words. So both texts are walked through together: line by line while they are the same, else token by token. Tokens
are words and punctuation, those in strings and comments included, so that docstrings need no care of their own.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from modular.source.diffs import matching_blocks


_TOKEN = re.compile(r"\w+|[^\w\s]")
_SOFT = frozenset("(),")
"""Tokens that formatters add and remove."""

_WINDOW = 400
"""Tokens among which the two texts are expected to meet again."""

_GRAM = 4
"""Tokens in a row by which they are seen to meet."""


def tokens(line: str) -> list[str]:
    """Return the words and punctuation of a line; the kind of quotes makes no difference."""
    return _TOKEN.findall(line.replace("'", '"'))


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each line of the formatted text ``new`` the line of ``old`` (from 0) that most of it comes from.

    It is None for lines of which nothing stands in ``old``. Blank lines lead to the blank lines beside where their
    neighbours come from.
    """
    walked = _Walk(old, new).run()
    found = [walked.get(line) for line in range(len(new))]
    _add_blank_lines(old, new, found)
    return found


class _Side:
    """One of the two texts, without its blank lines: where the walk is in it."""

    def __init__(self, lines: Sequence[str]) -> None:
        stripped = [line.rstrip() for line in lines]
        self.numbers = [number for number, line in enumerate(stripped) if line]
        self.lines = [line for line in stripped if line]
        self.line = 0
        self.tokens: list[str] = []
        self.at = 0

    @property
    def at_end(self) -> bool:
        return self.line >= len(self.lines)

    def go_to(self, line: int) -> None:
        """Go to the beginning of a line."""
        self.line, self.tokens, self.at = line, [], 0

    def ahead(self, count: int) -> list[tuple[str, int]]:
        """The next tokens with their lines."""
        if not self.tokens and not self.at_end:
            self.tokens = tokens(self.lines[self.line])
        found = [(token, self.numbers[self.line]) for token in self.tokens[self.at : self.at + count]]
        line = self.line + 1
        while len(found) < count and line < len(self.lines):
            found += [(token, self.numbers[line]) for token in tokens(self.lines[line])]
            line += 1
        return found[:count]

    def skip(self, count: int) -> None:
        """Go some tokens further."""
        while count and not self.at_end:
            if not self.tokens:
                self.tokens = tokens(self.lines[self.line])
            step = min(count, len(self.tokens) - self.at)
            self.at += step
            count -= step
            if self.at >= len(self.tokens):
                self.go_to(self.line + 1)


class _Walk:
    """The walk through both texts."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old, self.new = _Side(old), _Side(new)
        self.votes: dict[int, Counter[int]] = {}

    def run(self) -> Mapping[int, int]:
        """Return for lines of the new text those of the old one."""
        old, new = self.old, self.new
        found: dict[int, int] = {}
        while not (old.at_end or new.at_end):
            if old.at == new.at == 0 and (same := self._same_lines()):
                left, right = old.line, new.line
                found.update(zip(new.numbers[right : right + same], old.numbers[left : left + same]))
                old.go_to(left + same)
                new.go_to(right + same)
            else:
                self._step()
        return found | {line: votes.most_common(1)[0][0] for line, votes in self.votes.items()}

    def _same_lines(self) -> int:
        """How many of the next lines are the same: more and more are compared at once, then less and less."""
        old, new = self.old.lines[self.old.line :], self.new.lines[self.new.line :]
        same, step, grows = 0, 1, True
        while step:
            is_more = same + step <= min(len(old), len(new)) and old[same : same + step] == new[same : same + step]
            same += step * is_more
            grows = grows and is_more
            step = step * 2 if grows else step // 2
        return same

    def _step(self) -> None:
        """Go over tokens that are the same, or over those that differ."""
        size = _GRAM
        left, right = self.old.ahead(size), self.new.ahead(size)
        if left[0][0] == right[0][0]:
            self._vote(left[0], right[0])
            self.old.skip(1)
            self.new.skip(1)
        elif right[0][0] in _SOFT and right[1:] and right[1][0] == left[0][0]:
            self.new.skip(1)
        elif left[0][0] in _SOFT and left[1:] and left[1][0] == right[0][0]:
            self.old.skip(1)
        else:
            self._meet_again()

    def _vote(self, left: tuple[str, int], right: tuple[str, int]) -> None:
        self.votes.setdefault(right[1], Counter())[left[1]] += 1

    def _meet_again(self) -> None:
        size = _WINDOW
        while True:
            left, right = self.old.ahead(size), self.new.ahead(size)
            met = _meeting([token for token, _ in left], [token for token, _ in right])
            if met is not None or (len(left) < size and len(right) < size):
                break
            size *= 4
        a, b = met or (len(left), len(right))
        before, after = [token for token, _ in left[:a]], [token for token, _ in right[:b]]
        for start, begin, size in matching_blocks(before, after, autojunk=False):
            for offset in range(size):
                self._vote(left[start + offset], right[begin + offset])
        self.old.skip(a)
        self.new.skip(b)


def _meeting(left: Sequence[str], right: Sequence[str]) -> tuple[int, int] | None:
    """Where two lists of tokens have the first few in a row in common: that which is nearest to both beginnings."""
    grams: dict[tuple[str, ...], int] = {}
    for start in range(len(left) - _GRAM, -1, -1):
        grams[tuple(left[start : start + _GRAM])] = start
    best: tuple[int, int] | None = None
    for start in range(len(right) - _GRAM + 1):
        if best is not None and start >= sum(best):
            break
        other = grams.get(tuple(right[start : start + _GRAM]))
        if other is not None and (best is None or other + start < sum(best)):
            best = (other, start)
    return best


def _add_blank_lines(old: Sequence[str], new: Sequence[str], found: list[int | None]) -> None:
    """Blank lines come from those above the line that follows, or else from those below the line before."""
    blank = [number for number, line in enumerate(new) if not line.strip()]
    for line in reversed(blank):
        _take(old, found, line, line + 1, -1)
    for line in blank:
        if found[line] is None:
            _take(old, found, line, line - 1, 1)


def _take(old: Sequence[str], found: list[int | None], line: int, neighbour: int, step: int) -> None:
    source = found[neighbour] if 0 <= neighbour < len(found) else None
    if source is not None and 0 <= source + step < len(old) and not old[source + step].strip():
        found[line] = source + step
