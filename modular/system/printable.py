"""Text for people: control characters are escaped, and long lines are folded.

File names, settings, sources and the output of other programs may come from a stranger.
Characters that move the cursor of a terminal, change its colours or turn the direction
of writing become U+FFFD.
"""

from textwrap import wrap
from unicodedata import category


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

REPORT_COLUMNS = 80
"""Width in columns of reports. They have this width in a terminal and in a file."""

_CONTROL_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of category Cf that some scripts and emoji need."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 model`, `2 models`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def fold(line: str, columns: int = REPORT_COLUMNS, indent: str = "    ") -> list[str]:
    """Return a line as one or more lines that are not too wide.

    Lines are only broken at blanks, and names are never broken.

    Args:
        line: The line; its own indentation is kept.
        columns: The width.
        indent: What all lines but the first begin with.
    """
    if len(line) <= columns:
        return [line]
    # `wrap` would drop the indentation above a word that is longer than a line.
    text = line.lstrip(" ")
    return wrap(
        text,
        columns,
        initial_indent=" " * (len(line) - len(text)),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def clean(text: str) -> str:
    """Replace the control characters of a text with U+FFFD, except for tabs and line ends.

    Line ends are line feeds, each with or without a carriage return before it.
    """
    cleaned = []
    for line in text.split("\n"):
        content = line.removesuffix("\r")
        carriage_return = line[len(content) :]
        cleaned.append(one_line(content) + carriage_return)
    return "\n".join(cleaned)


def one_line(text: str) -> str:
    """Replace the control characters of a text with U+FFFD, except for tabs.

    Line ends are replaced as well, so the result is on one line.
    """
    if text.isprintable():
        return text
    allowed = "\t" + _JOINERS
    cleaned = []
    for character in text:
        is_control = category(character) in _CONTROL_CATEGORIES
        if is_control and character not in allowed:
            character = REPLACEMENT
        cleaned.append(character)
    return "".join(cleaned)
