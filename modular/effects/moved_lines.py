"""Finds lines of a change that were moved within a file, as `git diff --color-moved` does."""

from collections.abc import Mapping, Sequence

from modular.source.diffs import Diff


_MIN_MOVED_CHARS = 20
"""Letters and digits that a moved block has at least; git uses the same number."""

_MAX_CANDIDATES = 20
"""Removed lines with the same text that are tried as the start of a moved block."""


class MovedLines:
    """The lines that a change removes at one place and adds at another.

    Their indentation may change.

    Attributes:
        removed: Numbers of such lines in the old text, from 1.
        added: Numbers of such lines in the new text, from 1.
    """

    def __init__(self, changes: Diff) -> None:
        """Find the moved lines of a change."""
        self.removed: set[int] = set()
        self.added: set[int] = set()
        removed_lines: dict[int, str] = {}
        for hunk in changes.hunks:
            for number, line in enumerate(hunk.removed, start=hunk.old_line):
                removed_lines[number] = line.strip()
        starts: dict[str, list[int]] = {}
        for number, line in removed_lines.items():
            starts.setdefault(line, []).append(number)

        for hunk in changes.hunks:
            added_lines = [line.strip() for line in hunk.added]
            index = 0
            while index < len(added_lines):
                block = _longest_block(added_lines[index:], removed_lines, starts)
                first_added = hunk.new_line + index
                self.removed.update(block)
                self.added.update(range(first_added, first_added + len(block)))
                index += max(1, len(block))


def _longest_block(
    added_lines: Sequence[str],
    removed_lines: Mapping[int, str],
    starts: Mapping[str, Sequence[int]],
) -> range:
    """Return the removed lines that are equal to the first of some added lines.

    Args:
        added_lines: The added lines, without indentation.
        removed_lines: All removed lines by number, without indentation.
        starts: The numbers of the removed lines by text.

    Returns:
        The numbers of the longest block of adjacent removed lines; empty if it has too
        little text.
    """
    best = range(0)
    for start in starts.get(added_lines[0], ())[:_MAX_CANDIDATES]:
        length = 0
        while (
            length < len(added_lines)
            and removed_lines.get(start + length) == added_lines[length]
        ):
            length += 1
        if length > len(best):
            best = range(start, start + length)
    text = "".join(added_lines[: len(best)])
    if sum(character.isalnum() for character in text) < _MIN_MOVED_CHARS:
        return range(0)
    return best
