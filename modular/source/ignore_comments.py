"""Comments that suppress warnings: `# modular: ignore[MOD405]`.

`# modular: ignore[drift]` accepts that an override differs from its parent's method. A
comment at the end of a line counts for that line. One among the comments above the first
statement counts for the file. They are removed from the code that is converted.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from modular.source import fixes, scan
from modular.source.diagnostics import Diagnostic, Edit, Place, Problem, Severity
from modular.source.places import place_at
from modular.source.scan import count_leading_blanks
from modular.source.source_slice import SourceSlice


DRIFT = "drift"
"""What a comment names to accept the drift of an override, see `modular.effects.drift`."""

_MARK = "modular:"
_COMMENT = re.compile(
    r"#[ \t]*modular:[ \t]*ignore\b(?:[ \t]*\[(?P<codes>[^\]\n]*)\])?[^#\n]*"
)


class IgnoreComment(NamedTuple):
    """A comment that suppresses warnings.

    Attributes:
        place: Its place.
        codes: The codes, or beginnings of codes, that it names.
        line: The line that it counts for; None: the whole file.
    """

    place: Place
    codes: tuple[str, ...]
    line: int | None

    def suppresses(self, diagnostic: Diagnostic) -> bool:
        """Whether this comment suppresses a diagnostic.

        A comment counts for its line or for its file. It never suppresses errors.
        """
        if diagnostic.code.severity is Severity.ERROR:
            return False
        # A comment may name the beginning of codes: `MOD4` for `MOD405`.
        if not diagnostic.code.id.startswith(self.codes):
            return False
        if diagnostic.place.path != self.place.path:
            return False
        return self.line is None or self.line == diagnostic.place.line


class IgnoreComments(NamedTuple):
    """The ignore comments of a file.

    Attributes:
        text: The text of the file without them. Its line numbers are the same.
        comments: The comments.
    """

    text: str
    comments: tuple[IgnoreComment, ...] = ()

    def suppress(
        self, diagnostics: Iterable[Diagnostic], are_all: bool
    ) -> list[Diagnostic]:
        """Return the diagnostics of a file that no ignore comment suppresses.

        Rules see `text`, which lacks the ignore comments. The fixes of the returned
        diagnostics replace the lines of the file, which have these comments.

        Args:
            diagnostics: Diagnostics of the file.
            are_all: Whether these are all diagnostics of the file. If so, a warning is
                added for each comment that suppresses none.
        """
        # Comments that count for the whole file have the line None.
        comments_by_line: defaultdict[int | None, list[IgnoreComment]]
        comments_by_line = defaultdict(list)
        commented_lines = {}
        for comment in self.comments:
            comments_by_line[comment.line].append(comment)
            commented_lines[comment.place.line] = comment.place.text

        used_comments: set[IgnoreComment] = set()
        reported = []
        for diagnostic in diagnostics:
            line = diagnostic.place.line
            candidates = comments_by_line[line] + comments_by_line[None]
            suppressing = [
                comment for comment in candidates if comment.suppresses(diagnostic)
            ]
            if suppressing:
                used_comments.update(suppressing)
            else:
                reported.append(_restore_comments(diagnostic, commented_lines))
        if are_all:
            reported += self._report_all_unused(used_comments)
        return reported

    def _report_all_unused(
        self, used_comments: Collection[IgnoreComment]
    ) -> Iterator[Diagnostic]:
        """Yield a warning for each comment that suppresses no diagnostic.

        `# modular: ignore[drift]` is for the command `drift`, so it is never reported.
        """
        for comment in self.comments:
            is_for_drift = comment.codes == (DRIFT,)
            if comment not in used_comments and not is_for_drift:
                yield _report_unused(comment)


def read(path: str, text: str) -> IgnoreComments:
    """Return the comments of a file that suppress warnings: `# modular: ignore[MOD405]`.

    Args:
        path: The path of the file, relative to the root.
        text: Its text with ``\\n`` line ends.

    Returns:
        The comments, and the text without them.
    """
    if _MARK not in text:
        return IgnoreComments(text)
    code = SourceSlice(text, scan.mask_text(text), path, 1)
    # Comments are blanks in the masked text, so only comments are above the first code.
    first_code = count_leading_blanks(code.masked_text)
    comments = []
    spans = []
    for match in _COMMENT.finditer(text):
        start, end = match.span()
        # A string is not blank in the masked text.
        is_in_string = bool(code.masked_text[start:end].strip())
        if is_in_string:
            continue
        spans.append((start, end))
        place = place_at(code, start, len(match[0].rstrip()))
        codes = (match["codes"] or "").replace(",", " ").split()
        counts_for_file = start < first_code
        line = None if counts_for_file else place.line
        comments.append(IgnoreComment(place, tuple(codes), line))
    return IgnoreComments(_remove_comments(text, spans), tuple(comments))


def _remove_comments(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text without some comments.

    Blanks before comments at the end of a line are removed, too: the line
    `x = 1  # modular: ignore` becomes `x = 1`.

    Args:
        text: The text.
        spans: The start and end of each comment, in order.
    """
    pieces: list[str] = []
    copied_end = 0
    for start, end in spans:
        pieces.append(text[copied_end:start])
        is_at_line_end = text[end : end + 1] in ("", "\n")
        if is_at_line_end:
            # In `x = 1  # modular: ignore[A]  # modular: ignore[B]`, the blanks after `1`
            # were copied before the first comment.
            while pieces and not pieces[-1].rstrip(" \t"):
                pieces.pop()
            if pieces:
                pieces[-1] = pieces[-1].rstrip(" \t")
        copied_end = end
    return "".join(pieces) + text[copied_end:]


def _restore_comments(
    diagnostic: Diagnostic, commented_lines: Mapping[int, str]
) -> Diagnostic:
    """Return a diagnostic whose fixes replace the lines that the file really has.

    Rules see the lines without ignore comments. The text that such a fix replaces, like
    `x = 1` for `x = 1  # modular: ignore`, is not in the file.

    Args:
        diagnostic: The diagnostic of a rule.
        commented_lines: The lines of the file that have such comments, by their numbers.
    """
    fixes_for_file = []
    for fix in diagnostic.fixes:
        edits = [_restore_comments_of_edit(edit, commented_lines) for edit in fix.edits]
        fixes_for_file.append(fix._replace(edits=tuple(edits)))
    return diagnostic._replace(fixes=tuple(fixes_for_file))


def _restore_comments_of_edit(edit: Edit, commented_lines: Mapping[int, str]) -> Edit:
    """Return an edit whose old text has the ignore comments that the file has there.

    Args:
        edit: An edit that a rule has made without seeing ignore comments.
        commented_lines: The lines of the file that have such comments, by their numbers.
    """
    old_lines = edit.old.split("\n")
    # The edit ends before the comment of its last line, so this line is left out.
    for number in range(edit.line, edit.end_line):
        if number in commented_lines:
            start = edit.column - 1 if number == edit.line else 0
            old_lines[number - edit.line] = commented_lines[number][start:]
    return edit._replace(old="\n".join(old_lines))


def _report_unused(comment: IgnoreComment) -> Diagnostic:
    """Return the warning about a comment that suppresses nothing."""
    if not comment.codes:
        message = "this comment names no code, so it silences nothing"
        hint = "name one, as in `ignore[MOD405]`"
        return Diagnostic(Problem.UNUSED_IGNORE, comment.place, message, hint)

    listed = ", ".join(f"`{code}`" for code in comment.codes)
    where = "in this file" if comment.line is None else "on this line"
    message = f"there is no warning {listed} {where} to silence"
    hint = "remove the comment, or put it at the end of the line that the warning shows"
    fix = fixes.remove_comment(comment.place)._replace(is_safe=True)
    return Diagnostic(Problem.UNUSED_IGNORE, comment.place, message, hint, fixes=(fix,))
