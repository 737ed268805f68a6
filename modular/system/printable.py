"""Texts that control nothing that shows them.

File names, settings, sources and the output of other programs are a stranger's. Characters that move a terminal's cursor,
change its colours or turn the direction of writing become U+FFFD.
"""

from unicodedata import category


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROLLING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_HARMLESS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
"""Characters of these kinds that scripts and emoji are written with."""


def clean(text: str, keep: str = "\n\t") -> str:
    """Return a text without characters that control, but those to keep; line ends of Windows are kept with line ends."""
    if "\n" in keep:
        return "\n".join(_clean(line, keep) for line in text.split("\n"))
    return _clean(text, keep)


def _clean(line: str, keep: str) -> str:
    if line.isprintable():
        return line
    end = "\r" if "\n" in keep and line.endswith("\r") else ""
    line = line.removesuffix(end)
    return (
        "".join(
            letter if letter in keep or not _controls(letter) else REPLACEMENT
            for letter in line
        )
        + end
    )


def _controls(letter: str) -> bool:
    return category(letter) in _CONTROLLING and letter not in _HARMLESS


def one_line(text: str) -> str:
    """Return a text cleaned, and in one line."""
    return clean(text, "\t")
