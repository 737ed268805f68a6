"""Lines in a mask: where they end, which brackets continue, and which are indented alike."""

import re
from collections.abc import Iterator
from functools import lru_cache


_FIRST = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_ROUND = bytes.maketrans(b"[]{}", b"()()")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")


def starts_at_depth(mask: str, start: int) -> list[int]:
    """The offsets of the lines of this depth from one on, where brackets are closed: the branches of a statement."""
    first = _FIRST.match(mask, start)
    return list(lines_at_depth(mask, start, first.group(1))) if first else []


@lru_cache(maxsize=64)
def _next_at(indent: str) -> re.Pattern[str]:
    """Finds the end of a line before one that is indented so. What begins with a plain character is found fastest."""
    return re.compile(rf"\n{indent}(?=\S)")


def lines_at_depth(mask: str, first: int, indent: str) -> Iterator[int]:
    """Yield the offsets of the lines from ``first`` on that are indented as that one is, and continue no brackets."""
    yield first
    depth, previous = 0, first
    count = mask.encode("ascii", "replace").translate(_ROUND).count  # as many bytes as the mask has characters
    for match in _next_at(indent).finditer(mask, first):
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
    found = mask[start:end].encode().translate(None, _NO_BRACKETS)
    count = found.count
    return count(b"(") + count(b"[") + count(b"{") - count(b")") - count(b"]") - count(b"}") if found else 0


def line_end(text: str, position: int) -> int:
    """Return the offset after the line that holds a position."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
