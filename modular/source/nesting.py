"""Tells cheaply whether a source nests so deeply that parsers could break on it.

Parsers call themselves for what is in brackets, after a sign, or on one side of an operator. LibCST's has no bounds of its
own. So many levels as break it are never written by hand, and are seen without a parser.
"""

from modular.source.scan import logical_line_end


_BRACKETS = b"()[]{}"
_ALL_BUT_BRACKETS = bytes(set(range(256)).difference(_BRACKETS))
_DEEPEST = 60
"""Levels of brackets."""

_SEPARATORS = b",:=;"
_SEPARATED = bytes(0 if byte in _SEPARATORS else byte for byte in range(256))
_LONGEST = 3_000
"""Characters of a statement between two separators; blanks, strings and digits aside: a level takes one at least."""

_INDENTS = (b"\n" + b" " * 300, b"\n" + b"\t" * 100)
"""Python itself reads a hundred levels of indents."""

_MOST = 1_000
"""Words of a kind: a `lambda` nests in another after a separator, and an `elif` below another."""


def may_be_too_deep(mask: str) -> bool:
    """Whether code with this mask (see `modular.source.scan`) may nest too deeply, or does not close its brackets."""
    code = mask.encode()
    if (
        code.count(b"lambda") > _MOST
        or code.count(b"elif") > _MOST
        or any(indent in code for indent in _INDENTS)
    ):
        return True
    return _brackets_are_deep(code) or (
        _longest_expression(code) > _LONGEST and _a_statement_is_long(mask)
    )


def _brackets_are_deep(code: bytes) -> bool:
    rest = code.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(_DEEPEST):
        if not rest:
            return False
        rest = rest.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
    return bool(rest)


def _longest_expression(code: bytes) -> int:
    """How many characters there are between two separators, at most."""
    return max(
        map(len, code.translate(_SEPARATED, b" \t\n\f\r\\\"'0123456789").split(b"\0"))
    )


def _a_statement_is_long(mask: str) -> bool:
    end = 0
    while end < len(mask):
        start, end = end, logical_line_end(mask, end)
        if _longest_expression(mask[start:end].encode()) > _LONGEST:
            return True
    return False
