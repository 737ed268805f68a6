"""Unravelling: `super().method(...)` stands for the parent's body, into which the modular's statements are merged."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from modular.rules.del_attribute import deleted_target
from modular.rules.init_order import post_init_last
from modular.source.blocks import Kind, Statement, assignment_operator
from modular.source.parts import closing_bracket

_SUPER = re.compile(r"[ \t\f]*(?:return\s+)?super\s*\([^()]*\)\s*\.\s*(\w+)\s*(\()")


def is_super_call(statement: Statement, method: str) -> bool:
    """Whether a statement is exactly a call of the parent's method of that name, or the return of one."""
    mask = statement.own.mask
    match = _SUPER.match(mask)
    if match is None or match.group(1) != method:
        return False
    return not mask[closing_bracket(mask, match.start(2)) + 1 :].strip(" \n\t;")


def super_call_index(body: Sequence[Statement], method: str) -> int | None:
    """Return the place of the first statement that is to be unravelled."""
    for index, statement in enumerate(body):
        if is_super_call(statement, method):
            return index
    return None


@dataclass(frozen=True, slots=True)
class Target:
    """What a statement assigns to, as written; ``annotated`` assignments are deleted but never replaced."""

    text: str
    annotated: bool


def assigned_target(statement: Statement) -> Target | None:
    """Return the (first) target of an assignment statement."""
    if statement.kind not in (Kind.ASSIGNMENT, Kind.ITEM_ASSIGNMENT, Kind.OTHER):
        return None
    own = statement.own
    position = assignment_operator(own.mask)
    if position is None or own.mask[:position].lstrip().startswith(("for ", "while ", "with ", "match ", "lambda ")):
        return None
    return Target(own.text[:position].strip(), own.mask[position] == ":")


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged body, without docstring, and the `del` statements that found nothing to delete."""

    body: list[Statement]
    useless: list[Statement]


def merge_bodies(parent: Sequence[Statement], following: Sequence[Statement]) -> Merged:
    """Merge what follows the call into the parent's body. Neither holds a docstring."""
    replacing: dict[str, Statement] = {}
    deleting: dict[str, Statement] = {}
    for statement in following:
        target = assigned_target(statement)
        if target is not None and not target.annotated:
            replacing[target.text] = statement
        elif (deleted := deleted_target(statement)) is not None:
            deleting[deleted] = statement
    body, found = _merge_into(parent, replacing, deleting)
    present = {statement.own.bare() for statement in body}
    for statement in following:
        if statement in deleting.values() or statement.own.bare() in present:
            continue
        present.add(statement.own.bare())
        body.append(statement)
    useless = [statement for target, statement in deleting.items() if target not in found]
    return Merged(post_init_last(body), useless)


def _merge_into(
    parent: Sequence[Statement], replacing: dict[str, Statement], deleting: dict[str, Statement]
) -> tuple[list[Statement], set[str]]:
    body, found = [], set()
    for statement in parent:
        target = assigned_target(statement)
        if target is not None and target.text in deleting:
            found.add(target.text)
        elif target is not None and not target.annotated and target.text in replacing:
            body.append(replacing[target.text])
        else:
            body.append(statement)
    return body, found
