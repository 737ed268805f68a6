"""What makes two pieces of code the same for the formatter: all but line breaks, trailing commas and needless brackets."""

import re
from functools import lru_cache

from modular.rules.names.renaming import COPIED
from modular.source.code import Code


_LAYOUT = re.compile(r"[ \t\n]+|\)|(?<![\w\])])\(|,(?=\s*[)\]}])")
_BLANKS = re.compile(r"[ \t\n]+")
_DEFINITION = re.compile(r"(?:async def|class|def)\b|@")
_BLANK_LINE = "\n\n"


def normal(code: Code, *, leading: bool = False) -> str:
    """Return code less its layout. Strings and comments stay as they stand, and so do blank lines between statements.

    Comments that say from where something was copied do not count: inheriting takes their place. Code with two normal forms is not the same. With one, it nearly always is, once it is formatted: the proof says whether.
    With ``leading`` a blank line above the code counts, too.
    """
    return _normal(code.text, code.mask, leading)


def is_laid_out_alike(one: Code, other: Code) -> bool:
    """Whether two pieces of code with one normal form have the same trailing commas and brackets, too."""
    return _BLANKS.sub("", one.mask) == _BLANKS.sub("", other.mask)


@lru_cache(maxsize=8_000)
def _normal(text: str, mask: str, leading: bool) -> str:
    pieces, done = [], 0
    for match in _LAYOUT.finditer(mask):
        start, end = match.span()
        pieces.append(text[done:start])
        done = end
        between = text[start:end]
        if "\n" not in between:
            if "#" in between and COPIED not in between:
                pieces.append(between.strip() + "\n")
        elif start or leading:
            pieces += _lines(between, _DEFINITION.match(mask, end) is not None or end == len(mask), bool(start))
        else:
            pieces += _lines(between.lstrip("\n"), _DEFINITION.match(mask, end) is not None, True)
    pieces.append(text[done:])
    return "".join(pieces)


def _lines(between: str, is_parted: bool, inside: bool) -> list[str]:
    """The comments and blank lines of what stands between two pieces of code.

    Before a definition the formatter itself says what is blank.
    """
    found: list[str] = []
    blank = False
    lines = between.split("\n")
    for number, line in enumerate(lines):
        stripped = line.strip()
        if COPIED in stripped:
            continue
        if stripped.startswith("#"):
            found.append((_BLANK_LINE if blank and not (is_parted and not found) else "") + stripped + "\n")
            blank = False
        elif not stripped and 0 < number + (not inside) < len(lines):
            blank = number < len(lines) - 1 or blank
    if blank and not is_parted:
        found.append(_BLANK_LINE)
    return found
