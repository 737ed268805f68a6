"""Indentation made regular."""

import ast

import pytest

from modular.source.blocks import split
from modular.source.indentation import normalize_indentation
from modular.source.source_slice import synthetic


def indented(text: str) -> str:
    return normalize_indentation(
        split(synthetic(text, "file.py", 1)).statements[0]
    ).code.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "class A:\n\tdef f(self):\n\t\treturn 1\n",
            "class A:\n    def f(self):\n        return 1\n",
        ),
        (
            "class A:\n  def f(self):\n    return 1\n",
            "class A:\n    def f(self):\n        return 1\n",
        ),
        (
            "class A:\n    def f(self):\n      return 1\n",
            "class A:\n    def f(self):\n        return 1\n",
        ),
        ("class A:\n        x = 1\n", "class A:\n    x = 1\n"),
        ("class A:\n\tif a:\n\t    x = 1\n", "class A:\n    if a:\n        x = 1\n"),
        (
            "if a:\n  if b:\n     c\n  d\nelse:\n e\n",
            "if a:\n    if b:\n        c\n    d\nelse:\n    e\n",
        ),
    ],
    ids=["tabs", "two", "four and two", "eight", "tabs and four", "branches"],
)
def test_each_level_gets_four_blanks(text, expected):
    assert indented(text) == expected
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(expected))


def test_comments_get_the_indent_of_their_block():
    text = (
        "# above\n  # above too\nclass A:\n\t# first\n\tdef f(self):  # def\n# at the margin\n\t\t# inside\n\t\treturn 1\n"
        "\t\t# last\n\t# of the class\n"
    )
    assert indented(text) == (
        "# above\n  # above too\nclass A:\n    # first\n    def f(self):  # def\n# at the margin\n        # inside\n"
        "        return 1\n        # last\n    # of the class\n"
    )


def test_lines_inside_brackets_and_strings_stay():
    text = 'class A:\n\tx = [\n\t1,\n\t]\n\ty = """\n\tz\n\t"""\n\tw = 1 + \\\n\t2\n'
    assert (
        indented(text)
        == 'class A:\n    x = [\n\t1,\n\t]\n    y = """\n\tz\n\t"""\n    w = 1 + \\\n\t2\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(\n  self,\n    ):\n        return {\n   1:\n 2}\n\n    x = 1\n",
        "class A: x = 1\n",
        "class A:  # why\n\n    # odd\n      # odder\n    x = 1\n",
        'class A:\n    """\n\tAbout:\n  it\n    """\n',
    ],
)
def test_regular_code_is_returned_as_it_is(text):
    statement = split(synthetic(text, "file.py", 1)).statements[0]
    assert normalize_indentation(statement) is statement


def test_lines_keep_their_numbers():
    text = "\n# above\nclass A:\n\tx = 1\n\n\tdef f(self): pass\n"
    statement = normalize_indentation(
        split(synthetic(text, "file.py", 7)).statements[0]
    )
    assert statement.line == 9
    assert statement.code.origin.first_line == 7
