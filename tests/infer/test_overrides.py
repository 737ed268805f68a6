"""Overrides read like ordinary Python and have the same effect as the generated class."""

import pytest

from modular.infer.proof import Proof
from tests.infer.conftest import FLAT
from tests.support import source


BLOCK = """
    import torch
    from torch import nn


    class LlamaBlock(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.norm = nn.LayerNorm(config.hidden_size)
            self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size)
            self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
            self.dropout = nn.Dropout(config.dropout)
            self.scale = config.scale
            self.depth = config.depth

        def forward(self, x, mask=None, factor=1):
            hidden = self.norm(x)
            hidden = self.up_proj(hidden)
            hidden = torch.relu(hidden)
            hidden = self.down_proj(hidden)
            hidden = hidden * factor
            return hidden
    """
FLAT_BLOCK = BLOCK.replace("Llama", "MyModel")


def method(text: str, name: str) -> str:
    """The lines of a method in the text of a class."""
    lines = text.split("\n")
    start = next(
        number
        for number, line in enumerate(lines)
        if line.startswith(f"    def {name}(")
    )
    end = next(
        (
            number
            for number in range(start + 1, len(lines))
            if not lines[number].startswith("     ")
        ),
        None,
    )
    return "\n".join(line[4:] for line in lines[start:end])


def test_each_deletion_is_a_statement_of_its_own(inferred):
    flat = FLAT_BLOCK.replace(
        "            self.scale = config.scale\n            self.depth = config.depth\n",
        "",
    )
    assert inferred(flat, BLOCK).text == source("""
        from ..llama.modeling_llama import LlamaBlock


        class MyModelBlock(LlamaBlock):
            def __init__(self, config):
                super().__init__(config)
                del self.scale
                del self.depth
        """)


def test_no_deleted_attribute_is_assigned_again(inferred):
    scale = "            self.scale = config.scale\n"
    flat = FLAT_BLOCK.replace(scale, "").replace(
        "            self.norm", f"{scale}            self.norm"
    )
    flat = flat.replace("nn.LayerNorm", "nn.RMSNorm")
    inference = inferred(flat, BLOCK)
    assert "del " not in inference.text
    assert method(inference.text, "__init__").split("\n")[1:3] == [
        "    nn.Module.__init__(self)",
        "    self.scale = config.scale",
    ]
    assert inference.proof is Proof.IDENTICAL


def test_nothing_is_assigned_before_the_base_is_initialised(inferred):
    flat = FLAT_BLOCK.replace(
        "            self.norm",
        "            self.rate = config.rate\n            self.norm",
    )
    assert "super().__init__" not in inferred(flat, BLOCK).text


def test_local_variables_of_the_parents_method_are_not_read(inferred):
    last = "            hidden = hidden * factor\n            return hidden\n"
    parent = BLOCK.replace(last, "            self.last = hidden * factor\n")
    flat = FLAT_BLOCK.replace(
        last,
        "            self.last = hidden * factor\n            self.first = hidden[0]\n",
    )
    assert "super().forward" not in inferred(flat, parent).text


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("(self, x, mask=None, factor=1)", "(self, x, factor=2)"),
        ("(self, x, mask, factor=1)", "(self, x, factor=1)"),
        ("(self, x, *, factor=1)", "(self, x, mask=None, factor=1)"),
    ],
)
def test_a_method_that_cannot_pass_on_all_parameters_does_not_call_super(
    inferred, theirs, ours
):
    parent = BLOCK.replace("(self, x, mask=None, factor=1)", theirs)
    flat = FLAT_BLOCK.replace("(self, x, mask=None, factor=1)", ours)
    assert "super().forward" not in inferred(flat, parent).text


def test_the_return_value_of_the_parent_method_is_not_lost(inferred):
    first = "            hidden = self.norm(x)\n"
    parent = BLOCK.replace(first, f"            factor = factor or 1\n{first}")
    flat = FLAT_BLOCK.replace(first, f"            factor = factor or 2\n{first}")
    assert "super().forward" not in inferred(flat, parent).text


def test_a_class_is_not_inherited_from_one_of_the_same_name(inferred):
    parent = BLOCK.replace("LlamaBlock", "Block")
    inference = inferred(parent.replace("config.depth", "config.layers"), parent)
    assert inference.text == ""


def test_functions_that_the_modular_file_uses_are_imported(inferred):
    rotate = "\n\n    def rotate(x):\n        return torch.cat((-x, x), dim=-1)\n"
    flat = FLAT_BLOCK.replace(
        "hidden = hidden * factor", "hidden = rotate(hidden) - factor"
    )
    inference = inferred(flat + rotate, BLOCK + rotate)
    assert "from ..llama.modeling_llama import LlamaBlock, rotate\n" in inference.text


def test_a_class_with_a_finding_is_written_in_full(inferred):
    """The parent's `forward` reads `self.scale`, and so a `del` of it is warned of."""
    parent = BLOCK.replace("hidden * factor", "hidden * factor * self.scale")
    flat = FLAT_BLOCK.replace("hidden * factor", "hidden * factor * self.scale")
    flat = flat.replace("            self.scale = config.scale\n", "")
    inference = inferred(flat, parent)
    assert inference.proofs == {FLAT: Proof.IDENTICAL}
    assert "del self.scale" not in inference.text


def test_an_override_of_a_static_method_keeps_its_decorator(inferred):
    static = """
        @staticmethod
        def width(config, factor):
            size = config.hidden_size
            return size * factor
"""
    parent = BLOCK + static
    flat = FLAT_BLOCK + static.replace("size * factor", "size + factor")
    assert inferred(flat, parent).text.endswith(
        source("""
        class MyModelBlock(LlamaBlock):
            @staticmethod
            def width(config, factor):
                size = config.hidden_size
                return size + factor
        """)
    )
