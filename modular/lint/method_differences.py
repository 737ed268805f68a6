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


def compare_methods(pair: Inheritance) -> Iterator[Iterable[Difference]]:
    """Find where the methods of a generated class behave differently from those in Python.

    Args:
        pair: The class of the modular file and its parent class.

    Yields:
        The differences that each comparison finds, most often none. A comparison is
        made when the caller iterates over them.
    """
    for key, override in pair.flat.overriding.items():
        parent_method = pair.flat.inherited.get(key)
        if parent_method is not None and override.name not in pair.flat.removed:
            yield compare_headers(pair, key, override, parent_method)
    for function in pair.child.functions:
        yield compare_super(pair, function)

    instances = InstanceModel(pair)
    for merge in pair.flat.merges.values():
        yield compare_named_class(pair, merge)
        yield compare_lost_calls(pair, merge)
        yield compare_flow(pair.flat, merge)
        yield compare_variables(pair, merge)
        yield compare_repetitions(instances, merge)
        yield from compare_moves(instances, merge)
        yield compare_deletions(instances, merge)
        yield compare_init_order(instances, merge)
