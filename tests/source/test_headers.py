"""The branches of an `if` or a `try`."""

import pytest

from modular.source.blocks import split
from modular.source.headers import branches_of
from modular.source.source_slice import synthetic


def taken_apart(text: str) -> list[tuple[str, list[str]]]:
    """The head of each branch, and its statements."""
    statement = split(synthetic(text, "file.py", 1)).statements[0]
    return [
        (branch.header.text, [inner.code.text for inner in branch.body.statements])
        for branch in branches_of(statement)
    ]


def test_what_stands_above_belongs_to_the_first():
    assert taken_apart("# above\nif a[1:2]:  # why\n    b = 1\n") == [
        ("# above\nif a[1:2]:  # why\n", ["    b = 1\n"]),
    ]


def test_a_try_statement_is_split_into_all_its_branches():
    text = "try:\n    a = 1\nexcept A:\n    # none\n    a = 2\nelse :\n    a = 3\nfinally:\n    a = 4\n    b = 5\n"
    assert taken_apart(text) == [
        ("try:\n", ["    a = 1\n"]),
        ("except A:\n", ["    # none\n    a = 2\n"]),
        ("else :\n", ["    a = 3\n"]),
        ("finally:\n", ["    a = 4\n", "    b = 5\n"]),
    ]


def test_a_condition_of_several_lines():
    text = "if (a if b\nelse c):\n    d = 1\nelif (\n    e\n):\n    d = 2\n"
    assert [head for head, _ in taken_apart(text)] == [
        "if (a if b\nelse c):\n",
        "elif (\n    e\n):\n",
    ]


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("if a: b = 1; c = 2\nelse: b = 1; c = 2\n", ["if a:\n", "else:\n"]),
        (
            "if (a := b[1:2]) : b = 1; c = 2\nelif {1: 2}: b = 1; c = 2\n",
            ["if (a := b[1:2]) :\n", "elif {1: 2}:\n"],
        ),
        (
            "try : b = 1; c = 2\nexcept (A, B[1:2]) as e: b = 1; c = 2\nfinally: b = 1; c = 2\n",
            ["try :\n", "except (A, B[1:2]) as e:\n", "finally:\n"],
        ),
    ],
)
def test_bodies_on_the_line_of_their_branch(text, heads):
    assert taken_apart(text) == [
        (head, ["    b = 1\n", "    c = 2\n"]) for head in heads
    ]
