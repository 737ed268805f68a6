"""Finds the changed lines of Python code that differ only in whitespace and comments."""

from collections.abc import Sequence
from itertools import accumulate

from modular.source import scan
from modular.source.diffs import Diff, Hunk, shortest_edit_blocks


class QuietLines:
    """The lines of a difference in which only whitespace and comments changed.

    Attributes:
        removed: Numbers of such lines in the old text, from 1.
        added: Numbers of such lines in the new text, from 1.
    """

    def __init__(self, changes: Diff) -> None:
        """Compare the code of the removed and of the added lines of each hunk."""
        self.removed: set[int] = set()
        self.added: set[int] = set()
        if changes:
            old_code = _Code(changes.old)
            new_code = _Code(changes.new)
            for hunk in changes.hunks:
                self._compare(hunk, old_code, new_code)

    def _compare(self, hunk: Hunk, old_code: "_Code", new_code: "_Code") -> None:
        """Add the lines of a hunk without code, and those whose code stays."""
        old_lines = range(hunk.old_line, hunk.old_line + len(hunk.removed))
        new_lines = range(hunk.new_line, hunk.new_line + len(hunk.added))
        old_codes = {line: old_code.of_line(line) for line in old_lines}
        new_codes = {line: new_code.of_line(line) for line in new_lines}
        self.removed.update(line for line in old_lines if not old_codes[line])
        self.added.update(line for line in new_lines if not new_codes[line])

        removed = [line for line in old_lines if old_codes[line]]
        added = [line for line in new_lines if new_codes[line]]
        blocks = shortest_edit_blocks(
            [old_codes[line] for line in removed], [new_codes[line] for line in added]
        )
        for block in blocks:
            self.removed.update(removed[block.old : block.old + block.size])
            self.added.update(added[block.new : block.new + block.size])


class _Code:
    """The lines of a text without whitespace and comments. Strings stay as they are."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._mask = scan.mask("\n".join(lines))
        line_lengths = (len(line) + 1 for line in lines)
        self._starts = list(accumulate(line_lengths, initial=0))

    def of_line(self, number: int) -> str:
        """Return the code of a line, numbered from 1."""
        line = self._lines[number - 1]
        start = self._starts[number - 1]
        code = ""
        for character, masked in zip(
            line, self._mask[start : start + len(line)], strict=True
        ):
            # The mask of a comment is blank, that of a string is not.
            if not masked.isspace():
                code += character
        return code
