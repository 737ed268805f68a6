"""Strings, names and values of parsed code."""

import ast

import pytest

from modular.semantics.occurrences import (
    find_bound_values,
    find_docstrings,
    find_strings_outside_functions,
    names_in_annotation,
)


def bound_values(text: str) -> list[str]:
    """The names that a module binds, each with the code that it is bound to."""
    found = []
    for bound in find_bound_values(ast.parse(text)):
        owner = f"{bound.owner}." if bound.owner else ""
        value = "" if bound.value is None else ast.unparse(bound.value)
        annotation = "" if bound.annotation is None else ast.unparse(bound.annotation)
        found.append(f"{owner}{bound.name}:{annotation}={value}")
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x = f()", ["x:=f()"]),
        ("x: A", ["x:A="]),
        ("self.x: A = f()", ["self.x:A=f()"]),
        ("for x in y: pass", ["x:="]),
        ("x = y = 1", ["x:=", "y:="]),
        ("x += 1", ["x:="]),
        ("a.b.x = 1", []),
        ("def f(): x = 1", []),
    ],
)
def test_bound_names_have_what_is_assigned_to_them_alone(
    text: str, values: list[str]
) -> None:
    assert bound_values(text) == values


def test_the_values_of_a_function_are_those_of_its_nested_functions_too() -> None:
    (function,) = ast.parse("def f():\n    def g(): self.x = 1").body
    (bound,) = find_bound_values(function)
    assert (bound.owner, bound.name, bound.is_variable) == ("self", "x", False)


def test_names_in_annotations_include_attributes_and_strings() -> None:
    annotation = ast.parse("Optional[m.A, 'B']", mode="eval").body
    assert names_in_annotation(annotation) == {"Optional", "m", "A", "B"}


def test_strings_in_functions_are_left_out_but_docstrings_are_found() -> None:
    tree = ast.parse(
        "'m'\nclass A:\n    'a'\n    x = 's'\n    def f(): 'f'; return 't'"
    )
    strings = [node.value for node in find_strings_outside_functions(tree)]
    assert strings == ["m", "a", "s"]
    docstrings = [ast.literal_eval(node) for node in find_docstrings(tree)]
    assert docstrings == ["m", "a", "f"]
