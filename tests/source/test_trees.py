"""Syntax trees of single statements."""

import pytest

from modular.source import trees
from modular.source.blocks import Statement, split
from modular.source.definition_view import view_definition
from modular.source.source_slice import synthetic
from modular.source.trees import statement_tree
from modular.source.unreadable import UnreadableError


def statement(text: str) -> Statement:
    return split(synthetic(text, "file.py", 1)).statements[0]


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "# above\n\nx = (  # why\n 1\n)\n",
        "        x = (\n            1,\n  2)  # why\n",
        '\tx = """\n  one\ntwo"""\n',
        "    for a in b:\n            x = 1\n            # last\n",
        "  @a\n  # between\n  async def f(self, *,\n  b): return 1\n",
    ],
)
def test_a_tree_has_the_text_of_its_statement(text):
    parsed = statement(text)
    tree = trees.parse(parsed.bare_code)
    assert tree.render(tree.node) == parsed.bare_code.text


def test_a_definition_is_read_without_its_body():
    tree = statement_tree(statement("@a\ndef f(b):  # why\n    x = ]\n"))
    assert tree.render(tree.node) == "@a\ndef f(b):  # why\n pass\n"


def test_a_statement_is_read_once():
    parsed = statement("x = 1\n")
    assert statement_tree(parsed) is statement_tree(parsed)


def test_a_statement_that_is_no_python_raises_an_error():
    with pytest.raises(UnreadableError) as error:
        _ = statement_tree(statement("    x = = 1\n"))
    assert error.value.code.text == "    x = = 1\n"


@pytest.mark.parametrize(
    ("written", "bases"),
    [
        ("(B)", ("B",)),
        ("(nn.Module, B)", ("nn.Module", "B")),
        ("( B ,C,)", ("B", "C")),
        ("(\n    B,  # why\n    C\n)", ("B", "C")),
        ("(B, total=False)", ("B",)),
        ("(*B, **C)", ("*B",)),
        ("(B[int, str], f(x, y))", ("B[int, str]", "f(x, y)")),
        ("[T](B)", ("B",)),
        ("()", ()),
    ],
)
def test_the_bases_of_a_class(written, bases):
    assert view_definition(statement(f"class A{written}:\n    pass\n")).bases == bases
