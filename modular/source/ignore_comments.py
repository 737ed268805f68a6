"""Comments that silence warnings: `# modular: ignore[MOD405]` at a line's end or, among those that head a file, for it.

They are for the modular file alone: they are taken out of what is generated from it.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from modular.source import fixes, scan
from modular.source.diagnostics import Diagnostic, Place, Problem, Severity
from modular.source.places import place_at
from modular.source.source_slice import SourceSlice


_MARK = "modular:"
_COMMENT = re.compile(
    r"#[ \t]*modular:[ \t]*ignore\b(?:[ \t]*\[(?P<codes>[^\]\n]*)\])?[^#\n]*"
)


class IgnoreComment(NamedTuple):
    """One comment: its place, the codes or beginnings of codes that it names, and the line it is about (None: all)."""

    place: Place
    codes: tuple[str, ...]
    line: int | None

    def silences(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is a warning that this comment is about."""
        is_warning = (
            diagnostic.code.severity is Severity.WARNING
            and diagnostic.code.id.startswith(self.codes)
        )
        return (
            is_warning
            and diagnostic.place.path == self.place.path
            and self.line in (None, diagnostic.place.line)
        )


class IgnoreComments(NamedTuple):
    """The comments of a file. ``text`` is the file's without them; its lines are the same."""

    text: str
    comments: tuple[IgnoreComment, ...] = ()

    def silence(
        self, diagnostics: Iterable[Diagnostic], are_all: bool
    ) -> list[Diagnostic]:
        """Return the diagnostics that are not silenced and, where they ``are_all``, one for each comment that silences none."""
        reported = list(diagnostics)
        kept = [
            diagnostic
            for diagnostic in reported
            if not any(comment.silences(diagnostic) for comment in self.comments)
        ]
        idle = [
            comment
            for comment in self.comments
            if not any(map(comment.silences, reported))
        ]
        return [*kept, *map(_unused, idle if are_all else ())]


def read(path: str, text: str) -> IgnoreComments:
    """Find the comments in a file's text, whose line ends are ``\\n``."""
    if _MARK not in text:
        return IgnoreComments(text)
    code = SourceSlice(text, scan.mask(text), path, 1)
    head = len(code.mask) - len(code.mask.lstrip())
    matches = [
        match
        for match in _COMMENT.finditer(text)
        if not code.mask[match.start() : match.end()].strip()
    ]
    rest = _without(text, (match.span() for match in matches))
    return IgnoreComments(rest, tuple(_comment(code, match, head) for match in matches))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text without some spans, and without the blanks that are left at line ends by that."""
    kept, done = [""], 0
    for start, end in spans:
        if start > done:
            kept.append(text[done:start])
        if text[end : end + 1] in ("", "\n"):
            kept[-1] = kept[-1].rstrip(" \t")
        done = end
    return "".join([*kept, text[done:]])


def _comment(code: SourceSlice, match: re.Match[str], head: int) -> IgnoreComment:
    """Read a comment; ``head`` is where the file's first statement begins."""
    place = place_at(code, match.start(), len(match.group().rstrip()))
    codes = tuple((match["codes"] or "").replace(",", " ").split())
    return IgnoreComment(place, codes, None if match.start() < head else place.line)


def _unused(comment: IgnoreComment) -> Diagnostic:
    listed = ", ".join(f"`{code}`" for code in comment.codes)
    if not listed:
        message, hint = (
            "this comment names no code, so it silences nothing",
            "name one, as in `ignore[MOD405]`",
        )
    else:
        where = "in this file" if comment.line is None else "on this line"
        message = f"there is no warning {listed} {where} to silence"
        hint = "remove the comment, or put it at the end of the line that the warning shows"
    autofixes = (
        (fixes.remove_comment(comment.place)._replace(is_safe=True),) if listed else ()
    )
    return Diagnostic(
        Problem.UNUSED_IGNORE, comment.place, message, hint, fixes=autofixes
    )
