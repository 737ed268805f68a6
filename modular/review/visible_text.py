"""Source text as HTML: nothing that is in a source reaches a page unescaped, or unseen."""

from html import escape
from unicodedata import category


_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that cannot be seen. Some of them let a line look like another one: they turn its direction."""

_HARMLESS = "\t\n\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of these kinds that code, scripts and emoji are written with."""


def escaped_lines(text: str) -> list[str]:
    """Return the lines of a text (line ends must be ``\\n``) as HTML, in which characters that cannot be seen are named."""
    lines = escape(text, quote=False).removesuffix("\n").split("\n") if text else []
    return [_named(line, "<b class=u>{}</b>") for line in lines]


def visible(text: str) -> str:
    """Return text in which characters that cannot be seen are named; it is still to be escaped."""
    return _named(text, "{}")


def _named(text: str, form: str) -> str:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(form.format(f"U+{ord(letter):04X}") if _is_unseen(letter) else letter for letter in text)


def _is_unseen(letter: str) -> bool:
    return category(letter) in _UNSEEN and letter not in _HARMLESS
