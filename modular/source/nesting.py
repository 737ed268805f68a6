"""Detects cheaply, before any parser runs, code that nests too deeply for parsers.

Parsers are recursive: each bracket, sign and operator is a call, and LibCST's parser has
no limit on their number. Code that was written by hand never has enough levels to crash
it.
"""

from modular.source.scan import NO_BRACKETS, logical_line_end


_MAX_BRACKET_DEPTH = 60

_SEPARATORS = b",:=;"
_SEPARATORS_TO_NUL = bytes(0 if byte in _SEPARATORS else byte for byte in range(256))
_UNCOUNTED = b" \t\n\f\r\\\"'0123456789"
_MAX_EXPRESSION_CHARS = 3_000
"""Characters between two separators. Each level of an expression takes at least one."""

_DEEP_INDENTS = (b"\n" + b" " * 300, b"\n" + b"\t" * 100)
"""Python itself accepts a hundred levels of indents."""

_MAX_KEYWORDS = 1_000
"""A `lambda` nests in another one after a separator, and an `elif` in the one above."""


def may_be_too_deep(masked_text: str) -> bool:
    """Whether code may nest so deeply that a recursive parser crashes.

    Code with brackets that are never closed counts as too deep. The tests are cheap, and
    refuse nothing that is written by hand.

    Args:
        masked_text: The code with strings and comments overwritten (`scan.mask_text`).
    """
    code = masked_text.encode()
    for keyword in (b"lambda", b"elif"):
        if code.count(keyword) > _MAX_KEYWORDS:
            return True
    for indent in _DEEP_INDENTS:
        if indent in code:
            return True
    if _has_deep_brackets(code):
        return True
    # The first test is fast, but takes `f(a)` and `f(b)` on two lines for one expression.
    # If it finds a long expression, the second test looks at each statement alone.
    return _has_long_expression(code) and _is_any_statement_long(masked_text)


def _has_deep_brackets(code: bytes) -> bool:
    """Whether brackets are nested deeper than `_MAX_BRACKET_DEPTH`.

    Each round removes the innermost pairs: `([])` becomes `()`, and then nothing.
    """
    brackets = code.translate(None, NO_BRACKETS)
    for _ in range(_MAX_BRACKET_DEPTH):
        if not brackets:
            return False
        for pair in (b"()", b"[]", b"{}"):
            brackets = brackets.replace(pair, b"")
    return bool(brackets)


def _has_long_expression(code: bytes) -> bool:
    """Whether the text between two separators is long, so that it may nest deeply.

    Blanks, line ends, digits and quotes are not counted, because they nest nothing.
    """
    expressions = code.translate(_SEPARATORS_TO_NUL, _UNCOUNTED).split(b"\0")
    return max(map(len, expressions)) > _MAX_EXPRESSION_CHARS


def _is_any_statement_long(masked_text: str) -> bool:
    """Whether a single statement has a long expression.

    A statement is a logical line, which continues on further lines inside brackets.
    """
    end = 0
    while end < len(masked_text):
        start = end
        end = logical_line_end(masked_text, start)
        if _has_long_expression(masked_text[start:end].encode()):
            return True
    return False
