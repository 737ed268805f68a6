"""Statements that Python runs twice, and the generated method once (MOD417)."""

import pytest

from tests.conftest import Flatten
from tests.lint.test_builder_differences import codes
from tests.support import source


@pytest.mark.parametrize(
    ("parent", "child", "hint", "has_fix"),
    [
        ("self.n += 1", "self.n += 1", "write `self.n = self.n + 1`", True),
        ("self.n += 1", "self.n += 1  # again", "write `self.n = self.n + 1`", False),
        ("self.n += -x", "self.n += -x", "write `self.n = self.n + (-x)`", True),
        ("self.n[0] += 1", "self.n[0] += 1", "write `self.n[0] = self.n[0] + 1`", True),
        # That would be written in place of the parent's `self.n = 0`.
        ("self.n = 0; self.n += 1", "self.n += 1", "write it in another form", False),
        ("x.append(1)", "x.append(1)", "write `_ = x.append(1)`", True),
        (
            "self.n = self.n + x",
            "self.n = self.n + x",
            "write it in another form",
            False,
        ),
        ("x.append(\n1)", "x.append(\n1)", "write it in another form", False),
        ("self.n += \\\n1", "self.n += \\\n1", "write `self.n = self.n + 1`", False),
    ],
)
def test_the_advice_about_a_repeated_statement_is_to_write_it_otherwise(
    flatten: Flatten, parent: str, child: str, hint: str, has_fix: bool
) -> None:
    parent_lines = parent.replace("; ", "\n").replace("\n", "\n" + " " * 8)
    child_lines = child.replace("\n", "\n" + " " * 8)
    parent_text = f"class LlamaA:\n    def f(self, x):\n        {parent_lines}\n"
    modular = """
        from ..llama.modeling_llama import LlamaA


        class MyModelA(LlamaA):
            def f(self, x):
                super().f(x)
        """
    text = f"{source(modular)}        {child_lines}\n"
    (finding,) = flatten(text, parent_text).diagnostics
    assert finding.hint == hint
    assert bool(finding.fixes) is has_fix


@pytest.mark.parametrize(
    ("statement", "is_reported"),
    [
        ("def add():\n    self.n += 1", False),
        ("if x:\n    self.n = 1", False),
        ("def add():\n    x.append(1)", False),
        ("for item in x:\n    self.n += item", True),
        ("for item in x:\n    x.append(1)", True),
        ("with self.lock as file:\n    file.read()", False),
        ("with self.lock as file:\n    x.append(1)", True),
    ],
)
def test_a_repeated_block_is_reported_if_running_it_twice_may_differ(
    flatten: Flatten, statement: str, is_reported: bool
) -> None:
    lines = statement.replace("\n", "\n" + " " * 8)
    parent = f"class LlamaA:\n    def f(self, x):\n        {lines}\n"
    child = f"class MyModelA(LlamaA):\n    def f(self, x):\n        super().f(x)\n        {lines}\n"
    assert codes(flatten, parent, child) == ["MOD417"] * is_reported


def test_a_statement_of_init_that_another_method_of_the_parent_has_is_not_reported(
    flatten: Flatten,
) -> None:
    parent = """
        class LlamaA:
            def __init__(self):
                self.a = 1

            def f(self):
                self.n = self.n + 1
        """
    child = """
        class MyModelA(LlamaA):
            def __init__(self):
                super().__init__()
                self.n = self.n + 1

            def f(self):
                super().f()
                self.b = 1
        """
    assert codes(flatten, parent, child) == []
