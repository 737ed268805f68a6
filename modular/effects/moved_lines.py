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
        """Find the moved lines of a change.

        Blocks of added lines are searched from the top: each is the longest that the
        change also removes elsewhere.
        """
        self.removed: set[int] = set()
        self.added: set[int] = set()
        removed_lines: dict[int, str] = {}
        for hunk in changes.hunks:
            for number, line in enumerate(hunk.removed, start=hunk.old_line):
                removed_lines[number] = line.strip()
        numbers_by_text: dict[str, list[int]] = {}
        for number, line in removed_lines.items():
            numbers_by_text.setdefault(line, []).append(number)

        for hunk in changes.hunks:
            added_lines = [line.strip() for line in hunk.added]
            index = 0
            while index < len(added_lines):
                block = _longest_block(
                    added_lines[index:], removed_lines, numbers_by_text
                )
                first_added = hunk.new_line + index
                self.removed.update(block)
                self.added.update(range(first_added, first_added + len(block)))
                # A line that was not moved is skipped.
                index += max(1, len(block))


def _longest_block(
    added_lines: Sequence[str],
    removed_lines: Mapping[int, str],
    numbers_by_text: Mapping[str, Sequence[int]],
) -> range:
    """Return the longest block of removed lines that is equal to the first added lines.

    Args:
        added_lines: Some added lines, without indentation.
        removed_lines: All removed lines by number, without indentation.
        numbers_by_text: The numbers of the removed lines by text.

    Returns:
        The numbers of the removed lines; empty if the block has too little text.
    """
    best = range(0)
    for start in numbers_by_text.get(added_lines[0], ())[:_MAX_CANDIDATES]:
        end = start
        for added_line in added_lines:
            if removed_lines.get(end) != added_line:
                break
            end += 1
        if end - start > len(best):
            best = range(start, end)
    text = "".join(added_lines[: len(best)])
    if sum(character.isalnum() for character in text) < _MIN_MOVED_CHARS:
        return range(0)
    return best
