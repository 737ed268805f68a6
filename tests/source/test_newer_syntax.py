"""Code that is newer than the running Python."""

import ast

import pytest

from modular.source.python_trees import parse


@pytest.mark.parametrize(
    "text",
    [
        'x = f"{a["b"]}"\ny = 1\n',
        'x = f"""\n{a["b"]}\n{"""\nc\n"""}\n"""\ny = 1\n',
        'x = (\n    "a"\n    f"{b["c"]}"\n)\ny = 1\n',
    ],
)
def test_statements_stay_on_their_lines(text: str) -> None:
    last = parse(text).body[-1]
    assert isinstance(last, ast.Assign)
    assert last.lineno == text.count("\n")


def test_indented_statements_are_the_body_of_an_if() -> None:
    match parse('    x = f"{a["b"]}"\n    y = 2\n').body:
        case [ast.If(body=[ast.Assign(), ast.Assign()])]:
            return
    pytest.fail("the statements are not in an `if`")


@pytest.mark.parametrize(
    "text",
    ["", "x = = y\n", "-" * 3_000 + "1", "1" + "+1" * 3_000 + " = = 1"],
    ids=["empty", "wrong", "deep", "deep and wrong"],
)
def test_code_that_nothing_can_parse_has_an_empty_tree(text: str) -> None:
    assert parse(text).body == []
