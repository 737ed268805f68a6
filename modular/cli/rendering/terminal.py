"""Text for terminals: wrapping, excerpts of source lines, colours and links."""

from collections.abc import Callable
from textwrap import wrap
from unicodedata import category, east_asian_width

from modular.source.diagnostics import Place


MAX_EXCERPT_CHARS = 240
"""The length of a source line that is shown whole."""

_TAB = " " * 4
_ELLIPSIS = "..."
_MIN_CODE_COLUMNS = 30
RED, GREEN, YELLOW, BLUE, BOLD = "31", "32", "33", "34", "1"

Paint = Callable[[str, str], str]
"""Returns a text in a style."""


def wrapped(text: str, head: str, painted: str, columns: int | None) -> list[str]:
    """Wrap a text at words, below its first word, such as `hint:`, which gets a colour.

        hint: move the changes into
              the modular file

    Args:
        text: The text, which begins with the head.
        head: The beginning of the text, such as `hint:`. It must not have the colour codes
            yet, because they have no width.
        painted: The head with colour codes.
        columns: The width of the lines; None for a single line.
    """
    lines = [text]
    if columns is not None:
        indent = " " * (len(head) + 1)
        lines = wrap(text, columns, subsequent_indent=indent, break_long_words=False)
    painted_line = painted + lines[0].removeprefix(head)
    return [painted_line, *lines[1:]]


def with_code(head: str, code: str, columns: int) -> list[str]:
    """Return a place and its code on one line, or on two if the code has no room.

        models/llama/modeling_llama.py:120: self.act_fn = ACT2FN[config.hidden_...

    A place stays whole, because people copy it. Code that is too long ends with `...`.

    Args:
        head: The place and what is said about it.
        code: A line of code.
        columns: The width of the terminal.
    """
    room = columns - len(head) - 1
    if room >= _MIN_CODE_COLUMNS or not code:
        return [f"{head} {_cut(code, room)}".rstrip()]
    indent = " " * 4
    return [head.rstrip(), indent + _cut(code, columns - len(indent))]


def _cut(code: str, columns: int) -> str:
    """Return a line of code that needs at most this number of columns."""
    code = _without_tabs(code)
    if _columns(code) <= columns:
        return code
    while code and _columns(code) > columns - len(_ELLIPSIS):
        code = code[:-1]
    return code + _ELLIPSIS


def excerpt(place: Place, number_width: int, style: str, paint: Paint) -> list[str]:
    """Return the source line of a place and, below it, a line with a mark.

        12 | class MyModelMLP(LlamaMLP):
           |       ^^^^^^^^^^

    A long line is cut around the mark. For a blank line, nothing is shown.

    Args:
        place: The marked place.
        number_width: The width of the largest line number.
        style: The style of the mark.
        paint: Applies styles.
    """
    mark_start = place.column - 1
    shown_start = 0
    if len(place.text) > MAX_EXCERPT_CHARS:
        # A third of the excerpt is before the mark.
        shown_start = max(0, mark_start - MAX_EXCERPT_CHARS // 3)
    shown = place.text[shown_start : shown_start + MAX_EXCERPT_CHARS]
    if not shown.strip():
        return []

    mark_start_in_shown = mark_start - shown_start
    text_before = shown[:mark_start_in_shown]
    marked_text = shown[mark_start_in_shown : mark_start_in_shown + place.width]
    gutter = paint(f"{place.line:>{number_width + 1}} |", BLUE)
    empty_gutter = paint(f"{' ' * (number_width + 1)} |", BLUE)
    blanks = " " * _columns(_without_tabs(text_before))
    arrows = "^" * max(1, _columns(_without_tabs(marked_text)))
    return [
        f"{gutter} {_without_tabs(shown)}",
        f"{empty_gutter} {blanks}{paint(arrows, style)}",
    ]


def link(text: str, address: str) -> str:
    """Return a text that terminals show as a link (OSC 8)."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def plain(text: str, style: str) -> str:
    """Return a text without any style."""
    return text


def coloured(text: str, style: str) -> str:
    """Return a text in a style of a terminal."""
    return f"\x1b[{style}m{text}\x1b[0m"


def _without_tabs(text: str) -> str:
    """Replace each tab with blanks, so that the width of the text is known."""
    return text.replace("\t", _TAB)


def _columns(text: str) -> int:
    """Return the number of columns that a terminal needs for a text."""
    columns = 0
    for character in text:
        is_wide = east_asian_width(character) in "WF"
        # Marks that combine with the character before them need no column.
        if category(character) not in ("Mn", "Me", "Cf"):
            columns += 2 if is_wide else 1
    return columns
