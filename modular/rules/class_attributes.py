"""Class attributes: the parent's in their order, the modular's in their place or behind them.

`name = AttributeError()` removes the parent's.
"""

import re
from collections.abc import Mapping, Sequence

from modular.rules.super_call import assigned_target
from modular.source.blocks import Kind, Statement

_REMOVAL = re.compile(r"[^=]*=\s*AttributeError\s*\(", re.DOTALL)


def attributes(statements: Sequence[Statement]) -> dict[str, Statement]:
    """Return the class attributes among the statements of a class body, by name.

    Assignments to several names, or to an item or attribute of a name, go by what they assign to, as written.
    """
    return {name: each for each in statements if (name := _name(each))}


def _name(statement: Statement) -> str:
    if statement.kind is Kind.ASSIGNMENT:
        return statement.name
    target = assigned_target(statement)
    return "" if target is None or target.annotated else target.text


def is_removal(statement: Statement) -> bool:
    """Whether an attribute statement says that the parent's attribute goes."""
    return _REMOVAL.match(statement.own.mask) is not None


def merge_attributes(parent: Mapping[str, Statement], own: Mapping[str, Statement]) -> list[Statement]:
    """Return the attributes of the flattened class."""
    merged = {**parent, **own}
    return [statement for statement in merged.values() if not is_removal(statement)]
