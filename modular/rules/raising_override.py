"""Raising overrides: a method whose body begins with `raise ...Error(...)` removes the parent's."""

import re

from modular.source.parts import Parts

_ONE_LINE = re.compile(r"[ \t]*def .*\(.*\).*:[ \t]*(?:#.*)?\n[ \t]+raise.*Error\(")
_RAISES = re.compile(r"[ \t]*raise\b[^\n]*Error\(")


def removes(own: Parts) -> bool:
    """Whether an override removes the parent's method: one blank line above, a one-line `def`, then the `raise`."""
    if own.lead.text.strip(" \t") != "\n" or own.decorators.text:
        return False
    return _ONE_LINE.match(own.statement.own.text) is not None


def only_raises(own: Parts) -> bool:
    """Whether the body (its docstring aside) begins with such a `raise`, so that a removal may have been meant."""
    statements = [each for each in own.body.statements if each is not own.docstring]
    return bool(statements) and _RAISES.match(statements[0].own.mask) is not None


def what_is_missing(own: Parts) -> str:
    """Return, as advice, what keeps an override that only raises from removing the parent's method."""
    if own.decorators.text:
        return "write it without decorators"
    if own.docstring is not None:
        return "write it without a docstring"
    if own.lead.text.strip(" \t") != "\n":
        return "leave exactly one blank line, and no comment, above its `def`"
    if own.header.mask.lstrip().startswith("async"):
        return "write it without `async`"
    return "write the `def` on one line, and `raise AttributeError(...)` directly below it"
