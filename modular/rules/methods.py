"""Methods: the parent's in their order, replaced in place; new ones at the end. A property and its setter are two."""

import re
from collections.abc import Sequence

from modular.source.blocks import Kind, Statement
from modular.source.parts import Parts, take_apart

_ACCESSOR = re.compile(r"^[ \t]*@\s*(\w+)\.(setter|deleter|getter)\b", re.MULTILINE)
_OVERLOAD = re.compile(r"^[ \t]*@\s*(?:\w+\.)*overload\b", re.MULTILINE)


def methods(statements: Sequence[Statement]) -> dict[str, Parts]:
    """Return the methods among the statements of a class body, by name; a setter's key tells it from its property."""
    found: dict[str, Parts] = {}
    for statement in statements:
        if statement.kind is Kind.FUNCTION:
            parts = take_apart(statement)
            found[_key(parts, found)] = parts
    return found


def _key(parts: Parts, found: dict[str, Parts]) -> str:
    decorators = parts.decorators.mask
    if accessor := _ACCESSOR.search(decorators):
        return f"{parts.name}.{accessor.group(2)}"
    if _OVERLOAD.search(decorators):
        overloads = sum(key.startswith(f"{parts.name}.overload") for key in found)
        return f"{parts.name}.overload{overloads}"
    return parts.name
