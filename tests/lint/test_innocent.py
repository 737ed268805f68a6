"""The nearest innocent cases of several rules: nothing is reported, or what is said is another thing."""

from pathlib import Path

from modular.source.diagnostics import Diagnostic
from tests.reporting import LLAMA, OLMO, diagnostics, lines


PARENT = lines("""
    from typing import TypedDict

    from torch import nn


    class LlamaKwargs(TypedDict, total=False):
        size: int


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(config.size, 4)

        def forward(self, x):
            return self.up_proj(x)

        def train(self, mode=True):
            return self
    """)


def found(folder: Path, body: str, base: str = "LlamaMLP") -> list[Diagnostic]:
    """Give a class that inherits from a base of the parent file a body, or keywords and a body."""
    text = f"from ..llama.modeling_llama import {base}\n\n\nclass Olmo{base[5:]}({base}{lines(body)}"
    return list(diagnostics(folder, {LLAMA: PARENT, OLMO: text}))


def test_a_removed_method_that_a_base_has(tmp_path: Path) -> None:
    body = """
        ):

            def train(self, mode=True):
                raise AttributeError("not trained")

            def forward(self, x):
                return self.train().up_proj(x)
        """
    assert found(tmp_path, body) == []


def test_a_removal_of_nothing_is_said_once(tmp_path: Path) -> None:
    body = """
        ):

            def prune(self):
                raise AttributeError("not pruned")

            def forward(self, x):
                return self.prune()
        """
    assert [diagnostic.code.id for diagnostic in found(tmp_path, body)] == ["MOD403"]


def test_deleting_what_was_deleted_is_no_reading(tmp_path: Path) -> None:
    body = """
        ):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj

            def forward(self, x):
                del self.up_proj
                return x
        """
    assert found(tmp_path, body) == []


def test_the_keywords_of_the_parent(tmp_path: Path) -> None:
    assert found(tmp_path, ", total=False):\n    width: int\n", "LlamaKwargs") == []
    other = found(tmp_path, ", total=True):\n    width: int\n", "LlamaKwargs")
    assert [diagnostic.message for diagnostic in other] == [
        "the keyword `total=True` of `OlmoKwargs` is left out: a class has the keywords of its parent class"
    ]
