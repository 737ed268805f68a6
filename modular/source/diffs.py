"""What differs between two texts, as values; the text of a unified diff is made when it is shown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from functools import cached_property
from os.path import commonprefix


_CONTEXT = 3
"""Lines that a unified diff shows around those that differ."""

_MOST_PAIRS = 50
"""Pairs of equal items, for each item of two sequences, among which the longest matches are looked for."""

_LONGEST = 10_000
"""Items of two sequences, together, among which they are."""

_NO_LINE_END = "\n\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that change together: those of the old text that are removed, and those of the new text that are added.

    ``old_line`` and ``new_line`` (from 1) are where they begin in the two texts; of no lines, the line that they would
    are before.
    """

    old_line: int
    new_line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as a diff shows them, the removed ones first."""
        return (
            *(f"-{line}" for line in self.removed),
            *(f"+{line}" for line in self.added),
        )


@dataclass(frozen=True)
class Diff:
    """The lines of an old and a new text, which are compared when it is asked where they differ; false if they are the same."""

    old: Sequence[str] = ()
    new: Sequence[str] = ()

    def __bool__(self) -> bool:
        return self.old != self.new

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The lines that differ, in order."""
        hunks = []
        left = right = 0
        for start, begin, size in matching_blocks(self.old, self.new):
            if start > left or begin > right:
                hunks.append(
                    Hunk(
                        left + 1,
                        right + 1,
                        tuple(self.old[left:start]),
                        tuple(self.new[right:begin]),
                    )
                )
            left, right = start + size, begin + size
        return tuple(hunks)

    @property
    def added(self) -> int:
        """How many lines are added."""
        return sum(len(hunk.added) for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """How many lines are removed."""
        return sum(len(hunk.removed) for hunk in self.hunks)

    def text(self, old_name: str, new_name: str) -> str:
        """Return the unified diff, empty if nothing differs, with these names for the two texts."""
        lines = [f"--- {old_name}", f"+++ {new_name}"] if self else []
        matcher = _Matcher(None)
        matcher.matching_blocks = [
            Match(*block) for block in matching_blocks(self.old, self.new)
        ]
        for group in matcher.get_grouped_opcodes(_CONTEXT) if self else ():
            (_, old_first, _, new_first, _), (_, _, old_end, _, new_end) = (
                group[0],
                group[-1],
            )
            lines.append(
                f"@@ -{_range(old_first, old_end)} +{_range(new_first, new_end)} @@"
            )
            for tag, first, end, new_first, new_end in group:
                if tag == "equal":
                    lines += (f" {line}" for line in self.old[first:end])
                else:
                    lines += (f"-{line}" for line in self.old[first:end])
                    lines += (f"+{line}" for line in self.new[new_first:new_end])
        return "".join(f"{line}\n" for line in lines)


class _Matcher(SequenceMatcher[str]):
    """Makes the groups of a unified diff of matching blocks that it is given."""

    matching_blocks: list[Match]


def _range(first: int, end: int) -> str:
    """Lines (from 0) as the header of a hunk names them: a single one without its number, none by the line before."""
    return f"{end}" if end - first == 1 else f"{first + (end > first)},{end - first}"


def compare(old: str, new: str) -> Diff:
    """Return what differs between two texts, line by line."""
    return Diff(_lines(old), _lines(new))


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    return [*lines, f"{last}{_NO_LINE_END}"] if last else lines


def matching_blocks(
    old: Sequence[str], new: Sequence[str], *, autojunk: bool = True
) -> list[tuple[int, int, int]]:
    """Return where two sequences are the same: where a run begins in each (from 0), and its length; an empty one ends it.

    These are the blocks of `difflib.SequenceMatcher`, which can take time that grows with the cube of the length. Where it
    would take long, only what both begin and end with is found, and what is between if that is short.
    """
    if _is_cheap(old, new, autojunk):
        return list(SequenceMatcher(None, old, new, autojunk).get_matching_blocks())
    start = len(commonprefix([list(old), list(new)]))
    end = len(commonprefix([list(old[start:])[::-1], list(new[start:])[::-1]]))
    between = old[start : len(old) - end], new[start : len(new) - end]
    blocks = [(0, 0, start)] if start else []
    if _is_cheap(*between, autojunk):
        inner = SequenceMatcher(None, *between, autojunk).get_matching_blocks()
        blocks += [
            (start + one, start + other, size) for one, other, size in inner[:-1]
        ]
    return [*blocks, (len(old) - end, len(new) - end, end), (len(old), len(new), 0)]


def _is_cheap(old: Sequence[str], new: Sequence[str], autojunk: bool) -> bool:
    """Whether two sequences are short, and few of their items are equal."""
    size = len(old) + len(new)
    if size > _LONGEST:
        return False
    popular = len(new) // 100 + 1 if autojunk and len(new) >= 200 else size
    counts = Counter(old)
    pairs = sum(
        counts[item] * number
        for item, number in Counter(new).items()
        if number <= popular
    )
    return pairs <= _MOST_PAIRS * (size + 200)
