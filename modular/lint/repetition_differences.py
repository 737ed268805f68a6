"""Finds differences because a statement is in both bodies of a merged method.

The generated method has only one of them.
"""

from collections.abc import Iterator, Sequence

import libcst as cst

from modular.lint.inheritance import Difference
from modular.lint.instance_model import InstanceModel
from modular.lint.merged_bodies import assignments_by_target, is_used
from modular.rules.classes.merge_record import Fate, MethodMerge
from modular.semantics.facts import Usage, When
from modular.semantics.statements import facts_of, names_bound_by, names_read_by
from modular.source import fixes
from modular.source.assignments import assigned_target
from modular.source.blocks import Statement
from modular.source.places import place_of
from modular.source.trees import node_text, normalized_text, statement_tree


def compare_repetitions(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield statements that run twice in Python, but once in the generated method.

    The fix writes `self.n += 1` as `self.n = self.n + 1`, which is not left out.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    # Below `return super().f()`, Python runs nothing.
    if merge.returns_call:
        return
    # In Python, the parent's `kwargs.pop("size")` only changes a copy.
    harmless_calls = set()
    for parameter in merge.override.parameters:
        if parameter.startswith("**"):
            harmless_calls.add(f"{parameter[2:]}.pop")
    for statement, equal_statement in _find_repetitions(merge):
        ordered_calls = instances.find_ordered_calls(facts_of(statement))
        has_ordered_call = not ordered_calls <= harmless_calls
        if not has_ordered_call and not _changes_each_time(statement):
            continue
        code = statement.bare_code
        text = code.text.strip()
        form = _find_other_form(statement, merge.parent_statements)
        autofixes = []
        # A statement on several lines, or with a comment, would lose these by the fix.
        if form and "\n" not in text and "#" not in text:
            autofixes.append(fixes.replace(place_of(code), form))
        yield Difference(
            merge.override.name,
            place_of(code),
            "the parent's code, which replaces the call, already contains this statement, "
            "so it runs once; in Python it runs twice",
            f"write `{form}`" if form else "write it in another form",
            related=place_of(equal_statement.bare_code),
            fixes=tuple(autofixes),
        )


def _find_repetitions(merge: MethodMerge) -> Iterator[tuple[Statement, Statement]]:
    """Yield statements of the child that are also in the parent's body.

    Only one of the two is in the generated method.

    Yields:
        The child's statement below the call, and the equal statement of the parent.
    """
    for step in merge.steps:
        if step.cause is None:
            continue
        if step.fate is Fate.REPEATED:
            # The child's statement is left out. That is right for `self.post_init()`,
            # which should run only once.
            if "post_init" not in step.statement.words:
                yield step.statement, step.cause
        elif step.cause in merge.indexes_below_call:
            # The parent's statement is left out, and the child's takes its place.
            if step.statement.bare_code.has_same_code(step.cause.bare_code):
                yield step.cause, step.statement


def _changes_each_time(statement: Statement) -> bool:
    """Whether running a statement twice may differ from running it once.

    `self.count += 1`, `x = x + 1` and `self.add(1)` may, `self.x = 1` may not.
    """
    # `x = y + 1` gives the same value each time, `x = x + 1` does not.
    if assigned_target(statement) is not None:
        read = names_read_by(statement)
        return any(is_used(target, read) for target in names_bound_by(statement))

    facts = facts_of(statement)
    read_items = set()
    for mention in facts.mentions:
        # `count += 1`
        if mention.usage is Usage.AUGMENTED and mention.when is When.NOW:
            return True
        if mention.usage is Usage.SUBSCRIPTED:
            read_items.add(mention.dotted_name)
    # `x[0] += 1` reads and changes an item.
    if not facts.changed_names.isdisjoint(read_items):
        return True
    for call in facts.calls:
        if call.result is not Usage.IGNORED or call.when is not When.NOW:
            continue
        # `with open(path) as file: file.read()` calls a method of another object each time,
        # because the statement itself binds `file`.
        owner = call.function.rpartition(".")[0]
        if owner not in facts.changed_names:
            return True
    return False


def _find_other_form(
    statement: Statement, parent_statements: Sequence[Statement]
) -> str:
    """Return one line of code that does the same as a statement, but looks different.

    modular drops `self.n += 1` if the parent's body contains this statement, but keeps
    `self.n = self.n + 1`. For `self.add(1)`, the other form is `_ = self.add(1)`.

    Args:
        statement: A statement below a call to `super()`.
        parent_statements: The parent's body, which replaces the call.

    Returns:
        The line; empty if there is none.
    """
    match statement_tree(statement).node:
        case cst.SimpleStatementLine(
            body=[cst.AugAssign(target=target, operator=operator, value=value)]
        ):
            # If the parent sets `self.n = 0`, there is no other form: modular would write
            # `self.n = self.n + 1` in place of that assignment.
            if normalized_text(target) in assignments_by_target(parent_statements):
                return ""
            # A backslash may follow, for a value on the next line.
            sign = node_text(operator).partition("=")[0]
            text = node_text(value)
            if not isinstance(value, cst.Name | cst.Integer | cst.Attribute | cst.Call):
                text = f"({text})"
            form = f"{node_text(target)} = {node_text(target)} {sign} {text}"
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call() as call)]):
            form = f"_ = {node_text(call)}"
        case _:
            return ""
    return "" if "\n" in form else form
