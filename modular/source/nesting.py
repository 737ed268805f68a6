"""Tells cheaply whether a source nests so deeply that parsers could break on it.

Parsers call themselves for what stands in brackets, after a sign, or on one side of an operator. So many levels as breaks
them are never written by hand, and are seen without a parser.
"""

_BRACKETS = b"()[]{}"
_ALL_BUT_BRACKETS = bytes(set(range(256)).difference(_BRACKETS))
_DEEPEST = 60
"""Levels of brackets."""

_SEPARATORS = b",:=;"
_SIGNS = tuple(bytes([byte]) for byte in _SEPARATORS)
_SEPARATED = bytes(0 if byte in _SEPARATORS else byte for byte in range(256))
_LONGEST = 10_000
"""Characters between two separators, blanks and strings aside: a level takes one at least."""

_BEARABLE = 2_000
"""The same, and characters of a whole statement, for which a stack of any size is enough."""

_INDENTS = (b"\n" + b" " * 300, b"\n" + b"\t" * 100)
"""Python itself reads a hundred levels of indents."""

_LAMBDAS = 500
"""A `lambda` nests in another after a separator, and an `elif` below another."""


def may_be_too_deep(mask: str) -> bool:
    """Whether code with this mask (see `modular.source.scan`) may nest too deeply, or does not close its brackets."""
    code = mask.encode()
    if code.count(b"lambda") > _LAMBDAS or any(indent in code for indent in _INDENTS):
        return True
    return _brackets_are_deep(code) or _expressions_are_long(code, _LONGEST)


def is_doubtful(mask: str) -> bool:
    """Whether a statement with this mask may be too much for a parser: one that has bounds reads it first."""
    if len(mask) <= _BEARABLE:
        return False
    return mask.count("lambda") + mask.count("elif") > _LAMBDAS or _expressions_are_long(mask.encode(), _BEARABLE)


def is_too_long(mask: str) -> bool:
    """Whether an expression is so long that a parser without bounds could break on it, whatever others say."""
    return len(mask) > _LONGEST and _expressions_are_long(mask.encode(), _LONGEST)


def _brackets_are_deep(code: bytes) -> bool:
    rest = code.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(_DEEPEST):
        if not rest:
            return False
        rest = rest.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
    return bool(rest)


def _expressions_are_long(code: bytes, longest: int) -> bool:
    half = longest // 2
    stretches = range(0, len(code) - half + 1, half)
    if all(any(code.find(sign, start, start + half) >= 0 for sign in _SIGNS) for start in stretches):
        return False
    pieces = code.translate(_SEPARATED, b" \t\n\f\r\\\"'").split(b"\0")
    return max(map(len, pieces)) > longest
