"""Renders the lines of a file as numbered HTML lists, with unchanged lines folded."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath

from markupsafe import Markup

from modular.effects.moved_lines import MovedLines
from modular.provenance.outline import UNOWNED, Owner, line_owners, read_outline
from modular.review.changed_words import Span, find_changed_words
from modular.review.notes import Note
from modular.review.rendering import escaped_lines, mark_spans, render_sentence
from modular.source.diffs import Diff, Hunk
from modular.system.printable import counted


LINES_PER_BLOCK = 50
"""Number of lines that a browser lays out together; the style sheet has its height."""

CONTEXT_LINES = 3
"""Number of unchanged lines that are shown around a change."""

_MAX_LINES_WITHOUT_BLOCKS = 400
"""Number of lines between two folds that a browser lays out quickly as one list."""

_DIFF_LINE = Markup(
    '<span class={}><span role="img" aria-label="{}">{}</span>{}\n</span>'
)

_MIN_HEADER_LINES = 4
"""Number of lines from which the comment at the top of a file is folded."""

_HEADING = Markup("<p class=owner>{}</p>\n")

_HINT = Markup(" <em>hint: {}</em>")

_NOTE = Markup('<p class="note {}"><strong>{}</strong> {}{}</p>')


@dataclass(frozen=True)
class File:
    """A file on a page.

    Attributes:
        path: Path of the file.
        prefix: Prefix of the anchors of its lines: `modeling-` gives `modeling-L12`.
        text: Text of the file.
        changes: Difference to the old text.
        kinds: The letter of the provenance by line number, from 1.
        notes: Sentences to show below their lines.
        is_excerpt: Whether lines far from notes are folded although the file did not
            change. They are always folded in a file that changed.
    """

    path: str
    prefix: str
    text: str
    changes: Diff
    kinds: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[Note] = ()
    is_excerpt: bool = False

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

    def changes_html(self) -> str:
        """Return the changed lines, and the lines around them, as HTML."""
        return "".join(_Renderer(self).render_changes())


class _Renderer:
    """Renders the lines of one file."""

    def __init__(self, file: File) -> None:
        """Find the changed lines of a file, and the lines with notes."""
        self._file = file
        # The HTML of each line.
        self._lines = escaped_lines(file.text)
        self._moved_lines = MovedLines(file.changes)
        self._added_lines: set[int] = set()
        # The HTML of removed lines by the line above which they were.
        self._removed_rows_above: dict[int, list[str]] = {}
        self._notes: dict[int, list[Note]] = {}
        for hunk in file.changes.hunks:
            changed_words = find_changed_words(hunk.removed, hunk.added)
            self._mark_added_lines(hunk, changed_words.added)
            self._add_removed_rows(hunk, changed_words.removed)
        for note in file.notes:
            if note.place.path == file.path:
                line = max(1, note.place.line)
                self._notes.setdefault(line, []).append(note)

    def _mark_added_lines(self, hunk: Hunk, changed_words: list[list[Span]]) -> None:
        """Record the added lines of a hunk, and mark their changed words.

        Args:
            hunk: The hunk.
            changed_words: The spans of changed words in each added line.
        """
        number = hunk.new_line
        for text, spans in zip(hunk.added, changed_words, strict=True):
            self._added_lines.add(number)
            if spans:
                self._lines[number - 1] = mark_spans(text, spans)
            number += 1

    def _add_removed_rows(self, hunk: Hunk, changed_words: list[list[Span]]) -> None:
        """Make rows of the removed lines of a hunk, with changed words marked.

        The rows are shown above the line of the file at which the hunk begins.

        Args:
            hunk: The hunk.
            changed_words: The spans of changed words in each removed line.
        """
        rows = []
        old_number = hunk.old_line
        for text, spans in zip(hunk.removed, changed_words, strict=True):
            classes = ["gone"]
            if old_number in self._moved_lines.removed:
                classes.append("moved")
            marked_text = mark_spans(text, spans)
            rows.append(f"<li{_class_attribute(classes)}>{marked_text}\n")
            old_number += 1
        if rows:
            self._removed_rows_above[hunk.new_line] = rows

    def render(self) -> Iterator[str]:
        """Yield the HTML of all lines, some of them folded until a reader unfolds them.

        If the file changed or is an excerpt, the lines far from changes and notes are
        folded. Otherwise, or if it is new, only the comment at its top is folded, such as
        the licence.
        """
        header_lines = self._header_lines()
        if self._has_folds:
            shown_lines = self._shown_lines()
            is_new_file = not self._file.changes.old
            if is_new_file:
                # All its lines are changes, so the comment would be shown, too.
                shown_lines.difference_update(range(1, header_lines + 1))
            yield from self._lines_near_changes(shown_lines, folds_others=True)
            return

        numbers = range(1, len(self._lines) + 1)
        if header_lines:
            summary = _describe_comments(header_lines)
            yield from self._fold(numbers[:header_lines], '"fold head"', summary)
        yield from self._lists(numbers[header_lines:])

    def render_changes(self) -> Iterator[str]:
        """Yield the HTML of the lines near changes, without the other lines."""
        shown_lines = self._shown_lines()
        yield from self._lines_near_changes(shown_lines, folds_others=False)

    @property
    def _has_folds(self) -> bool:
        """Whether the lines far from changes and notes are folded."""
        return bool(self._file.changes) or self._file.is_excerpt

    def _lines_near_changes(
        self, shown_lines: AbstractSet[int], *, folds_others: bool
    ) -> Iterator[str]:
        """Yield the HTML of the lines to show, with other lines folded or left out.

        Above each run of adjacent lines is the name of its class and function.

        Args:
            shown_lines: The numbers of the lines to show.
            folds_others: Whether other lines are folded. Otherwise they are left out.
        """
        numbers = range(1, len(self._lines) + 1)
        for is_shown, run in groupby(numbers, shown_lines.__contains__):
            run_numbers = list(run)
            if is_shown:
                yield self._heading(run_numbers)
                yield from self._lists(run_numbers)
            elif folds_others:
                summary = counted(len(run_numbers), "unchanged line")
                # All lines of a new file are shown but the comment at its top.
                is_top_of_new_file = run_numbers[0] in self._added_lines
                if is_top_of_new_file:
                    summary = _describe_comments(len(run_numbers))
                yield from self._fold(run_numbers, "fold", summary)

        line_below_end = len(self._lines) + 1
        removed_at_end = "".join(self._removed_rows_above.get(line_below_end, ()))
        if removed_at_end:
            yield f"<ol>{removed_at_end}</ol>\n"

    def _fold(self, numbers: Sequence[int], class_: str, summary: str) -> Iterator[str]:
        """Yield lines that are hidden below a summary."""
        yield f"<details class={class_}><summary>{summary}</summary>\n"
        yield from self._lists(numbers)
        yield "</details>\n"

    def _header_lines(self) -> int:
        """Return the number of lines of the comment at the top that is to be folded.

        The number is 0 if the comment is too short to be folded, or if a finding is shown
        in it.
        """
        last_comment_line = 0
        for number, line in enumerate(self._file.text.split("\n"), start=1):
            is_code = not line.startswith("#") and bool(line.strip())
            if is_code:
                break
            if line.startswith("#"):
                last_comment_line = number
        has_note = any(line <= last_comment_line for line in self._notes)
        if last_comment_line < _MIN_HEADER_LINES or has_note:
            return 0
        return last_comment_line

    def _heading(self, numbers: Sequence[int]) -> str:
        """Return a heading that names the class and function of the first change, as HTML.

        In an excerpt, the first note counts. The heading is empty if the change or
        note is outside of all classes and functions.

        Args:
            numbers: The numbers of the adjacent lines below the heading.
        """
        owner = UNOWNED
        if self._file.is_excerpt:
            noted_lines = [number for number in numbers if number in self._notes]
            if noted_lines:
                owner = self._new_owners.get(noted_lines[0], UNOWNED)
        # Lines that were removed at the end have the number below the last line.
        possible_numbers = range(numbers[0], numbers[-1] + 2)
        for hunk in self._file.changes.hunks:
            if hunk.new_line in possible_numbers:
                owner = self._owner_of(hunk)
                break
        name = ".".join(filter(None, owner))
        return str(_HEADING.format(name)) if name else ""

    def _owner_of(self, hunk: Hunk) -> Owner:
        """Return the class and method that a change is in, as the heading above it.

        The first line of the change that is in a class or function decides: an added line
        if possible, or else a removed one.
        """
        for number in range(hunk.new_line, hunk.new_line + len(hunk.added)):
            if number in self._new_owners:
                return self._new_owners[number]
        for number in range(hunk.old_line, hunk.old_line + len(hunk.removed)):
            if number in self._old_owners:
                return self._old_owners[number]
        return UNOWNED

    @cached_property
    def _new_owners(self) -> Mapping[int, Owner]:
        """The class and member of each line of the new text."""
        return line_owners(read_outline(self._file.path, self._file.text))

    @cached_property
    def _old_owners(self) -> Mapping[int, Owner]:
        """The class and member of each line of the old text."""
        old_text = "".join(f"{line}\n" for line in self._file.changes.old)
        return line_owners(read_outline(self._file.path, old_text))

    def _shown_lines(self) -> set[int]:
        """Return the numbers of the lines near changes and notes."""
        shown_lines: set[int] = set()
        for line in (*self._added_lines, *self._notes):
            shown_lines.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES + 1))
        # Lines removed above line 8 stood between 7 and 8. With three lines of context,
        # 5 to 7 and 8 to 10 are shown.
        for line in self._removed_rows_above:
            shown_lines.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES))
        return shown_lines

    def _lists(self, numbers: Sequence[int]) -> Iterator[str]:
        """Yield lines as numbered HTML lists, most of which are blocks of 50 lines.

        A browser lays out a block only when a reader scrolls to it, so that a long page
        appears soon. In a file with folds, a few adjacent lines are one list, no block.

        Args:
            numbers: The numbers of adjacent lines.
        """
        is_one_list = self._has_folds and len(numbers) <= _MAX_LINES_WITHOUT_BLOCKS
        list_length = len(numbers) if is_one_list else LINES_PER_BLOCK
        for start in range(0, len(numbers), list_length):
            listed = numbers[start : start + list_length]
            rows: list[str] = []
            for number in listed:
                rows += self._rows(number)
            numbered_list = f"<ol start={listed[0]}>\n{''.join(rows)}</ol>\n"
            # The style sheet gives all blocks the same height, so a shorter list is no block.
            if len(listed) == LINES_PER_BLOCK:
                numbered_list = f"<div class=block>{numbered_list}</div>"
            yield numbered_list

    def _rows(self, number: int) -> Iterator[str]:
        """Yield the HTML of a line, below the lines that were removed above it.

        Below the line are its notes. Its classes of the style sheet tell its provenance,
        and whether it is new or moved.

        Args:
            number: The number of the line, from 1.
        """
        yield from self._removed_rows_above.get(number, ())

        classes = []
        if number in self._file.kinds:
            classes.append(self._file.kinds[number])
        if number in self._added_lines:
            classes.append("new")
        if number in self._moved_lines.added:
            classes.append("moved")
        attributes = f"id={self._file.prefix}L{number}{_class_attribute(classes)}"
        yield f"<li {attributes}>{self._lines[number - 1]}\n"

        for note in self._notes.get(number, ()):
            yield _NOTE.format(
                note.severity.value,
                note.label,
                render_sentence(note.message),
                _HINT.format(render_sentence(note.hint)) if note.hint else "",
            )


def _describe_comments(line_count: int) -> str:
    """Return the summary of the folded comment at the top of a file."""
    return counted(line_count, "line") + " of comments"


def _class_attribute(classes: Sequence[str]) -> str:
    """Return the attribute with the classes of an HTML element; empty without any.

    A single class needs no quotes, so most lines of a page are shorter without them.
    """
    if not classes:
        return ""
    if len(classes) == 1:
        return f" class={classes[0]}"
    return f' class="{" ".join(classes)}"'


def render_diff_lines(lines: Sequence[str]) -> Markup:
    """Return the lines of a diff as HTML, with changed words marked.

    Args:
        lines: Lines that begin with ``+`` or ``-``.
    """
    html = Markup()
    # Removed lines are rendered with the added lines below them, which replace them.
    removed: list[str] = []
    for is_added, run in groupby(lines, key=lambda line: line.startswith("+")):
        texts = [line[1:] for line in run]
        if is_added:
            html += _render_change(removed, texts)
            removed = []
        else:
            removed = texts
    removed_without_replacement = removed
    return html + _render_change(removed_without_replacement, [])


def _render_change(removed: Sequence[str], added: Sequence[str]) -> Markup:
    """Return removed lines, and the added lines that replace them, as HTML."""
    html = Markup()
    changed_words = find_changed_words(removed, added)
    for text, spans in zip(removed, changed_words.removed, strict=True):
        html += _DIFF_LINE.format("gone", "removed", "−", mark_spans(text, spans))
    for text, spans in zip(added, changed_words.added, strict=True):
        html += _DIFF_LINE.format("new", "added", "+", mark_spans(text, spans))
    return html
