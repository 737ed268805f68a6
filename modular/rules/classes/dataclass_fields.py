"""Finds members with which one dataclass is not the same as two that inherit."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from modular.rules.classes.body_order import Member
from modular.source.assignments import assigned_target, assigned_value


_WRITTEN_METHODS = frozenset(
    {
        "__delattr__",
        "__eq__",
        "__ge__",
        "__getstate__",
        "__gt__",
        "__hash__",
        "__init__",
        "__le__",
        "__lt__",
        "__match_args__",
        "__replace__",
        "__repr__",
        "__setattr__",
        "__setstate__",
    }
)
"""Members that `@dataclass` writes into a class unless its own body has them."""

_KEYWORD_MARK = "KW_ONLY"


class FieldProblem(NamedTuple):
    """A member because of which two dataclasses cannot become one.

    Attributes:
        member: The member of the child or of the parent.
        reason: Why it cannot be in one class. It contains `{parent}`.
        hint: What to write instead.
    """

    member: Member
    reason: str
    hint: str


def find_field_problems(
    parent_members: Sequence[Member], child_members: Sequence[Member]
) -> Iterator[FieldProblem]:
    """Yield the members that make other fields or methods in one dataclass than in two.

    Args:
        parent_members: The members of the parent class, a dataclass.
        child_members: The members of the child class, a dataclass, too.
    """
    fields = {member.name: member for member in parent_members if is_field(member)}
    child_names = {member.name for member in child_members}
    for member in parent_members:
        if member.name in _WRITTEN_METHODS - child_names:
            yield FieldProblem(
                member,
                f"`@dataclass` writes another `{member.name}` than that of `{{parent}}`",
                f"define `{member.name}`",
            )
    for member in child_members:
        yield from _find_problem_of_child(member, fields)
    for member in (*parent_members, *child_members):
        is_block = not member.name
        if is_block or _KEYWORD_MARK in member.statement.words:
            yield FieldProblem(
                member,
                "a statement in the body would count for the fields of both classes",
                "list the fields one by one",
            )


def _find_problem_of_child(
    member: Member, fields: dict[str, Member]
) -> Iterator[FieldProblem]:
    """Yield why a child's member with the name of a parent's field cannot replace it."""
    field = fields.get(member.name)
    if field is None:
        return
    if not is_field(member):
        yield FieldProblem(
            member,
            f"`{member.name}` is a field of `{{parent}}`, and would be none",
            "write the field with its annotation, or use another name",
        )
    elif assigned_value(member.statement) is None:
        if isinstance(assigned_value(field.statement), cst.Call):
            yield FieldProblem(
                member,
                f"`{member.name}` has no value, and would get that of `{{parent}}`",
                "write the value",
            )


def is_field(member: Member) -> bool:
    """Whether a member is an annotated attribute, such as `size: int`."""
    if not member.is_attribute:
        return False
    target = assigned_target(member.statement)
    return target is not None and target.annotated
