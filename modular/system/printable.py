"""Text for people: control characters are escaped, and nouns follow numbers.

File names, settings, sources and the output of other programs may come from a stranger.
Characters that move the cursor of a terminal, change its colours or turn the direction
of writing become U+FFFD.
"""

from unicodedata import category


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_CONTROL_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of category Cf that some scripts and emoji need."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 model`, `2 models`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def clean(text: str, keep: str = "\n\t") -> str:
    """Replace control characters of a text.

    Args:
        text: Any text.
        keep: Control characters that stay. If line feeds stay, a carriage return before
            a line feed stays, too.

    Returns:
        The text with U+FFFD in the place of each other control character.
    """
    if "\n" not in keep:
        return _clean_line(text, keep)
    cleaned = []
    for line in text.split("\n"):
        content = line.removesuffix("\r")
        carriage_return = line[len(content) :]
        cleaned.append(_clean_line(content, keep) + carriage_return)
    return "\n".join(cleaned)


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    return clean(text, "\t")


def _clean_line(line: str, keep: str) -> str:
    """Replace the control characters of a line, except for some."""
    if line.isprintable():
        return line
    kept = keep + _JOINERS
    cleaned = []
    for character in line:
        if character not in kept and category(character) in _CONTROL_CATEGORIES:
            character = REPLACEMENT
        cleaned.append(character)
    return "".join(cleaned)
