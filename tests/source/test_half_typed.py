"""Files in which somebody is typing are read as far as they can be read."""

import pytest

from modular.source.half_typed import blank_unreadable_statements


READABLE = "import os\n\n\nclass A:\n    x = 1\n"


def test_a_text_without_syntax_errors_comes_back_as_it_is() -> None:
    text = "\ufeffimport os\r\n\fx = 1\r\n"
    assert blank_unreadable_statements(text, "a.py") == text


@pytest.mark.parametrize(
    "typed",
    ["class X(Lla", "class X(", "def f(self, ", "x = (", "class", "@", ")", "'"],
)
def test_the_statement_that_is_being_typed_is_blank(typed: str) -> None:
    text = blank_unreadable_statements(f"{READABLE}\n\n{typed}\n", "a.py")
    assert text.rstrip("\n") == READABLE.rstrip("\n")


def test_the_statements_below_stay_on_their_lines() -> None:
    text = blank_unreadable_statements(f"x = = 1\n# note\n{READABLE}", "a.py")
    assert text == f"\n# note\n{READABLE}"


def test_a_class_with_a_half_typed_method_is_blank_as_a_whole() -> None:
    text = "class B:\n    y = 2\n\n    def f(self,\n\nclass C:\n    pass\n"
    assert not blank_unreadable_statements(text, "a.py").strip()


def test_a_class_can_keep_its_header_and_its_readable_members() -> None:
    text = "@dec\nclass B(A):\n    y = 2\n\n    def f(self):\n        del self.\n\n    z = 3\n"
    kept = "@dec\nclass B(A):\n    y = 2\n\n\n\n\n    z = 3\n"
    assert blank_unreadable_statements(text, "a.py", keep_headers=True) == kept


def test_a_class_with_an_unreadable_header_keeps_nothing() -> None:
    for text in (
        "class B(A\n    y = 2\n",
        "class B(A): x = = 1\n",
        "class B\n    y = 2\n",
    ):
        kept = blank_unreadable_statements(text, "a.py", keep_headers=True)
        assert not kept.strip(), text
