"""Which lines are new, and where those that are gone stood."""

from modular.review.differences import Difference, difference


def test_the_same_text_has_none() -> None:
    assert difference("a\nb\n", "a\nb\n") == Difference()
    assert not difference("a\n", "a\n")


def test_a_line_in_the_place_of_another() -> None:
    assert difference("a\nb\nc\n", "a\nB\nc\n") == Difference(frozenset({2}), {2: (2, 2)})


def test_lines_that_are_added() -> None:
    assert difference("a\nd\n", "a\nb\nc\nd\n") == Difference(frozenset({2, 3}), {})


def test_lines_that_are_gone_stood_before_a_line() -> None:
    found = difference("a\nb\nc\nd\n", "a\nd\n")
    assert found == Difference(frozenset(), {2: (2, 3)})
    assert found.gone_lines == 2


def test_the_last_line_is_gone() -> None:
    assert difference("a\nb\n", "a\n") == Difference(frozenset(), {2: (2, 2)})


def test_a_new_file_is_new_all_through() -> None:
    assert difference("", "a\nb\n") == Difference(frozenset({1, 2}), {})
