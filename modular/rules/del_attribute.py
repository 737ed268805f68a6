"""Attribute deletion: `del self.x` behind `super().__init__(...)` removes the parent's assignment to `self.x`."""

import re

from modular.source.blocks import Statement

_DEL = re.compile(r"\s*del\b\s*\(?\s*([\w.\[\]\"' ]+?)\s*\)?\s*;?\s*\Z")


def deleted_target(statement: Statement) -> str | None:
    """Return what a `del` statement deletes, as written, or None if it is no such statement."""
    text = statement.own.bare()
    if not text.startswith("del"):
        return None
    match = _DEL.match(text)
    return match.group(1) if match else None
