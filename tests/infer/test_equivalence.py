"""Definitions are equal if their lines differ only in an order without effect."""

import textwrap

import pytest

from modular.infer.equivalence import equal_apart_from_layout, equal_apart_from_order
from modular.infer.proof import Proof
from modular.source import module as modules
from tests.infer.conftest import FLAT, PARENT
from tests.support import source


def have_same_lines(text: str, other: str) -> bool:
    (statement,) = modules.read("a.py", source(text)).block.statements
    (other_statement,) = modules.read("a.py", source(other)).block.statements
    return equal_apart_from_order(statement, other_statement)


BLOCK = """
    class Block(nn.Module):
        size = 1
        depth = 2

        def __init__(self, config):
            super().__init__()
            self.norm = nn.Norm(config.width)
            self.act = nn.GELU()

        def forward(self, x):
            x = self.norm(x)
            return self.act(x)
    """


@pytest.mark.parametrize(
    ("old", "new", "is_equal"),
    [
        ("self.norm = nn.Norm(config.width)\n            self.act = nn.GELU()",
         "self.act = nn.GELU()\n\n            self.norm = nn.Norm(config.width)", True),
        ("self.act = nn.GELU()", "self.act = nn.SiLU()", False),
        ("self.act = nn.GELU()", "# It is smooth.\n            self.act = nn.GELU()", False),
        ("super().__init__()\n            self.norm = nn.Norm(config.width)",
         "self.norm = nn.Norm(config.width)\n            super().__init__()", False),
        ("size = 1\n        depth = 2", "depth = 2\n        size = 1", True),
        ("size = 1\n        depth = 2", "size = 2\n        depth = 1", False),
    ],
)  # fmt: skip
def test_only_orders_without_effect_are_ignored(old, new, is_equal):
    assert old in BLOCK
    assert have_same_lines(BLOCK.replace(old, new), BLOCK) is is_equal


def test_an_attribute_that_another_one_reads_keeps_its_place():
    first = "self.norm = nn.Norm(self.act)\n            self.act = nn.GELU()"
    one = BLOCK.replace(
        "self.norm = nn.Norm(config.width)\n            self.act = nn.GELU()", first
    )
    other = one.replace(
        first, "self.act = nn.GELU()\n            self.norm = nn.Norm(self.act)"
    )
    assert not have_same_lines(one, other)


MEMBERS = """
    {}class Block{}:
        {}

        def first(self):
            return 1

        {}

        {}
        def second(self, depth=size):
            return 2
    """


@pytest.mark.parametrize(
    ("decorator", "bases", "one", "other", "is_equal"),
    [
        ("", "", "size = 1", "depth = 2", True),
        (
            "@strict\n    ",
            "(Config)",
            "size: int = 1",
            "depth: int | None = None",
            True,
        ),
        ("", "", "size = 1", "depth = size", False),
        ("", "", "size = 1", "size = 2", False),
        ("@dataclass(frozen=True)\n    ", "", "size: int = 1", "depth: int = 2", False),
        ("", "(ExplicitEnum)", "size = 1", "depth = 2", False),
    ],
)
def test_the_order_of_attributes_counts_if_it_has_an_effect(
    decorator, bases, one, other, is_equal
):
    old, new = (
        MEMBERS.format(decorator, bases, one, other, ""),
        MEMBERS.format(decorator, bases, other, one, ""),
    )
    assert have_same_lines(old, new) is is_equal


@pytest.mark.parametrize(
    ("decorator", "is_equal"), [("@staticmethod", True), ("@first.setter", False)]
)
def test_the_order_of_methods_counts_if_one_reads_another(decorator, is_equal):
    first = "        def first(self):\n            return 1\n"
    old = MEMBERS.format("", "", "kind = 1", "", decorator)
    new = old.replace(first, "") + f"\n{first}"
    assert have_same_lines(old, new) is is_equal


def test_no_override_is_written_only_for_the_order(inferred):
    down = "            self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)\n"
    steps = "".join(f"            x = x + {number}\n" for number in range(40))
    parent = PARENT.replace(
        "            x = self.act_fn(x)\n", f"            x = self.act_fn(x)\n{steps}"
    )
    flat = parent.replace("Llama", "MyModel").replace(down, "")
    flat = flat.replace(
        "            self.up_proj", f"{down}            self.up_proj", 1
    )
    inference = inferred(flat, parent)
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """)
    assert inference.proof is Proof.REORDERED
    assert [
        (skipped.path, skipped.line, skipped.reason) for skipped in inference.notes
    ] == [
        (
            FLAT,
            15,
            "the lines of `MyModelMLP` are generated in the order and layout of its parent",
        )
    ]


def test_a_configuration_with_its_attributes_in_another_order_is_inherited(inferred):
    body = "".join(f"        number_{number}: int = {number}\n" for number in range(60))
    config = (
        f"    from ...utils import Config\n\n\n    class {{}}Config(Config):\n{body}"
    )
    flat = (
        config.format("MyModel").replace("        number_3: int = 3\n", "")
        + "        number_3: int = 3\n"
    )
    path = "models/my_model/configuration_my_model.py"
    files = {"models/llama/configuration_llama.py": config.format("Llama"), path: flat}
    inference = inferred(PARENT.replace("Llama", "MyModel"), files=files)
    assert "class MyModelConfig(LlamaConfig):\n    pass\n" in inference.text
    assert inference.proofs == {path: Proof.REORDERED, FLAT: Proof.IDENTICAL}


def test_a_few_saved_lines_do_not_justify_another_order(inferred):
    head = "    class {}Head(nn.Module):\n        size = 1\n        depth = 2\n        width = 3\n"
    flat = (
        head.format("MyModel").replace("        size = 1\n", "") + "        size = 1\n"
    )
    inference = inferred(
        f"{PARENT}\n\n{flat}".replace("Llama", "MyModel"),
        f"{PARENT}\n\n{head.format('Llama')}",
    )
    assert "class MyModelHead(nn.Module):" in inference.text
    assert inference.proof is Proof.IDENTICAL


def test_the_layout_of_a_class_makes_no_difference_but_brackets_do():
    def attribute(code: str):
        text = textwrap.indent(f"x = {code}\n", "    ")
        return modules.read("x.py", f"class A:\n{text}").block.statements[0]

    call = attribute("f(a + b, c)")
    assert equal_apart_from_layout(call, attribute("f(\n    a + b,\n    c,\n)"))
    assert not equal_apart_from_layout(call, attribute("f(a) + b, c"))
    assert not equal_apart_from_layout(call, attribute("f(a + b, c)  # why"))
