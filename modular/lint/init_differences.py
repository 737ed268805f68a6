"""Finds lines whose order or result in a merged `__init__` differs from Python.

The rules of transformers move `super().__init__()` up and `self.post_init()` down, and
copy the parent's `return`.
"""

from collections.abc import Iterator

from modular.lint.inheritance import Difference, Harm
from modular.lint.instance_model import InstanceModel
from modular.rules.classes.init_order import POST_INIT
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.instances import uses_of_instance
from modular.semantics.statements import facts_of, returns_in
from modular.source.blocks import Statement
from modular.source.places import place_of
from modular.source.source_slice import has_word


def compare_init_order(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield lines of `__init__` that run in another order than in Python, or return a value.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    yield from _compare_super_init(instances, merge)
    yield from _compare_post_init(instances, merge)
    yield from _compare_returned_value(merge)


def _compare_super_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield the child's statements above which `super().__init__()` is moved.

    The child has `size = 8` above its call to `super().__init__()`. The generated
    method begins with the call of the parent's `__init__`, which the parent's body
    contains. It matters if the call reads what the statement sets.
    """
    if not merge.statements_above_call or not merge.override.parameters:
        return
    # Only the call can be moved above the child's statements, to the first line.
    moved_call = merge.all_generated_statements[0]
    if not merge.is_of_parent(moved_call):
        return
    read_by_call = facts_of(moved_call).variables_read_at_once
    used_by_bases = _find_inherited_uses(instances)
    for statement in merge.statements_above_call:
        facts = facts_of(statement)
        # The arguments of the call read a variable.
        for name in sorted(facts.variables & read_by_call):
            # Without the statement, a parameter has a value, too.
            is_parameter = name in merge.override.parameter_names
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__` is moved above this line, and reads `{name}`; in Python "
                "it runs below",
                "write the value into the call",
                Harm.OTHER_RESULT if is_parameter else Harm.CALL_FAILS,
                related=place_of(moved_call.bare_code),
            )
        # The `__init__` of a base uses an attribute.
        uses = uses_of_instance(facts, merge.override.parameters[0])
        for name in sorted(uses.set & used_by_bases):
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__`, which also uses `self.{name}`, is moved above this "
                "line; in Python it runs below",
                "write out the code of the parent's method",
                related=place_of(moved_call.bare_code),
            )


def _find_inherited_uses(instances: InstanceModel) -> set[str]:
    """Return the attributes that a base's `__init__` uses, itself or by methods."""
    uses = instances.inherited_uses_of("__init__")
    attributes = {*uses.set, *uses.read}
    for name in uses.run:
        effects = instances.effects_of(name)
        attributes |= effects.set | effects.read
    return attributes


def _compare_post_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield the first statement that runs below `self.post_init()` only in Python.

    The generated method calls `post_init` at its end. It matters if the statement uses
    an attribute that `post_init` uses, too.
    """
    if not merge.override.parameters:
        return
    call = None
    # The statements that Python runs after the parent's call to `self.post_init()`.
    statements_below: list[Statement] = []
    for statement in merge.parent_statements:
        if call is not None:
            statements_below.append(statement)
        elif has_word(statement.code.masked_text, POST_INIT):
            call = statement
    if call is None:
        return
    statements_below += merge.statements_below_call
    post_init = instances.uses_of(POST_INIT)
    # `post_init` may both read and set an attribute: `self.names = set(self.names)`
    # accepts a value that is set above it or below.
    only_read = post_init.read - post_init.set
    for statement in statements_below:
        if facts_of(statement).flow.returns:
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                "`self.post_init()` is moved below this line, which may return; in Python "
                "it runs above",
                "write the rest of the method without `return`",
                related=place_of(call.bare_code),
            )
            return
        uses = uses_of_instance(facts_of(statement), merge.override.parameters[0])
        conflicts = (uses.set | uses.read) & post_init.only_set
        conflicts |= uses.set & only_read
        if not conflicts:
            continue
        yield Difference(
            "__init__",
            place_of(statement.bare_code),
            f"`self.post_init()`, which uses `self.{min(conflicts)}`, is moved below this "
            "line; in Python it runs above",
            "write out the code of the parent's method",
            related=place_of(call.bare_code),
        )
        return


def _compare_returned_value(merge: MethodMerge) -> Iterator[Difference]:
    """Yield the first statement of the parent by which the merged `__init__` returns a value.

    When Python creates an object, it refuses an `__init__` that returns a value. A
    child's `__init__` that calls the parent's may drop the value.
    """
    if merge.override.name != "__init__" or merge.returns_call:
        return
    for statement in merge.kept_parent_statements:
        for return_ in returns_in(statement):
            # The `__init__` of a base returns None.
            if return_.is_none or return_.is_super_call:
                continue
            yield Difference(
                "__init__",
                place_of(merge.super_call.bare_code),
                "the generated `__init__` returns a value like the parent's, which Python "
                "refuses; in Python the value is dropped",
                "write out the code of the parent's method, without the value",
                Harm.CALL_FAILS,
                related=place_of(statement.bare_code),
            )
            return
