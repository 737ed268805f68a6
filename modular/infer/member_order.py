"""Compares the order of the members of two classes."""

from collections import Counter
from collections.abc import Collection

from modular.infer.modular_edits import class_members
from modular.semantics.classes import FIELDS, ClassModel, mentions_in_class, model_class
from modular.semantics.facts import When
from modular.source.blocks import Statement
from modular.source.definition_view import view_definition


def has_other_order(class_: Statement, other: Statement) -> bool:
    """Return whether two classes have the same statements in different orders."""
    codes = _codes(class_)
    other_codes = _codes(other)
    return codes != other_codes and Counter(codes) == Counter(other_codes)


def has_added_members_elsewhere(
    class_: Statement, other: Statement, old_keys: Collection[str]
) -> bool:
    """Return whether two classes differ only in the places of added members.

    For example, `reset` was added to both, in one above `forward`, and in the other
    below. The result is false if the place of such a member may matter to Python.

    Args:
        class_: A class that is no enum: the order of the values of an enum has a meaning.
        other: The same class with its members in another order.
        old_keys: The keys of the members that were not added.
    """
    if not has_other_order(class_, other):
        return False
    keys = list(class_members(view_definition(class_)))
    other_keys = list(class_members(view_definition(other)))
    old_members = [key for key in keys if key in old_keys]
    old_members_of_other = [key for key in other_keys if key in old_keys]
    if old_members != old_members_of_other:
        return False
    model = model_class(class_)
    # The setter of `x` has the key `x.setter`.
    added_names = {key.partition(".")[0] for key in keys if key not in old_keys}
    return not any(_is_place_needed(model, name) for name in added_names)


def _codes(class_: Statement) -> list[str]:
    """Return the code of each statement in the body of a class."""
    statements = view_definition(class_).body.statements
    return [statement.code.text.strip("\n") for statement in statements]


def _is_place_needed(model: ClassModel, name: str) -> bool:
    """Return whether the place of a member of a class may matter to Python.

    The order of the fields of a dataclass has a meaning. Any other member must be above
    the code that needs it while the class is built: `a = 1` above `b = a + 1`.
    """
    member = model.members.get(name)
    if member is None or member.kind in FIELDS:
        return True
    for statement, mention in mentions_in_class(model):
        if mention.name != name:
            continue
        is_own_definition = member.statements == (statement,)
        runs_while_class_is_built = mention.when in (When.NOW, When.ITERATED)
        if runs_while_class_is_built and not is_own_definition:
            return True
    return False
