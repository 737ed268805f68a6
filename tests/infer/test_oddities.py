"""The benchmark counts oddities in modular files that no reviewer would merge."""

import pytest

from bench.oddities import oddities
from tests.infer.conftest import PARENT
from tests.support import source


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("def __init__(self):\n        self.a = 1\n        super().__init__()\n        del self.a",
         "assigned before the call of the parent's method, then deleted"),
        ("def __init__(self):\n        super().__init__()\n        del self.a\n        self.a = 1",
         "deleted to be assigned in another place"),
        ("def __init__(self):\n        super().__init__()\n        del self.a, self.b", "several targets in one `del`"),
        ("forward = AttributeError()", "a method removed by `= AttributeError()`"),
        ("def forward(self, x, **kwargs):\n        return super().forward(**kwargs)",
         "a return of the parent's method that drops parameters"),
    ],
)  # fmt: skip
def test_each_oddity_is_counted(body, what):
    assert oddities(f"class A(B):\n    {body}\n", source(PARENT)) == {what: 1}


def test_an_alias_is_an_oddity():
    assert oddities("from ..llama.modeling_llama import LlamaMLP as MLP\n") == {
        "an alias on an import from a model": 1
    }
    assert not oddities("from torch.nn import functional as F\n")


def test_variables_may_be_deleted_together():
    assert not oddities("class A(B):\n    def f(self, x, y):\n        del x, y\n")


FLAT = PARENT.replace("Llama", "MyModel")


@pytest.mark.parametrize(
    "flat",
    [
        FLAT.replace("            self.config = config\n", ""),
        FLAT.replace("        def forward(self, x):\n            return self.weight * x\n", ""),
        FLAT.replace("x = self.act_fn(x)", "x = self.act_fn(x) + 1").replace("self.act_fn = nn.SiLU()", "self.act_fn = nn.GELU()"),
        FLAT.replace("self.config = config\n            self.up", "self.up").replace(
            "self.act_fn = nn.SiLU()", "self.act_fn = nn.SiLU()\n            self.config = config"
        ),
    ],
)  # fmt: skip
def test_inferred_files_have_no_oddities(inferred, flat):
    inference = inferred(flat)
    assert inference.text
    assert not oddities(inference.text, source(PARENT))
