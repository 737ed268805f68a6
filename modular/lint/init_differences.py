"""Finds lines whose order in a merged `__init__` differs from Python.

The rules of transformers move `super().__init__()` up and `self.post_init()` down.
"""

from collections.abc import Iterator

from modular.lint.inheritance import Difference, Harm
from modular.lint.instance_model import InstanceModel
from modular.rules.classes.merge_record import MethodMerge
from modular.semantics.instances import uses_of_instance
from modular.semantics.statements import facts_of
from modular.source.places import place_of
from modular.source.source_slice import has_word


def compare_init_order(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield lines whose order with `super().__init__` or `self.post_init` changes.

    Args:
        instances: What code runs on an instance.
        merge: A method in which the parent's body replaces a call to `super()`.
    """
    yield from _compare_super_init(instances, merge)
    yield from _compare_post_init(instances, merge)


def _compare_super_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield statements above the call that run after the call to a base's `__init__`."""
    generated = [step for step in merge.steps if step.fate.is_generated]
    above = list(merge.statements_above_call)
    if not above or not generated or generated[0].statement in above:
        return
    moved = generated[0].statement
    if not merge.is_of_parent(moved) or not merge.override.parameters:
        return
    read = facts_of(moved).variables_read_at_once
    inherited = _find_inherited_uses(instances)
    parameters = merge.override.parameter_names
    for statement in above:
        facts = facts_of(statement)
        for name in sorted(facts.variables & read):
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__` is moved above this line, and reads `{name}`; in Python "
                "it runs below",
                "write the value into the call",
                Harm.OTHER_RESULT if name in parameters else Harm.CALL_FAILS,
                related=place_of(moved.bare_code),
            )
        uses = uses_of_instance(facts, merge.override.parameters[0])
        for name in sorted(uses.set & inherited):
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`super().__init__`, which also uses `self.{name}`, is moved above this "
                "line; in Python it runs below",
                "write out the code of the parent's method",
                related=place_of(moved.bare_code),
            )


def _find_inherited_uses(instances: InstanceModel) -> set[str]:
    """Return the attributes that the `__init__` of a base uses, also by other methods."""
    uses = instances.inherited_uses_of("__init__")
    attributes = {*uses.set, *uses.read}
    for name in uses.run:
        effects = instances.effects_of(name)
        attributes |= effects.set | effects.read
    return attributes


def _compare_post_init(
    instances: InstanceModel, merge: MethodMerge
) -> Iterator[Difference]:
    """Yield statements below `self.post_init()` that run above it in the generated method."""
    if merge.returns_call or not merge.override.parameters:
        return
    parent = merge.parent_statements
    calls = [item for item in parent if has_word(item.code.mask, "post_init")]
    if not calls:
        return
    post_init = instances.uses_of("post_init")
    later = [*parent[parent.index(calls[0]) + 1 :], *merge.statements_below_call]
    for statement in later:
        uses = uses_of_instance(facts_of(statement), merge.override.parameters[0])
        used = (uses.set | uses.read) & post_init.only_set
        # `self.names = set(self.names)` accepts what is set above or below.
        used |= uses.set & (post_init.read - post_init.set)
        shared = sorted(used)
        for name in shared[:1]:
            yield Difference(
                "__init__",
                place_of(statement.bare_code),
                f"`self.post_init()`, which uses `self.{name}`, is moved below this line; in "
                "Python it runs above",
                "write out the code of the parent's method",
                related=place_of(calls[0].bare_code),
            )
        if shared:
            return
