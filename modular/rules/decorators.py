"""Decorators: the modular's if it has any, else the parent's; `@no_inherit_decorator` alone says: none."""

import re

from modular.source.code import Code
from modular.source.parts import Parts

MARKER = "no_inherit_decorator"
_DECORATOR = re.compile(r"^[ \t]*@\s*([\w.]+)", re.MULTILINE)


def merge_decorators(parent: Parts, own: Parts) -> Code:
    """Return the decorator lines of a flattened class or method."""
    names = decorator_names(own)
    if not names:
        return parent.decorators
    return own.decorators if not marks_none(names) else own.decorators.cut(0, 0)


def decorator_names(parts: Parts) -> list[str]:
    """The decorators' names, dotted as written, arguments aside."""
    return _DECORATOR.findall(parts.decorators.mask)


def marks_none(names: list[str]) -> bool:
    """Whether the marker is among them."""
    return any(name.rpartition(".")[2] == MARKER for name in names)
