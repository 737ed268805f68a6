"""What a statement assigns to, and what it deletes."""

import re
from typing import NamedTuple

import libcst as cst

from modular.source import shortcuts
from modular.source.blocks import Kind, Statement
from modular.source.trees import plainly, statement_tree


_ITEM = re.compile(r"([^\W\d]\w*)\s*[.\[]")
_WORD = re.compile(r"\w+")
_DEL = re.compile(r"\s*del\b")


class Target(NamedTuple):
    """What a statement assigns to, as written but for blanks and parentheses around it, and whether it says of what type that is."""

    text: str
    annotated: bool


def mark(target: str) -> str:
    """Return the longest word of a target: no statement without it assigns to that, however it is written."""
    words: list[str] = _WORD.findall(target)
    return max(words, key=len, default="")


def assigned_target(statement: Statement) -> Target | None:
    """Return the (first) target of an assignment; None if a statement is not one. Augmented assignments do not count."""
    if statement.is_compound or statement.kind not in (Kind.ASSIGNMENT, Kind.OTHER):
        return None
    if plain := shortcuts.plain_target(statement.code.mask, statement.start):
        return Target(plain, annotated=False)
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[first, *_])]):
            return Target(_plain(first.target), annotated=False)
        case cst.SimpleStatementLine(body=[cst.AnnAssign(target=target)]):
            return Target(_plain(target), annotated=True)
    return None


def assigned_value(statement: Statement) -> cst.BaseExpression | None:
    """Return what a statement assigns to one target; None if there is no such value."""
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[_], value=value)]):
            return value
        case cst.SimpleStatementLine(body=[cst.AnnAssign(value=value)]):
            return value
    return None


def written_text(node: cst.BaseExpression | None) -> str | None:
    """Return the text that a string literal refers to; None for anything else."""
    if (
        isinstance(node, cst.SimpleString)
        and not node.prefix
        and "\\" not in node.value
    ):
        return node.raw_value
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        value = node.evaluated_value
        return value if isinstance(value, str) else None
    return None


def owner(statement: Statement) -> str:
    """Return the name whose item or attribute a statement assigns to, or nothing: `TABLE` for `TABLE["x"].y = 1`."""
    if (
        statement.kind is not Kind.OTHER
        or _ITEM.match(statement.own.mask.lstrip()) is None
    ):
        return ""
    target = assigned_target(statement)
    item = None if target is None else _ITEM.match(target.text)
    return "" if item is None else item[1]


def deleted_targets(statement: Statement) -> tuple[str, ...]:
    """Return what a `del` statement deletes, written as a target is; nothing for any other statement."""
    if _DEL.match(statement.code.mask, statement.start) is None:
        return ()
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[cst.Del(target=cst.Tuple() | cst.List() as several)]
        ):
            return tuple(_plain(element.value) for element in several.elements)
        case cst.SimpleStatementLine(body=[cst.Del(target=target)]):
            return (_plain(target),)
    return ()


def _plain(target: cst.BaseExpression) -> str:
    """A target as written, without the parentheses around it and needless blanks."""
    is_empty = isinstance(target, cst.Tuple) and not target.elements
    return plainly(
        target if is_empty or not target.lpar else target.with_changes(lpar=(), rpar=())
    )
