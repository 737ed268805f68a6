"""What a terminal shows: texts wrapped at words, lines with a mark under a part of them, colours."""

from collections.abc import Callable
from textwrap import wrap
from unicodedata import category, east_asian_width


LONGEST = 240
"""Characters of a source line that are worth showing."""

_TAB = 4
RED, GREEN, YELLOW, BLUE, BOLD = "31", "32", "33", "34", "1"

Paint = Callable[[str, str], str]


def counted(number: int, what: str) -> str:
    """Return a number with what it counts: `1 model`, `2 models`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def wrapped(text: str, head: str, painted: str, columns: int | None) -> list[str]:
    """Return a text in lines of so many columns (None: in one), all but the first indented as its ``head`` is long, which is painted."""
    indent = " " * (len(head) + 1)
    lines = (
        [text]
        if columns is None
        else wrap(text, columns, subsequent_indent=indent, break_long_words=False)
    )
    return [painted + lines[0].removeprefix(head), *lines[1:]]


def excerpt(
    line: str,
    number: int,
    column: int,
    marked: int,
    width: int,
    mark: str,
    paint: Paint,
) -> list[str]:
    """Return a line with its ``number`` in ``width`` columns, and the mark below; nothing for a blank one.

    Marked are so many characters from a ``column`` (from 1) on; of a very long line the part around them is shown.
    """
    start = column - 1
    first = max(0, start - LONGEST // 3) if len(line) > LONGEST else 0
    line = line[first : first + LONGEST]
    before, under = line[: start - first], line[start - first : start - first + marked]
    if not line.strip():
        return []
    gutter = paint(f"{number:>{width + 1}} |", BLUE)
    below = paint(f"{' ' * (width + 1)} |", BLUE)
    arrows = "^" * max(1, _columns(_shown(under)))
    return [
        f"{gutter} {_shown(line)}",
        f"{below} {' ' * _columns(_shown(before))}{paint(arrows, mark)}",
    ]


def _shown(text: str) -> str:
    """What a terminal is given: tabs as blanks."""
    return text.replace("\t", " " * _TAB)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def plain(text: str, style: str) -> str:
    """Return a text as it is."""
    return text


def coloured(text: str, style: str) -> str:
    """Return a text in a style of a terminal."""
    return f"\x1b[{style}m{text}\x1b[0m"
