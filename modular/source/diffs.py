"""Compares two texts. A unified diff is only rendered when it is shown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from functools import cached_property
from os.path import commonprefix
from typing import NamedTuple


_CONTEXT_LINES = 3

_MAX_PAIRS_PER_ITEM = 50
"""The most pairs of equal items for which `difflib`, which visits each, is used."""

_MAX_COMPARED_ITEMS = 10_000
"""The largest length of both sequences together for which `difflib` is used."""

_NO_LINE_END = "\n\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of the old text that are replaced by lines of the new text.

    Attributes:
        old_line: The number of the first removed line, from 1. If none is removed, the
            line before which the others are added.
        new_line: The same for the added lines in the new text.
        removed: The removed lines.
        added: The added lines.
    """

    old_line: int
    new_line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as in a diff, the removed ones first."""
        removed = [f"-{line}" for line in self.removed]
        added = [f"+{line}" for line in self.added]
        return (*removed, *added)


@dataclass(frozen=True)
class Diff:
    """The lines of an old and of a new text. It is false if they are equal."""

    old: Sequence[str] = ()
    new: Sequence[str] = ()

    def __bool__(self) -> bool:
        return self.old != self.new

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The differences in order, without the equal lines around them."""
        hunks = []
        old_end = new_end = 0
        for block in matching_blocks(self.old, self.new):
            if block.old > old_end or block.new > new_end:
                removed = tuple(self.old[old_end : block.old])
                added = tuple(self.new[new_end : block.new])
                hunks.append(Hunk(old_end + 1, new_end + 1, removed, added))
            old_end = block.old + block.size
            new_end = block.new + block.size
        return tuple(hunks)

    @property
    def added(self) -> int:
        """The number of added lines."""
        return sum(len(hunk.added) for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """The number of removed lines."""
        return sum(len(hunk.removed) for hunk in self.hunks)

    def text(self, old_name: str, new_name: str) -> str:
        """Return the unified diff, empty if the texts are equal.

        Args:
            old_name: The name of the old text in the first line.
            new_name: The name of the new text in the second line.
        """
        if not self:
            return ""
        lines = [f"--- {old_name}", f"+++ {new_name}"]
        # `difflib` only groups the blocks here. Its own search for them can be slow.
        matcher = _Matcher(None)
        blocks = matching_blocks(self.old, self.new)
        matcher.matching_blocks = [Match(*block) for block in blocks]
        for group in matcher.get_grouped_opcodes(_CONTEXT_LINES):
            _, first_old, _, first_new, _ = group[0]
            _, _, old_end, _, new_end = group[-1]
            old_range = _header_range(first_old, old_end)
            new_range = _header_range(first_new, new_end)
            lines.append(f"@@ -{old_range} +{new_range} @@")
            for tag, old_start, old_end, new_start, new_end in group:
                if tag == "equal":
                    lines += [f" {line}" for line in self.old[old_start:old_end]]
                else:
                    lines += [f"-{line}" for line in self.old[old_start:old_end]]
                    lines += [f"+{line}" for line in self.new[new_start:new_end]]
        return "".join(f"{line}\n" for line in lines)


class _Matcher(SequenceMatcher[str]):
    """Groups the differences of a unified diff, given the matching blocks."""

    matching_blocks: list[Match]


def _header_range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff writes it: `5,3` for lines 5 to 7.

    A single line has no count. An empty range has the number of the line before it.

    Args:
        start: The index of the first line, from 0.
        end: The index after the last line.
    """
    count = end - start
    if count == 1:
        return str(end)
    first = start + 1 if count else start
    return f"{first},{count}"


def compare(old: str, new: str) -> Diff:
    """Return the difference between two texts, line by line."""
    return Diff(_lines(old), _lines(new))


def _lines(text: str) -> list[str]:
    """Return the lines of a text; the last one says if it has no line end."""
    *lines, last = text.split("\n")
    if last:
        lines.append(f"{last}{_NO_LINE_END}")
    return lines


class MatchingBlock(NamedTuple):
    """A run of equal items: its start in each sequence (from 0), and its length."""

    old: int
    new: int
    size: int


def matching_blocks(
    old: Sequence[str], new: Sequence[str], *, autojunk: bool = True
) -> list[MatchingBlock]:
    """Return the runs of items that two sequences have in common.

    These are the blocks of `difflib.SequenceMatcher`, whose time can grow with the cube
    of the length. If it would take long, the common beginning and the common end are
    found first. The part between them is compared only if that is cheap.

    Args:
        old: The old items.
        new: The new items.
        autojunk: See `difflib.SequenceMatcher`.

    Returns:
        The blocks in order. An empty one at the end of both sequences is the last.
    """
    if _is_cheap(old, new, autojunk):
        return _difflib_blocks(old, new, autojunk)

    head_length = len(commonprefix([list(old), list(new)]))
    old_rest = list(old[head_length:])
    new_rest = list(new[head_length:])
    tail_length = len(commonprefix([old_rest[::-1], new_rest[::-1]]))
    old_middle = old_rest[: len(old_rest) - tail_length]
    new_middle = new_rest[: len(new_rest) - tail_length]

    blocks = []
    if head_length:
        blocks.append(MatchingBlock(0, 0, head_length))
    if _is_cheap(old_middle, new_middle, autojunk):
        *middle_blocks, _ = _difflib_blocks(old_middle, new_middle, autojunk)
        for block in middle_blocks:
            old_start = head_length + block.old
            new_start = head_length + block.new
            blocks.append(block._replace(old=old_start, new=new_start))
    old_tail_start = len(old) - tail_length
    new_tail_start = len(new) - tail_length
    blocks.append(MatchingBlock(old_tail_start, new_tail_start, tail_length))
    blocks.append(MatchingBlock(len(old), len(new), 0))
    return blocks


def _difflib_blocks(
    old: Sequence[str], new: Sequence[str], autojunk: bool
) -> list[MatchingBlock]:
    matcher = SequenceMatcher(None, old, new, autojunk)
    return [MatchingBlock(*block) for block in matcher.get_matching_blocks()]


def _is_cheap(old: Sequence[str], new: Sequence[str], autojunk: bool) -> bool:
    """Return whether `difflib` compares two sequences in a short time.

    It visits each pair of equal items, so there must be few of them.
    """
    size = len(old) + len(new)
    if size > _MAX_COMPARED_ITEMS:
        return False
    # In sequences of 200 items or more, `autojunk` ignores the most frequent items.
    max_count = size
    if autojunk and len(new) >= 200:
        max_count = len(new) // 100 + 1
    old_counts = Counter(old)
    pairs = 0
    for item, count in Counter(new).items():
        if count <= max_count:
            pairs += old_counts[item] * count
    return pairs <= _MAX_PAIRS_PER_ITEM * (size + 200)
