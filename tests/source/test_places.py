"""From code to the places that diagnostics name."""

import pytest

from modular.source.diagnostics import Place
from modular.source.places import place_of, place_of_word, place_on_disk
from modular.source.source_slice import synthetic


def test_the_place_of_code_is_its_first_line_that_is_not_blank() -> None:
    code = synthetic("\n  \n    x = 1  \ny = 2\n", "file.py", 5)
    assert place_of(code) == Place("file.py", 7, 5, 5, "    x = 1  ")


def test_the_place_of_a_word_that_is_missing_is_the_first_line() -> None:
    code = synthetic("x = word\n", "file.py", 5)
    assert place_of_word(code, "word") == Place("file.py", 5, 5, 4, "x = word")
    assert place_of_word(code, "wor") == Place("file.py", 5, 1, 8, "x = word")


@pytest.mark.parametrize(
    ("column", "expected"), [(1, 1), (9, 8), (13, 15), (25, 22), (40, 22)]
)
def test_of_several_the_nearest_word_is_marked(column: int, expected: int) -> None:
    """The column is that in code which is renamed, whose names have other lengths."""
    line = "name + name + name + name"
    renamed = " " * (column - 1) + "name + Longer"
    place = place_on_disk(Place("file.py", 1, column, 4, renamed), [line])
    assert (place.column, place.width, place.text) == (expected, 4, line)


def test_a_word_that_the_file_does_not_have_marks_the_line() -> None:
    place = place_on_disk(Place("file.py", 1, 3, 3, "  new"), ["    old  "])
    assert place == Place("file.py", 1, 5, 3, "    old  ")
