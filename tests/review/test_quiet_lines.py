"""Changed lines in which only whitespace and comments differ."""

import pytest

from modular.review.quiet_lines import QuietLines
from modular.source.diffs import compare


def quiet(old: str, new: str) -> tuple[set[int], set[int]]:
    lines = QuietLines(compare(old, new))
    return lines.removed, lines.added


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1\n", "x  =  1\n"),
        ("x = 1\n", "x = 1  # one\n"),
        ("x = 1  # one\n", "x = 1  # two\n"),
        ("if a:\n    b\n", "if a:\n        b\n"),
    ],
)
def test_whitespace_and_comments_are_quiet(old: str, new: str) -> None:
    line = old.count("\n")
    assert quiet(old, new) == ({line}, {line})


def test_blank_lines_and_lines_of_comments_are_quiet() -> None:
    assert quiet("x = 1\n", "# one\n\nx = 1\n") == (set(), {1, 2})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1\n", "x = 2\n"),
        ('x = "# a"\n', 'x = "# b"\n'),
        ('x = "a b"\n', 'x = "a  b"\n'),
        ('"""\n# a\n"""\n', '"""\n# b\n"""\n'),
    ],
)
def test_code_and_strings_are_not_quiet(old: str, new: str) -> None:
    assert quiet(old, new) == (set(), set())


def test_only_the_lines_of_a_hunk_that_differ_are_not_quiet() -> None:
    old = "a = 1\nb = 2\n"
    new = "a = 1  # one\nb = 3\n"
    assert quiet(old, new) == ({1}, {1})


def test_a_file_that_is_not_python_is_no_error() -> None:
    assert quiet('x = "\n(', 'y = "\n(') == (set(), set())
