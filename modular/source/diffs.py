"""Compares two texts. A unified diff is only rendered when it is shown.

Lines are compared as git does it: as few of them as possible are added and removed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from functools import cached_property
from os.path import commonprefix
from typing import NamedTuple


_CONTEXT_LINES = 3

_Opcode = tuple[str, int, int, int, int]
"""What `difflib` calls a change: its kind, and the ends of the old and new lines."""

_MAX_PAIRS_PER_ITEM = 50
"""Maximum number of pairs of equal items, per item, for which `difflib` is used.

`difflib` visits each pair.
"""

_MAX_PAIRS_OF_SHORT_TEXT = 10_000
"""Number of pairs of equal items that are allowed in addition, whatever the length."""

_MAX_COMPARED_ITEMS = 10_000
"""Maximum length of both sequences together for which `difflib` is used."""

_MAX_EDITS = 500
"""Maximum number of edits of a shortest diff; longer ones are not searched."""

_MAX_COMPARISONS = 1_000_000
"""Maximum number of pairs of lines that the search for a shortest diff compares."""

_BLANK_LINE_COST = 1000
"""The cost of a change that begins above a blank line. See `_split_cost`."""

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
        """Whether the texts differ."""
        return self.old != self.new

    @cached_property
    def _blocks(self) -> list["MatchingBlock"]:
        """The runs of equal lines."""
        return shortest_edit_blocks(self.old, self.new)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The differences in order, without the equal lines around them."""
        hunks = []
        # The ends of the last run of equal lines in both texts.
        old_end = new_end = 0
        # The last block is empty, at the end of both texts. So lines below the last equal
        # lines become a hunk, too.
        for block in self._blocks:
            has_lines_before = block.old > old_end or block.new > new_end
            if has_lines_before:
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
        if self.old == self.new:
            return ""
        lines = [f"--- {old_name}", f"+++ {new_name}"]
        matcher = _MatcherWithBlocks(self._blocks)
        for group in matcher.get_grouped_opcodes(_CONTEXT_LINES):
            lines += self._lines_of_group(group)
        return "".join(f"{line}\n" for line in lines)

    def _lines_of_group(self, group: Sequence[_Opcode]) -> Iterator[str]:
        """Yield the lines of a unified diff for changes that are close to each other.

        Args:
            group: The changes and the equal lines around them, as `difflib` describes
                them.
        """
        _, first_old, _, first_new, _ = group[0]
        _, _, last_old_end, _, last_new_end = group[-1]
        old_range = _header_range(first_old, last_old_end)
        new_range = _header_range(first_new, last_new_end)
        yield f"@@ -{old_range} +{new_range} @@"
        for tag, old_start, old_end, new_start, new_end in group:
            old_lines = self.old[old_start:old_end]
            if tag == "equal":
                yield from (f" {line}" for line in old_lines)
            else:
                yield from (f"-{line}" for line in old_lines)
                yield from (f"+{line}" for line in self.new[new_start:new_end])


class _MatcherWithBlocks(SequenceMatcher[str]):
    """A matcher that is given its blocks, because its own search can be slow."""

    def __init__(self, blocks: Iterable["MatchingBlock"]) -> None:
        """Create a matcher with the runs of equal lines, in order."""
        super().__init__()
        self._blocks = [Match(*block) for block in blocks]

    def get_matching_blocks(self) -> list[Match]:
        """Return the given blocks."""
        return self._blocks


def _header_range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff writes it: `5,3` for lines 5 to 7.

    The first line of a text has the number 1. An empty range has the number of the line
    above it, and a range of one line has no count.

    Args:
        start: The index of the first line, from 0.
        end: The index after the last line.
    """
    count = end - start
    if count == 0:
        return f"{start},0"
    if count == 1:
        return f"{start + 1}"
    return f"{start + 1},{count}"


def compare(old: str, new: str) -> Diff:
    """Return the difference between two texts, line by line."""
    return Diff(_lines(old), _lines(new))


def _lines(text: str) -> list[str]:
    """Return the lines of a text. A last line without line end is marked as in git."""
    *lines, last = text.split("\n")
    if last:
        lines.append(f"{last}{_NO_LINE_END}")
    return lines


class MatchingBlock(NamedTuple):
    """A run of equal items: its start in each sequence (from 0), and its length."""

    old: int
    new: int
    size: int


def shortest_edit_blocks(old: Sequence[str], new: Sequence[str]) -> list[MatchingBlock]:
    """Return the runs of lines that stay if as few lines as possible change.

    The numbers of added and removed lines are those of git, which uses the same
    algorithm. Texts that need very many edits are compared by `matching_blocks`.

    Args:
        old: The old lines.
        new: The new lines.

    Returns:
        The blocks in order. The last block is empty, at the end of both texts.
    """
    # The equal lines at the beginning (head) and at the end (tail) stay.
    head_length, tail_length = _common_lengths(old, new)
    old_middle = range(head_length, len(old) - tail_length)
    new_middle = range(head_length, len(new) - tail_length)
    pairs = _pair_equal_lines(old, new, old_middle, new_middle)
    if pairs is None:
        return matching_blocks(old, new)

    head = MatchingBlock(0, 0, head_length)
    tail = MatchingBlock(old_middle.stop, new_middle.stop, tail_length)
    single_lines = [MatchingBlock(*pair, size=1) for pair in pairs]
    joined = _join_blocks([head, *single_lines, tail])
    end = MatchingBlock(len(old), len(new), 0)
    # Where several diffs are equally short, the most readable one is chosen.
    return _slide_changes([*joined, end], old, new)


def _pair_equal_lines(
    old: Sequence[str], new: Sequence[str], old_range: range, new_range: range
) -> list[tuple[int, int]] | None:
    """Pair as many equal lines of two texts as possible, in the order of both texts.

    Args:
        old: The old lines.
        new: The new lines.
        old_range: The indexes of the old lines to pair.
        new_range: The indexes of the new lines to pair.

    Returns:
        The indexes of each pair; None if the search would take long.
    """
    # A line that only one text has can be in no pair. Without such lines, the search is
    # fast.
    old_lines = {old[index] for index in old_range}
    new_lines = {new[index] for index in new_range}
    old_candidates = [index for index in old_range if old[index] in new_lines]
    new_candidates = [index for index in new_range if new[index] in old_lines]
    paired_candidates = _longest_common_pairs(
        [old[index] for index in old_candidates],
        [new[index] for index in new_candidates],
    )
    if paired_candidates is None:
        return None
    # The pair `(0, 2)` is the first old and the third new candidate.
    return [
        (old_candidates[old_position], new_candidates[new_position])
        for old_position, new_position in paired_candidates
    ]


class _LinkedBlock(NamedTuple):
    """A run of equal items, with the runs before it. Paths share their first runs."""

    earlier: "_LinkedBlock | None"
    block: MatchingBlock


class _Path(NamedTuple):
    """A series of edits that turns the first old items into the first new ones.

    Attributes:
        new_end: The length of the new sequence's beginning.
        last_block: The last run of equal items; None if the path has no equal items.
    """

    new_end: int
    last_block: _LinkedBlock | None


_NO_PATH = _Path(-1, None)


def _longest_common_pairs(
    old: Sequence[str], new: Sequence[str]
) -> list[tuple[int, int]] | None:
    """Return the indexes of a longest common subsequence, found by Myers' algorithm.

    An edit removes an old item or adds a new item. The search lengthens all paths by one
    edit, and by the equal items after it, until a path reaches the end of both sequences.
    This path has the fewest edits. Of two swapped items, the first old one stays.

    Returns:
        Pairs of an old and a new index in order; None if the search would take long.
    """
    # The diagonal of a path is the number of its new items minus that of its old items.
    # Only the longest path on each diagonal counts. An edit leads to a neighbouring
    # diagonal. The path on diagonal 1 stands before the first old item, so that removing
    # an item there leads to the empty path on diagonal 0.
    paths = {1: _Path(0, None)}
    comparisons = 0
    for edits in range(_MAX_EDITS + 1):
        for diagonal in range(-edits, edits + 1, 2):
            before_removal = paths.get(diagonal + 1, _NO_PATH)
            before_addition = paths.get(diagonal - 1, _NO_PATH)
            if before_removal.new_end > before_addition.new_end:
                new_end, last_block = before_removal
            else:
                new_end = before_addition.new_end + 1
                last_block = before_addition.last_block

            new_start = new_end
            old_start = old_end = new_start - diagonal
            while (
                new_end < len(new)
                and old_end < len(old)
                and new[new_end] == old[old_end]
            ):
                new_end += 1
                old_end += 1
            if new_end > new_start:
                block = MatchingBlock(old_start, new_start, new_end - new_start)
                last_block = _LinkedBlock(last_block, block)
            if new_end >= len(new) and old_end >= len(old):
                return _pairs_of_blocks(last_block)
            paths[diagonal] = _Path(new_end, last_block)
            comparisons += new_end - new_start + 1
        if comparisons > _MAX_COMPARISONS:
            return None
    return None


def _pairs_of_blocks(last_block: _LinkedBlock | None) -> list[tuple[int, int]]:
    """Return the pairs of an old and a new index at which a diff has equal items.

    A block of 2 equal items from the indexes 5 and 7 on gives `(5, 7)` and `(6, 8)`.

    Args:
        last_block: The last run of equal items, which is linked to the earlier ones.
    """
    pairs: list[tuple[int, int]] = []
    linked_block = last_block
    while linked_block is not None:
        block = linked_block.block
        for step in reversed(range(block.size)):
            pairs.append((block.old + step, block.new + step))
        linked_block = linked_block.earlier
    # The last pair was found first.
    pairs.reverse()
    return pairs


def _join_blocks(blocks: Iterable[MatchingBlock]) -> list[MatchingBlock]:
    """Join adjacent blocks, such as those of single lines, and drop empty blocks."""
    joined: list[MatchingBlock] = []
    old_end = new_end = -1
    for block in blocks:
        if not block.size:
            continue
        if (block.old, block.new) == (old_end, new_end):
            last = joined[-1]
            joined[-1] = last._replace(size=last.size + block.size)
        else:
            joined.append(block)
        old_end = block.old + block.size
        new_end = block.new + block.size
    return joined


def _slide_changes(
    blocks: list[MatchingBlock], old: Sequence[str], new: Sequence[str]
) -> list[MatchingBlock]:
    """Move changes up or down to where they are easiest to read.

    A diff can show an added method from its `def` to the blank line below it, or from
    the blank line above it. Both are correct; the first is easier to read.

    Args:
        blocks: The runs of equal lines, with an empty one at the end.
        old: The old lines.
        new: The new lines.
    """
    slid = list(blocks)
    for index in range(len(slid) - 1):
        before = slid[index]
        after = slid[index + 1]
        # The change is between the two blocks. If it moves down by 2 lines, the block
        # before it gets the first 2 lines of the block after it.
        shift = _best_shift_between(before, after, old, new)
        slid[index] = before._replace(size=before.size + shift)
        slid[index + 1] = MatchingBlock(
            after.old + shift, after.new + shift, after.size - shift
        )
    return slid


def _best_shift_between(
    before: MatchingBlock, after: MatchingBlock, old: Sequence[str], new: Sequence[str]
) -> int:
    """Return by how many lines the change between two blocks should move.

    Args:
        before: The block of equal lines before the change.
        after: The block of equal lines after the change.
        old: The old lines.
        new: The new lines.

    Returns:
        The number of lines by which the change moves down; it moves up if negative.
    """
    removed = range(before.old + before.size, after.old)
    added = range(before.new + before.size, after.new)
    # One line of each block stays, so that two changes never touch.
    max_up = before.size - 1
    max_down = after.size - 1
    if added and not removed:
        return _best_shift(new, added, max_up, max_down)
    if removed and not added:
        return _best_shift(old, removed, max_up, max_down)
    # Added lines that replace removed lines stay in their place.
    return 0


def _best_shift(
    lines: Sequence[str], changed: range, max_up: int, max_down: int
) -> int:
    """Return by how many lines to move added or removed lines, so that they read best.

    If `a` became `a b a`, the added lines can be `a b` or `b a`.

    Args:
        lines: The lines of the text that has the added or removed lines.
        changed: The indexes of these lines.
        max_up: The maximum number of lines by which they may move up.
        max_down: The maximum number of lines by which they may move down.

    Returns:
        The number of lines by which they move down; they move up if negative.
    """
    start = changed.start
    end = changed.stop
    # A change can move up by a line if the line above it equals its last line.
    up = 0
    while up < max_up and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
    # It can move down by a line if its first line equals the line below it.
    down = 0
    while down < max_down and lines[start + down] == lines[end + down]:
        down += 1

    def cost(shift: int) -> tuple[int, int]:
        """Return how hard a shift is to read; of equal ones, the furthest down wins."""
        start_cost = _split_cost(lines, start + shift)
        end_cost = _split_cost(lines, end + shift)
        return start_cost + end_cost, -shift

    return min(range(-up, down + 1), key=cost)


def _split_cost(lines: Sequence[str], index: int) -> int:
    """Return how hard a change is to read if it begins or ends above a line.

    Lines with little indentation, such as `class A:`, cost little, and less still with a
    blank line above them. A blank line itself costs most.
    """
    if index == len(lines):
        return 0
    line = lines[index]
    if not line.strip():
        return _BLANK_LINE_COST
    indentation = len(line) - len(line.lstrip())
    has_text_above = index > 0 and bool(lines[index - 1].strip())
    # One column of indentation counts twice as much as a missing blank line.
    return 2 * indentation + int(has_text_above)


def matching_blocks(
    old: Sequence[str], new: Sequence[str], *, autojunk: bool = True
) -> list[MatchingBlock]:
    """Return the runs of items that two sequences have in common.

    These are the blocks of `difflib.SequenceMatcher` if it is fast enough: its time can
    grow with the cube of the length. Otherwise they are the common beginning, the common
    end and, if `difflib` is fast enough for the rest, the blocks between them.

    Args:
        old: The old items.
        new: The new items.
        autojunk: See `difflib.SequenceMatcher`.

    Returns:
        The blocks in order. An empty one at the end of both sequences is the last.
    """
    if _is_cheap(old, new, autojunk):
        return _difflib_blocks(old, new, autojunk)

    head_length, tail_length = _common_lengths(old, new)
    old_tail_start = len(old) - tail_length
    new_tail_start = len(new) - tail_length

    blocks = []
    if head_length:
        blocks.append(MatchingBlock(0, 0, head_length))
    old_middle = old[head_length:old_tail_start]
    new_middle = new[head_length:new_tail_start]
    if _is_cheap(old_middle, new_middle, autojunk):
        # The empty block at the end of the middle is left out.
        *middle_blocks, _ = _difflib_blocks(old_middle, new_middle, autojunk)
        for old_start, new_start, size in middle_blocks:
            block = MatchingBlock(
                head_length + old_start, head_length + new_start, size
            )
            blocks.append(block)
    blocks.append(MatchingBlock(old_tail_start, new_tail_start, tail_length))
    blocks.append(MatchingBlock(len(old), len(new), 0))
    return blocks


def _common_lengths(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the common beginning and the common end of two sequences.

    No item counts twice: `a b a` and `a` have a beginning of one item, and no end.
    """
    head_length = len(commonprefix([list(old), list(new)]))
    reversed_old_tail = list(reversed(old[head_length:]))
    reversed_new_tail = list(reversed(new[head_length:]))
    tail_length = len(commonprefix([reversed_old_tail, reversed_new_tail]))
    return head_length, tail_length


def _difflib_blocks(
    old: Sequence[str], new: Sequence[str], autojunk: bool
) -> list[MatchingBlock]:
    """Return the blocks of `difflib.SequenceMatcher`."""
    matcher = SequenceMatcher(None, old, new, autojunk)
    return [MatchingBlock(*block) for block in matcher.get_matching_blocks()]


def _is_cheap(old: Sequence[str], new: Sequence[str], autojunk: bool) -> bool:
    """Whether `difflib` compares two sequences in a short time.

    `difflib` visits each pair of an old and an equal new item, so there must be few
    pairs. An item that occurs twice in the old and three times in the new items gives
    six pairs.
    """
    size = len(old) + len(new)
    if size > _MAX_COMPARED_ITEMS:
        return False
    # With `autojunk`, `difflib` ignores frequent items: those that make up more than 1 %
    # of the new items, if there are 200 or more.
    ignores_frequent_items = autojunk and len(new) >= 200
    old_counts = Counter(old)
    visited_pairs = 0
    for item, new_count in Counter(new).items():
        is_frequent = new_count > len(new) // 100 + 1
        if ignores_frequent_items and is_frequent:
            continue
        visited_pairs += old_counts[item] * new_count
    return visited_pairs <= _MAX_PAIRS_OF_SHORT_TEXT + _MAX_PAIRS_PER_ITEM * size
