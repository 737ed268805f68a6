"""Runs of text with their masks and their origin."""

import pytest

from modular.source.module import read
from modular.source.places import place_of, place_of_word
from modular.source.source_slice import Origin, find_word, synthetic


TEXT = 'a = 1  # one\n\nb = "a"\nc = a.b\n'


def test_a_part_of_code_knows_its_lines():
    code = synthetic(TEXT, "file.py", 10)
    assert code.cut(0, 13).origin == Origin("file.py", 10, 10)
    assert code.cut(13, 22).origin == Origin("file.py", 11, 12)
    assert code.cut(22).text == "c = a.b\n"
    assert code.cut(22).line == 13


def test_replaced_text_is_masked():
    code = synthetic(TEXT, "file.py", 1).replace([(0, 1, "x"), (18, 21, '"y#"')])
    assert code.text == 'x = 1  # one\n\nb = "y#"\nc = a.b\n'
    assert code.masked_text == 'x = 1       \n\nb = """"\nc = a.b\n'.replace(
        '""""', '"' * 4
    )
    assert len(code.masked_text) == len(code.text)


def test_words_are_identifiers_outside_strings():
    assert synthetic(TEXT + "f'{d}e'\n", "file.py", 1).words() == {
        "a",
        "b",
        "c",
        "d",
        "f",
    }


def test_numbers_are_no_words():
    assert synthetic("naïve = 1e5 + 0x1F + _x2 - 2j\n", "file.py", 1).words() == {
        "naïve",
        "_x2",
    }


def test_whole_words_are_found():
    text = "ab a.b a_ aé a\na"
    assert list(find_word(text, "a")) == [3, 13, 15]
    assert list(find_word(text, "a", 4)) == [13, 15]
    assert list(find_word(text, "a", 0, 4)) == [3]
    assert list(find_word(text, "a.b")) == [3]


def test_a_place_marks_a_word_or_a_line():
    code = read("file.py", "\n# above\nclass A(Base):\n    x = 'Base'\n").code
    place = place_of_word(code, "Base")
    assert (place.line, place.column, place.width, place.text) == (
        3,
        9,
        4,
        "class A(Base):",
    )
    place = place_of(code.cut(9))
    assert (place.line, place.column, place.text) == (3, 1, "class A(Base):")
    missing = place_of_word(code.cut(9), "Missing")
    assert (missing.line, missing.column) == (3, 1)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("    a . b ( c , d )  # why\n", "a.b(c,d)"),
        ("a = b if not c else -1\n", "a=b if not c else-1"),
        ("a = (\n    1,\n    2\n)\n", "a=(1,2)"),
        ("a = b \\\n    . c\n", "a=b.c"),
        ('a = "b  c" "d"\n', 'a="b  c""d"'),
        ("a = [\n    1,  # one\n\n    # two\n    2,\n]  # all\n", "a=[1,2,]"),
        (
            "if a :\n    # one\n    b = 1\n\n    c = 2\n    # two\n",
            "if a:\n    b=1\n    c=2",
        ),
        ('x = "# no"  # yes\n', 'x="# no"'),
        ("f( f'{ a  = }' )  # a\\b\n\n    # c\n    d\n", "f( f'{ a  = }' )\n    d"),
    ],
)
def test_equal_code_has_the_same_normal_form(text, normal):
    assert synthetic(text, "file.py", 1).normalized() == normal
