"""Statements that Python runs twice, and the generated method once (MOD417)."""

import pytest

from tests.conftest import Flatten
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
        ("x.append(\n1)", "x.append(\n1)", "write it in another form", False),
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
