"""Finds where a merged method is not what Python's inheritance makes.

This is about the rules of transformers, by which the parent's body takes the place of a
call to `super()`, whatever that changes.
"""

from collections.abc import Iterable, Iterator

from modular.lint.deletion_differences import compare_deletions
from modular.lint.flow_differences import compare_flow
from modular.lint.header_differences import compare_headers
from modular.lint.inheritance import Difference, Inheritance
from modular.lint.init_differences import compare_init_order
from modular.lint.instance_model import InstanceModel
from modular.lint.move_differences import compare_moves
from modular.lint.repetition_differences import compare_repetitions
from modular.lint.super_differences import (
    compare_lost_calls,
    compare_named_class,
    compare_super,
)
from modular.lint.variable_differences import compare_variables


def compare_methods(inheritance: Inheritance) -> Iterator[Iterable[Difference]]:
    """Find where the methods of a generated class behave differently from those in Python.

    Args:
        inheritance: The class of the modular file and its parent class.

    Yields:
        The differences that each comparison finds, most often none. A comparison is
        made when the caller iterates over them.
    """
    for key, override in inheritance.merged_class.overriding.items():
        parent_method = inheritance.merged_class.inherited.get(key)
        if (
            parent_method is not None
            and override.name not in inheritance.merged_class.removed
        ):
            yield compare_headers(inheritance, key, override, parent_method)
    for function in inheritance.child.functions:
        yield compare_super(inheritance, function)

    instances = InstanceModel(inheritance)
    for merge in inheritance.merged_class.merges.values():
        yield compare_named_class(inheritance, merge)
        yield compare_lost_calls(inheritance, merge)
        yield compare_flow(inheritance.merged_class, merge)
        yield compare_variables(inheritance, merge)
        yield compare_repetitions(instances, merge)
        yield from compare_moves(instances, merge)
        yield compare_deletions(instances, merge)
        yield compare_init_order(instances, merge)
