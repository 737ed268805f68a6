"""Between lsprotocol's values, which the server reads and sends, and the plain ones of the process that works on projects."""

from enum import Enum
from typing import Any

from lsprotocol import types as lsp

from modular.lsp.protocol import Position, Range


def plain_position(position: lsp.Position) -> Position:
    """Return a position of lsprotocol's as a plain one."""
    return Position(position.line, position.character)


def plain_range(span: lsp.Range) -> Range:
    """Return a range of lsprotocol's as a plain one."""
    return Range(plain_position(span.start), plain_position(span.end))


def as_lsp(value: Any) -> Any:
    """Return a value of `protocol`, or a list with such, as what lsprotocol has under the same names."""
    if isinstance(value, list):
        return [as_lsp(each) for each in value]
    if isinstance(value, Enum):
        return getattr(lsp, type(value).__name__)(value.value)
    if hasattr(value, "_fields"):
        return getattr(lsp, type(value).__name__)(**{name: as_lsp(each) for name, each in value._asdict().items()})
    return value
