"""From lines of a formatted text to lines of the unformatted one."""

import pytest

from modular.provenance.alignment import align
from tests.support import source


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a = 1\nb = 2\n", "a = 1\nb = 2\n", [0, 1]),
        ("a=1\nb  =  2\n", "a = 1\nb = 2\n", [0, 1]),
        ("a = 1\n\n\n\nb = 2\n", "a = 1\nb = 2\n", [0, 4]),
        ("f(a, b)\n", "f(\n    a,\n    b,\n)\n", [0, 0, 0, 0]),
        ("f(\n    aa, bb\n)\ng()\n", "f(aa, bb)\ng()\n", [1, 3]),
        ("x = 'a'\n", 'x = "a"\n', [0]),
        ("x = a + \\\n    b\n", "x = a + b\n", [0]),
        ("if (a and\n    b):\n    c\n", "if a and b:\n    c\n", [0, 2]),
        ("x = Optional[int]\ny = f(x)\n", "x = int | None\ny = f(x)\n", [0, 1]),
        ("a\nb\nc\nd\n", "a\nd\n", [0, 3]),
        ("a\nd\n", "a\nnew\nd\n", [0, None, 1]),
        ("same\n" * 3, "same\n" * 3, [0, 1, 2]),
        ("", "a\n", [None]),
        ("a\n", "", []),
    ],
    ids=[
        "the same",
        "blanks",
        "blank lines gone",
        "split",
        "joined: most of it",
        "quotes",
        "backslash",
        "brackets gone: the first of two as good",
        "other words",
        "lines gone",
        "a line more",
        "repeated",
        "nothing before",
        "nothing after",
    ],
)
def test_lines(old: str, new: str, lines: list[int | None]) -> None:
    assert align(old.splitlines(), new.splitlines()) == lines


def test_blank_lines_come_from_those_above_what_follows_or_below_what_stands_before() -> (
    None
):
    old = "a\n\n\nb\nc\n\n"
    new = "a\n\nb\n\nc\n\n"
    assert align(old.splitlines(), new.splitlines()) == [0, 2, 3, None, 4, 5]


def test_much_that_is_gone_is_skipped() -> None:
    """However many lines that are."""
    gone = "".join(
        f"gone_{number} = {number} + a_{number} * b_{number}\n" for number in range(300)
    )
    old = f"first(1, 2)\n{gone}last(3, 4, 5)\n"
    assert align(old.splitlines(), ["first(1, 2)", "last(3, 4, 5)"]) == [0, 301]


def test_the_words_of_a_docstring() -> None:
    old = source('''
        def f():
          """Say
             one thing.
          """
        ''')
    new = source('''
        def f():
            """Say
            one thing.
            """
        ''')
    assert align(old.splitlines(), new.splitlines()) == [0, 1, 2, 3]
