"""The lines of a file as a page shows them: items of numbered lists. Where something changed, what did not is folded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath

from markupsafe import Markup

from modular.review.rendering import escaped_lines, visible
from modular.source.diagnostics import Diagnostic
from modular.source.diffs import Diff
from modular.system.terminal import counted


BLOCK = 50
"""Lines in a block that a browser lays out only when it is seen. The style sheet knows how high such a block is."""

CONTEXT = 3
"""Unchanged lines that stay in sight above and below a change."""

_MOST_AT_ONCE = 400
"""Lines between two folds that are one list: a browser lays out so many quickly, and shows them side by side as a whole."""

_NOTE = Markup('<p class="note {}"><strong>{}</strong> {} <em>{}</em></p>')


@dataclass(frozen=True)
class File:
    """A file on a page: its text, and how that differs from the text that it had.

    ``prefix`` is what the identifiers of its lines begin with: `modeling-` gives `modeling-L12`. ``kinds`` has the style
    sheet's class for the number (from 1) of each line that is of a kind; ``problems`` are the diagnostics to show at their
    lines.
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
        """How many lines it has."""
        return self.text.count("\n")

    @cached_property
    def _notes(self) -> dict[int, list[Diagnostic]]:
        """The problems by their lines."""
        notes: dict[int, list[Diagnostic]] = {}
        for problem in self.problems:
            if problem.place.path == self.path:
                notes.setdefault(max(1, problem.place.line), []).append(problem)
        return notes

    @cached_property
    def _new(self) -> set[int]:
        """The lines that the older text does not have."""
        return {
            hunk.new_line + step
            for hunk in self.changes.hunks
            for step in range(len(hunk.added))
        }

    @cached_property
    def _removed(self) -> dict[int, Sequence[str]]:
        """The lines that are gone, by the line that they were before."""
        return {
            hunk.new_line: hunk.removed for hunk in self.changes.hunks if hunk.removed
        }

    def html(self) -> str:
        """Return the lines as HTML."""
        lines = escaped_lines(self.text)
        parts: list[str] = []
        for is_folded, numbers in self._stretches(len(lines)):
            parts += (
                self._fold(numbers, lines) if is_folded else self._lists(numbers, lines)
            )
        if end := "".join(self._gone(len(lines) + 1)):
            parts.append(f"<ol>{end}</ol>\n")
        return "".join(parts)

    def _stretches(self, count: int) -> Iterator[tuple[bool, Sequence[int]]]:
        """Yield the numbers of lines that follow each other, all of them folded or all in sight."""
        if not self.changes:
            yield False, range(1, count + 1)
            return
        near = {
            line + step
            for line in (*self._new, *self._notes)
            for step in range(-CONTEXT, CONTEXT + 1)
        }
        near |= {
            line + step for line in self._removed for step in range(-CONTEXT, CONTEXT)
        }
        for is_near, numbers in groupby(range(1, count + 1), near.__contains__):
            yield not is_near, list(numbers)

    def _fold(self, numbers: Sequence[int], lines: Sequence[str]) -> Iterator[str]:
        yield f"<details class=fold><summary>{counted(len(numbers), 'unchanged line')}</summary>\n"
        yield from self._lists(numbers, lines)
        yield "</details>\n"

    def _lists(self, numbers: Sequence[int], lines: Sequence[str]) -> Iterator[str]:
        size = (
            BLOCK
            if len(numbers) > _MOST_AT_ONCE or not self.changes
            else max(1, len(numbers))
        )
        for first in range(0, len(numbers), size):
            block = numbers[first : first + size]
            rows = "".join(
                row for number in block for row in self._rows(number, lines[number - 1])
            )
            numbered = f"<ol start={block[0]}>\n{rows}</ol>\n"
            yield (
                f"<div class=block>{numbered}</div>"
                if len(block) == BLOCK
                else numbered
            )

    def _rows(self, number: int, line: str) -> Iterator[str]:
        yield from self._gone(number)
        kind = self.kinds.get(number, "")
        if number in self._new:
            name = f' class="{kind} new"' if kind else " class=new"
        else:
            name = f" class={kind}" if kind else ""
        yield f"<li id={self.prefix}L{number}{name}>{line}\n"
        for note in self._notes.get(number, ()):
            yield _NOTE.format(
                note.severity.value,
                note.code.id,
                visible(note.message),
                visible(note.hint),
            )

    def _gone(self, number: int) -> Iterator[str]:
        for line in self._removed.get(number, ()):
            yield f"<li class=gone>{''.join(escaped_lines(line))}\n"
