"""Explains why an edited part of a generated file is left, and not lifted."""

from pathlib import PurePosixPath

from modular.infer.edited_parts import (
    EditedPart,
    PartId,
    PartKind,
    first_order_difference,
)
from modular.infer.lift_edits import LiftEdits
from modular.infer.lift_proof import LiftGoal, LiftState
from modular.source.diagnostics import Problem


_MAX_REPORTED_NAMES = 3

_MEMBER_ORDER = (
    "a new member is generated below the inherited ones: move it there in the "
    "generated file"
)

_OTHER_MEMBER_ORDER = (
    "the edit cannot be made without changing the order of the members of the class, or blank "
    "lines between them"
)

OTHER_CODE_DIFFERS = (
    "with code that generates it, other lines differ, which nothing generates"
)


def explain_unlifted_part(part: EditedPart, state: LiftState, error: str) -> str:
    """Return the reason that is reported for an edit that no modular file generates.

    Args:
        part: The edited part of a generated file.
        state: The modular file with all edits that were lifted.
        error: The error of an attempt to generate the part; may be empty.
    """
    kind = part.id.kind
    if kind is PartKind.IMPORTS:
        return "a generated file imports exactly the names that its code uses"
    if kind is PartKind.OTHER:
        return (
            "comments, order and statements outside of definitions follow from the "
            "modular file and its parents"
        )
    if LiftEdits(state).is_kept_copy(part):
        return "it is a copy of the parent's code: edit it with `--to-parent`"
    if kind is PartKind.HEADER and _differs_in_comments(part):
        return "comments above a class are inherited from its parent"
    is_new_member = part.generated is None and bool(part.id.member)
    if is_new_member:
        return _MEMBER_ORDER
    reason = ""
    if kind is PartKind.DEFINITION:
        reason = _explain_definition(part, state)
    return reason or error or "no override that was tried generates this code"


def _explain_definition(part: EditedPart, state: LiftState) -> str:
    """Return why an edit of a class, function or assignment is left; empty if unknown."""
    name = part.id.definition
    is_deleted = part.edited is None
    if is_deleted:
        return f"inherited code still uses `{name}`"
    if LiftEdits(state).is_reordered(part):
        return "the members of a class have the order of the parent class"
    if state.goal.is_never_generated(part.id):
        return (
            f"no code uses `{name}` any more, so it is not generated: delete it in "
            "the generated file"
        )
    is_new = part.generated is None
    if is_new:
        return f"it is generated only with code that uses `{name}`"
    return ""


def _differs_in_comments(part: EditedPart) -> bool:
    """Return whether only comments of a part were edited."""
    if part.generated is None or part.edited is None:
        return False
    # A masked text is code in which comments are blank.
    return part.generated.masked_text.split() == part.edited.masked_text.split()


def explain_other_copy(goal: LiftGoal, part: EditedPart) -> str:
    """Return why an edited definition cannot differ from its copy in another file.

    One class of the modular file can be generated into two files, for example into
    `image_processing_olmo.py` and `image_processing_pil_olmo.py`. So an edit of only one
    of them cannot be lifted. The result is empty if all copies have the same edit.

    Args:
        goal: The edited files.
        part: The edited part of a class, function or other definition.
    """
    name = part.id.definition
    edited = goal.file(part.id.path).definitions.get(name)
    if edited is None:
        return ""
    for file in goal.flat.files:
        copy = file.definitions.get(name, edited)
        if copy.bare_code.text != edited.bare_code.text:
            file_name = PurePosixPath(file.path).name
            return (
                f"`{name}` is generated in {file_name}, too: make the same edit there"
            )
    return ""


def explain_kept_parent(state: LiftState, before: LiftState) -> str:
    """Return why a class can no longer be merged with its parent because of an edit.

    The result is empty if each class that was merged still is.

    Args:
        state: What is generated with the edit.
        before: What is generated without it.
    """
    old_messages = {problem.message for problem in before.conversion.diagnostics}
    for problem in state.conversion.diagnostics:
        is_new = problem.message not in old_messages
        if problem.code is Problem.KEPT_PARENT and is_new:
            return f"the edit would cause an error: {problem.message}"
    return ""


def explain_rejection(part: EditedPart, state: LiftState, before: LiftState) -> str:
    """Return why an edit of the modular file was rejected although it generates a part.

    The reason names the other code that the edit would change.

    Args:
        part: The part.
        state: What is generated with the edit.
        before: What is generated without it.
    """
    kept_parent = explain_kept_parent(state, before)
    if kept_parent:
        return kept_parent
    broken_parts = state.parts_broken_since(before)
    class_id = PartId(part.id.path, PartKind.DEFINITION, part.id.definition)
    if part.id.member and broken_parts == {class_id}:
        # The whole class is broken only if its members have another order.
        is_new_member = part.generated is None
        return _MEMBER_ORDER if is_new_member else _OTHER_MEMBER_ORDER
    if all(broken.kind is PartKind.OTHER for broken in broken_parts):
        return _explain_order(state) or (
            "the edit cannot be made without changing other code outside of definitions"
        )

    titles = set()
    for broken in broken_parts:
        title = f"`{broken.title}`"
        if broken.path != part.id.path:
            title += f" in {PurePosixPath(broken.path).name}"
        titles.add(title)
    listed = ", ".join(sorted(titles)[:_MAX_REPORTED_NAMES])
    return f"the edit cannot be made without also changing {listed}"


def _explain_order(state: LiftState) -> str:
    """Return which definition is generated too early with an edit, or "" for none."""
    for file in state.goal.flat.files:
        generated = state.generated.get(file.path)
        if generated is None:
            continue
        difference = first_order_difference(generated, file)
        if difference is not None:
            return (
                f"`{difference.generated_name}` is generated above "
                f"`{difference.edited_name}`: move it there in the generated file"
            )
    return ""
