"""Finds the changed lines of Python code that differ only in whitespace and comments."""

from collections.abc import Mapping, Sequence
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
        """Find the quiet lines of a difference, hunk by hunk.

        Where `x = 1` became `x = 1  # one`, both lines are quiet, as their code is equal.
        """
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
        removed_code = old_code.of_lines(hunk.old_line, len(hunk.removed))
        added_code = new_code.of_lines(hunk.new_line, len(hunk.added))
        self.removed.update(_lines_without_code(removed_code))
        self.added.update(_lines_without_code(added_code))

        # The other lines are quiet if they have the same code in the same order.
        removed_lines = [line for line, code in removed_code.items() if code]
        added_lines = [line for line, code in added_code.items() if code]
        equal_blocks = shortest_edit_blocks(
            [removed_code[line] for line in removed_lines],
            [added_code[line] for line in added_lines],
        )
        for old, new, size in equal_blocks:
            self.removed.update(removed_lines[old : old + size])
            self.added.update(added_lines[new : new + size])


def _lines_without_code(code_of_line: Mapping[int, str]) -> set[int]:
    """Return the numbers of the lines that are blank or only a comment."""
    return {line for line, code in code_of_line.items() if not code}


class _Code:
    """The lines of a text without whitespace and comments. Strings stay as they are."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Mask the lines of a text as a whole, because strings can span lines."""
        self._lines = lines
        self._mask = scan.mask("\n".join(lines))
        line_lengths = (len(line) + 1 for line in lines)
        self._starts = list(accumulate(line_lengths, initial=0))

    def of_lines(self, first: int, count: int) -> dict[int, str]:
        """Return the code of some adjacent lines, by line number from 1."""
        return {line: self._of_line(line) for line in range(first, first + count)}

    def _of_line(self, number: int) -> str:
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
