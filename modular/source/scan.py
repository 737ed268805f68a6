"""One pass over a text that tells code from strings and comments.

The result is a *mask*: a string of the same length in which code appears as it is and everything else is filler, so that
plain regular expressions over the mask never see the inside of a string or a comment. In a mask lines are told apart, too:
where they end, which brackets continue, and which are indented alike.
"""

import re
from collections.abc import Iterator


STRING = '"'
"""Filler for the characters of a plain string literal, quotes and newlines included."""
FSTRING = "'"
"""Filler for the literal parts of an f-string; its replacement fields stay code."""
COMMENT = " "
"""Filler for comments and for escaped line ends: to the mask they are blank."""

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
    """Return the mask of a Python source text (line ends must be ``\\n``); it has the same length."""
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
    """Whether the literal whose quotes begin at ``quote`` is an f-string or a t-string."""
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
    """Append the mask of the f-string at ``start`` and return where it ends. Nested quotes are allowed (PEP 701)."""
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
    """Mask one replacement field, whose brace is already written; return the place after its closing brace."""
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
    """Mask the conversion and format spec of a field, up to and with its closing brace."""
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
    """Yield the offsets of the lines from ``first`` on that are indented as that one is, and continue no brackets."""
    yield first
    depth, previous = 0, first
    count = (
        mask.encode("ascii", "replace").translate(_ROUND).count
    )  # as many bytes as the mask has characters
    for match in re.compile(rf"\n{indent}(?=\S)").finditer(mask, first):
        line = match.start() + 1
        depth += count(b"(", previous, line) - count(b")", previous, line)
        previous = line
        if depth == 0:
            yield line


def logical_line_end(mask: str, start: int) -> int:
    """Return where the line that begins at ``start`` ends, with the lines on which its brackets are closed."""
    depth, position = 0, start
    while True:
        end = mask.find("\n", position) + 1 or len(mask)
        depth += brackets_open(mask, position, end)
        if depth <= 0 or end == len(mask):
            return end
        position = end


def brackets_open(mask: str, start: int, end: int) -> int:
    """How many more brackets open than close in the span."""
    brackets = mask[start:end].encode().translate(None, _NO_BRACKETS)
    count = brackets.count
    return (
        count(b"(")
        + count(b"[")
        + count(b"{")
        - count(b")")
        - count(b"]")
        - count(b"}")
        if brackets
        else 0
    )


def line_end(text: str, position: int) -> int:
    """Return the offset after the line that holds a position."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
