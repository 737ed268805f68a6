"""Unravelling: `super().method(...)` stands for the parent's body, into which the modular's statements are merged."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from modular.rules.del_attribute import deleted_target
from modular.rules.init_order import post_init_last
from modular.source.blocks import Kind, Statement, assignment_operator
from modular.source.parts import closing_bracket

_SUPER = re.compile(r"[ \t]*(?:return\s+)?super\s*\([^()]*\)\s*\.\s*(\w+)\s*(\()")


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


@dataclass
class BodyMerger:
    """Merges bodies into those of one parent class, method after method.

    An assignment or `del` behind an unravelled call also acts on the bodies that are unravelled later in the same class.
    """

    replacing: dict[str, Statement] = field(default_factory=dict)
    deleting: dict[str, Statement] = field(default_factory=dict)
    useless: list[Statement] = field(default_factory=list)

    def merge(self, parent: Sequence[Statement], following: Sequence[Statement]) -> list[Statement]:
        """Merge what follows the call into the parent's body and return it. Neither holds a docstring.

        `del` statements that found nothing to delete are added to ``useless``.
        """
        deleting = self._collect(following)
        body, deleted = self._merge_into(parent)
        self.useless += [statement for target, statement in deleting.items() if target not in deleted]
        present = {statement.own.bare() for statement in body}
        for statement in following:
            bare = statement.own.bare()
            if bare not in present and deleted_target(statement) is None:
                present.add(bare)
                body.append(statement)
        return post_init_last(body)

    def _collect(self, following: Sequence[Statement]) -> dict[str, Statement]:
        deleting = {}
        for statement in following:
            target = assigned_target(statement)
            if target is not None and not target.annotated:
                self.replacing[target.text] = statement
            elif (deleted := deleted_target(statement)) is not None:
                deleting[deleted] = statement
        self.deleting.update(deleting)
        return deleting

    def _merge_into(self, parent: Sequence[Statement]) -> tuple[list[Statement], set[str]]:
        body, deleted = [], set()
        for statement in parent:
            target = assigned_target(statement)
            if target is not None and target.text in self.deleting:
                deleted.add(target.text)
            elif target is not None and not target.annotated and target.text in self.replacing:
                body.append(self.replacing[target.text])
            else:
                body.append(statement)
        return body, deleted
