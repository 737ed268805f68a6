"""Attribute deletion: `del self.x` behind `super().__init__(...)` removes the parent's assignment to `self.x`."""

import re
from dataclasses import replace

from modular.source.blocks import Statement
from modular.source.parts import closing_bracket, split_arguments

_DEL = re.compile(r"\s*del\b\s*")


def deleted_target(statement: Statement) -> str | None:
    """Return what a `del` statement deletes, as written, or None if it is no such statement."""
    targets = _targets(statement)
    return ", ".join(targets) if targets else None


def one_by_one(statement: Statement) -> list[Statement]:
    """Return a `del` of several targets as one statement for each, any other statement as it is."""
    targets = _targets(statement)
    if len(targets) < 2:
        return [statement]
    code, end = statement.code, len(statement.code.mask.rstrip())
    start = statement.start + len(statement.own.text) - len(statement.own.text.lstrip())
    return [replace(statement, code=code.replace([(start, end, f"del {target}")])) for target in targets]


def _targets(statement: Statement) -> list[str]:
    own = statement.own
    found = _DEL.match(own.mask)
    if found is None:
        return []
    start, end = found.end(), len(own.mask.rstrip())
    if own.mask.startswith("(", start) and closing_bracket(own.mask, start) == end - 1:
        start, end = start + 1, end - 1
    return [target for target in split_arguments(own.without_comments()[start:end], own.mask[start:end]) if target]
