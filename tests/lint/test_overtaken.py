"""Tests of the search for the statements that an assignment overtakes."""

import random

import pytest

from modular.flatten.transformers_policy import TransformersPolicy
from modular.lint.overtaken import StatementGroup
from modular.source.blocks import split
from modular.source.definition_view import DefinitionView, view_definition
from modular.source.source_slice import SourceSlice


def view(name: str, base: str, lines: list[str]) -> DefinitionView:
    body = "".join(f"        {line}\n" for line in lines)
    text = f"class {name}({base}):\n    def f(self):\n{body}"
    (statement,) = split(SourceSlice(text, text, f"{name}.py", 1)).statements
    return view_definition(statement)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_overtaken_statement_is_found_in_groups_of_any_size(
    seed: int,
) -> None:
    """Of 20 attributes that the parent sets, the child sets 14 in another order."""
    generator = random.Random(seed)
    attributes = [f"self.a{number}" for number in range(20)]
    reassigned = generator.sample(attributes, 14)
    parent = view("Parent", "Base", [f"{name} = 0" for name in attributes])
    child_lines = ["super().f()", *(f"{name} = 1" for name in reassigned)]
    child = view("Child", "Parent", child_lines)
    merge = TransformersPolicy(parent, child, "Parent").plan().merges["f"]

    def order_in_python(position: int) -> int:
        name = attributes[position]
        return reassigned.index(name) if name in reassigned else -1

    for assignment in merge.statements_below_call:
        name = assignment.bare_code.text.split()[0]
        start = attributes.index(name) + 1
        for size in range(21):
            positions = sorted(generator.sample(range(20), size))
            overtaken = [
                position
                for position in positions
                if position >= start
                and order_in_python(position) < reassigned.index(name)
            ]
            group = StatementGroup(merge, positions)
            expected = overtaken[0] if overtaken else None
            assert group.first_overtaken(assignment) == expected
