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
        """Add the quiet lines of a hunk to `removed` and `added`.

        These are blank lines, lines that are only a comment, and removed and added
        lines that have the same code.
        """
        old_lines = range(hunk.old_line, hunk.old_line + len(hunk.removed))
        new_lines = range(hunk.new_line, hunk.new_line + len(hunk.added))
        old_codes = {line: old_code.of_line(line) for line in old_lines}
        new_codes = {line: new_code.of_line(line) for line in new_lines}
        self.removed.update(line for line in old_lines if not old_codes[line])
        self.added.update(line for line in new_lines if not new_codes[line])

        old_code_lines = [line for line in old_lines if old_codes[line]]
        new_code_lines = [line for line in new_lines if new_codes[line]]
        blocks = shortest_edit_blocks(
            [old_codes[line] for line in old_code_lines],
            [new_codes[line] for line in new_code_lines],
        )
        for old, new, size in blocks:
            self.removed.update(old_code_lines[old : old + size])
            self.added.update(new_code_lines[new : new + size])


class _Code:
    """The lines of a text without whitespace and comments. Strings stay as they are."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._mask = scan.mask("\n".join(lines))
        line_lengths = (len(line) + 1 for line in lines)
        self._starts = list(accumulate(line_lengths, initial=0))

    def of_line(self, number: int) -> str:
        """Return a line, numbered from 1, without its whitespace and comment."""
        line = self._lines[number - 1]
        start = self._starts[number - 1]
        line_mask = self._mask[start : start + len(line)]
        code = ""
        for character, masked in zip(line, line_mask, strict=True):
            # The mask of a comment is blank, that of a string is not.
            if not masked.isspace():
                code += character
        return code
