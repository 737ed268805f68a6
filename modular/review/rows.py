"""Renders the lines of a file as numbered HTML lists, with unchanged lines folded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePosixPath

from markupsafe import Markup

from modular.review.rendering import escaped_lines, visible
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import Diff
from modular.system.printable import counted


LINES_PER_BLOCK = 50
"""Number of lines that a browser lays out together; the style sheet has its height."""

CONTEXT_LINES = 3
"""Number of unchanged lines that are shown around a change."""

_MAX_LINES_WITHOUT_BLOCKS = 400
"""Number of lines between two folds that a browser lays out quickly as one list."""

_NOTE = Markup('<p class="note {}"><strong>{}</strong> {} <em>{}</em></p>')


@dataclass(frozen=True)
class File:
    """A file on a page.

    Attributes:
        path: Path of the file.
        prefix: Prefix of the anchors of its lines: `modeling-` gives `modeling-L12`.
        text: Text of the file.
        changes: Difference to the old text.
        kinds: Class in the style sheet by line number, from 1.
        problems: Diagnostics to show below their lines.
    """

    path: str
    prefix: str
    text: str
    changes: Diff
    kinds: Mapping[int, str] = field(default_factory=dict)
    problems: Sequence[Diagnostic] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self.text.count("\n")

    def html(self) -> str:
        """Return the lines as HTML."""
        return "".join(_Renderer(self).render())


class _Renderer:
    """Renders the lines of one file."""

    def __init__(self, file: File) -> None:
        """Find the changed lines of a file, and the lines with diagnostics (notes)."""
        self._file = file
        self._lines = escaped_lines(file.text)
        self._added_lines: set[int] = set()
        self._removed_lines: dict[int, Sequence[str]] = {}
        self._notes: dict[int, list[Diagnostic]] = {}
        for hunk in file.changes.hunks:
            end = hunk.new_line + len(hunk.added)
            self._added_lines.update(range(hunk.new_line, end))
            if hunk.removed:
                self._removed_lines[hunk.new_line] = hunk.removed
        for problem in file.problems:
            if problem.place.path == file.path:
                line = max(1, problem.place.line)
                self._notes.setdefault(line, []).append(problem)

    def render(self) -> Iterator[str]:
        """Yield the parts of the HTML.

        If the file changed, lines far from changes are folded. Otherwise, all are shown.
        """
        numbers = range(1, len(self._lines) + 1)
        if self._file.changes:
            shown_lines = self._shown_lines()
            for is_shown, run in groupby(numbers, shown_lines.__contains__):
                if is_shown:
                    yield from self._lists(list(run))
                else:
                    yield from self._fold(list(run))
        else:
            yield from self._lists(numbers)

        removed_at_end = "".join(self._removed_rows(len(self._lines) + 1))
        if removed_at_end:
            yield f"<ol>{removed_at_end}</ol>\n"

    def _shown_lines(self) -> set[int]:
        """Return the numbers of the lines near changes and diagnostics."""
        shown_lines: set[int] = set()
        for line in (*self._added_lines, *self._notes):
            shown_lines.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES + 1))
        # Removed lines were above the line, so one line less below it is near.
        for line in self._removed_lines:
            shown_lines.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES))
        return shown_lines

    def _fold(self, numbers: Sequence[int]) -> Iterator[str]:
        """Yield unchanged lines that a reader can unfold."""
        summary = counted(len(numbers), "unchanged line")
        yield f"<details class=fold><summary>{summary}</summary>\n"
        yield from self._lists(numbers)
        yield "</details>\n"

    def _lists(self, numbers: Sequence[int]) -> Iterator[str]:
        """Yield lines as numbered HTML lists; many lines become several lists.

        A browser lays out each list only when a reader scrolls to it.
        """
        block_size = max(1, len(numbers))
        if block_size > _MAX_LINES_WITHOUT_BLOCKS or not self._file.changes:
            block_size = LINES_PER_BLOCK
        for start in range(0, len(numbers), block_size):
            block = numbers[start : start + block_size]
            rows: list[str] = []
            for number in block:
                rows += self._rows(number)
            # The style sheet knows the height of a full block, but of no other one.
            numbered_list = f"<ol start={block[0]}>\n{''.join(rows)}</ol>\n"
            if len(block) == LINES_PER_BLOCK:
                numbered_list = f"<div class=block>{numbered_list}</div>"
            yield numbered_list

    def _rows(self, number: int) -> Iterator[str]:
        """Yield what was removed above a line, the line, and its notes."""
        yield from self._removed_rows(number)

        classes = self._file.kinds.get(number, "")
        if number in self._added_lines:
            classes = f'"{classes} new"' if classes else "new"
        attributes = f"id={self._file.prefix}L{number}"
        if classes:
            attributes += f" class={classes}"
        yield f"<li {attributes}>{self._lines[number - 1]}\n"

        for problem in self._notes.get(number, ()):
            yield _NOTE.format(
                problem.severity.value,
                problem.code.id,
                visible(problem.message),
                visible(problem.hint),
            )

    def _removed_rows(self, number: int) -> Iterator[str]:
        """Yield the lines that were removed above a line of the new text."""
        for line in self._removed_lines.get(number, ()):
            yield f"<li class=gone>{''.join(escaped_lines(line))}\n"
