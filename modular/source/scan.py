"""Masks: source texts in which strings and comments are replaced by filler.

A mask has the same length as its text, and code appears in it as it is. Regular
expressions over a mask never see the inside of a string or a comment. Functions below
find the ends of lines, logical lines and blocks in masks.
"""

import re
from collections.abc import Iterator


STRING = '"'
"""Filler for the characters of a plain string literal, quotes and newlines included."""
FSTRING = "'"
"""Filler for the literal parts of an f-string; its replacement fields stay code."""
COMMENT = " "
"""Filler for comments and escaped line ends: a mask is blank there."""

_TOKEN = re.compile(
    r"""
      \#[^\n]*
    | \\\n
    | \"\"\"(?>[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*)(?:\"\"\"|\Z)
    | \'\'\'(?>[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*)(?:\'\'\'|\Z)
    | "(?!"")(?>[^"\\\n]*+(?:\\.[^"\\\n]*+)*)"
    | '(?!'')(?>[^'\\\n]*+(?:\\.[^'\\\n]*+)*)'
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTE = re.compile(r"\"\"\"|'''|\"|'")
_FIELD = re.compile(r"""\\\n|["']|\#[^\n]*|[\[({]|[\])}]|!(?!=)|:""")
_FORMATTED = re.compile(r"(?<!\w)(?:[ft]r?|r[ft])\Z", re.IGNORECASE)


def mask(text: str) -> str:
    """Return the mask of a Python source text with ``\\n`` line ends."""
    pieces: list[str] = []
    done = position = 0
    while match := _TOKEN.search(text, position):
        start, position = match.span()
        pieces.append(text[done:start])
        first = text[start]
        if first in "#\\":
            pieces.append(COMMENT * (position - start))
        elif _is_formatted(text, start):
            position = _mask_fstring(text, start, pieces)
        else:
            pieces.append(STRING * (position - start))
        done = position
    pieces.append(text[done:])
    return "".join(pieces)


def _is_formatted(text: str, quote: int) -> bool:
    """Return whether the literal at an offset is an f-string or t-string."""
    return text[quote - 1 : quote] in tuple("fFtTrR") and bool(
        _FORMATTED.search(text, max(0, quote - 3), quote)
    )


_LITERAL_END = {
    quote: re.compile(
        rf"\\N\{{[^}}]*\}}|\\[^{{}}]|\{{\{{|\}}\}}|\{{|\}}|{quote}", re.DOTALL
    )
    for quote in ('"""', "'''", '"', "'")
}
_SPEC_END = re.compile(r"[{}]")


def _mask_fstring(text: str, start: int, pieces: list[str]) -> int:
    """Append the mask of the f-string at an offset, and return the offset of its end.

    The same quotes may be nested (PEP 701).
    """
    opening = _QUOTE.match(text, start)
    assert opening is not None
    quote, position, done = opening.group(), opening.end(), start
    while match := _LITERAL_END[quote].search(text, position):
        position = match.end()
        token = match.group()
        if token == quote:
            break
        if token == "{":
            pieces.append(FSTRING * (match.start() - done) + "{")
            position = done = _mask_field(text, position, pieces)
    else:
        position = len(text)
    pieces.append(FSTRING * (position - done))
    return position


def _mask_field(text: str, position: int, pieces: list[str]) -> int:
    """Append the mask of a replacement field; return the offset of its end."""
    depth, done = 0, position
    while match := _FIELD.search(text, position):
        start, position = match.span()
        token = match.group()
        if token in "\"'":
            position = done = _mask_nested_string(text, done, start, pieces)
        elif token[0] in "#\\":
            pieces.append(text[done:start] + COMMENT * (position - start))
            done = position
        elif token in "([{":
            depth += 1
        elif depth and token in ")]}":
            depth -= 1
        elif token == "}":
            pieces.append(text[done:position])
            return position
        elif not depth and token in "!:":
            pieces.append(text[done:start])
            return _mask_spec(text, start, pieces)
    pieces.append(text[done:])
    return len(text)


def _mask_nested_string(text: str, done: int, start: int, pieces: list[str]) -> int:
    pieces.append(text[done:start])
    if _is_formatted(text, start):
        return _mask_fstring(text, start, pieces)
    match = _TOKEN.match(text, start)
    end = match.end() if match else start + 1
    pieces.append(STRING * (end - start))
    return end


def _mask_spec(text: str, position: int, pieces: list[str]) -> int:
    """Append the mask of a format spec; return the offset of the field's end."""
    done = position
    while match := _SPEC_END.search(text, position):
        pieces.append(FSTRING * (match.start() - done) + match.group())
        position = done = match.end()
        if match.group() == "}":
            return position
        position = done = _mask_field(text, position, pieces)
    pieces.append(FSTRING * (len(text) - done))
    return len(text)


_ROUND = bytes.maketrans(b"[]{}", b"()()")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")


def lines_at_depth(mask: str, first: int, indent: str) -> Iterator[int]:
    """Yield the offsets of lines with an indent that do not continue brackets.

    Args:
        mask: The mask.
        first: The offset of the first line.
        indent: The indent of that line.
    """
    yield first
    depth, previous = 0, first
    # With "replace", bytes and characters have the same offsets.
    count = mask.encode("ascii", "replace").translate(_ROUND).count
    for match in re.compile(rf"\n{indent}(?=\S)").finditer(mask, first):
        line = match.start() + 1
        depth += count(b"(", previous, line) - count(b")", previous, line)
        previous = line
        if depth == 0:
            yield line


def logical_line_end(mask: str, start: int) -> int:
    """Return the end of the logical line at an offset, where brackets are closed."""
    depth, position = 0, start
    while True:
        end = mask.find("\n", position) + 1 or len(mask)
        depth += brackets_open(mask, position, end)
        if depth <= 0 or end == len(mask):
            return end
        position = end


def brackets_open(mask: str, start: int, end: int) -> int:
    """Return how many more brackets open than close between two offsets."""
    brackets = mask[start:end].encode().translate(_ROUND, _NO_BRACKETS)
    return brackets.count(b"(") - brackets.count(b")")


def line_end(text: str, position: int) -> int:
    """Return the offset after the line that holds a position."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
