"""Syntax trees of Python's `ast`."""

import ast
import warnings

import pytest

from modular.source.python_trees import dotted_name, parse


def test_indented_statements_are_the_body_of_an_if() -> None:
    match parse("    x = 1\n    y = 2\n").body:
        case [ast.If(body=[ast.Assign(), ast.Assign()])]:
            return
    pytest.fail("the statements are not in an `if`")


@pytest.mark.parametrize("text", ["x = = y\n", "x = '\0'\n", f"x = {'-' * 100_000}1\n"])
def test_code_that_python_cannot_parse_has_an_empty_tree(text: str) -> None:
    assert parse(text).body == []


def test_an_invalid_escape_causes_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(parse("x = '\\d'\n").body) == 1


@pytest.mark.parametrize(
    ("text", "name"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", ""), ("a[0]", "")]
)
def test_a_dotted_name_has_no_calls_or_items(text: str, name: str) -> None:
    assert dotted_name(ast.parse(text, mode="eval").body) == name
