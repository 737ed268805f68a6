"""MOD421: a call of `super()` that does not stand for the parent's body, and that no base answers."""

import pytest

from tests.conftest import Flatten


PARENT = """
    from torch import nn

    from ...layers import Layer
    from ...nowhere import Unknown


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.scale = 2

        def forward(self, x):
            return x * self.scale

        def rotate(self, x):
            return -x


    class LlamaLayer(Layer):
        def forward(self, x):
            return x

        def turn(self, x):
            return x

        def train(self, mode=True):
            return mode


    class LlamaOther(Unknown):
        def forward(self, x):
            return x
    """
LAYERS = """
    from torch import nn


    class Layer(nn.Module):
        def turn(self, x):
            return x
    """


def codes(
    flatten: Flatten, method: str, base: str = "LlamaMLP"
) -> list[tuple[str, int, int, int]]:
    """Give a class that inherits from a base a method, and return what is reported below the first line of it."""
    lines = method.strip("\n").split("\n")
    body = "\n".join(f"    {line}" for line in lines)
    flattened = flatten(
        f"from ..llama.modeling_llama import {base}\n\n\nclass MyModel{base[5:]}({base}):\n{body}\n",
        PARENT,
        {"layers.py": LAYERS},
    )
    return [
        (
            diagnostic.code.id,
            diagnostic.place.line - 4,
            diagnostic.place.column,
            diagnostic.place.width,
        )
        for diagnostic in flattened.diagnostics
    ]


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("def forward(self, x):\n    return super().forward(x) + 1", (2, 16, 15)),
        (
            "def forward(self, x):\n    if x:\n        return super().forward(x)\n    return x",
            (3, 20, 15),
        ),
        (
            "def forward(self, x):\n    y = super().forward(x)\n    return y",
            (2, 13, 15),
        ),
        (
            "def forward(self, x):\n    super().forward(x)\n    return super().forward(x)",
            (3, 16, 15),
        ),
        ("def forward(self, x):\n    return super().rotate(x)", (2, 16, 14)),
        ("def backward(self, x):\n    return super().forward(x)", (2, 16, 15)),
    ],
)
def test_calls_that_nobody_answers(
    flatten: Flatten, method: str, place: tuple[int, int, int]
) -> None:
    assert ("MOD421", *place) in codes(flatten, method)


@pytest.mark.parametrize(
    "method",
    [
        "def forward(self, x):\n    return super().forward(x)",
        "def forward(self, x):\n    x = super().train(x)\n    return x",
        "def again(self, x):\n    super().__init__()",
        "def forward(self, x):\n    return self.rotate(x)",
        "def forward(self, x):\n    x = 'super().rotate(x)'  # super().rotate(x)\n    return x",
    ],
)
def test_calls_that_are_answered_or_not_the_parents(
    flatten: Flatten, method: str
) -> None:
    assert codes(flatten, method) == []


def test_bases_in_other_files_are_read(flatten: Flatten) -> None:
    """`Layer` has `turn` itself, `train` from `nn.Module`, and no `forward`."""
    assert (
        codes(
            flatten, "def turn(self, x):\n    return 1 + super().turn(x)", "LlamaLayer"
        )
        == []
    )
    assert (
        codes(
            flatten,
            "def train(self, mode=True):\n    return 1 + super().train(mode)",
            "LlamaLayer",
        )
        == []
    )
    reported_codes = codes(
        flatten,
        "def forward(self, x):\n    return 1 + super().forward(x)",
        "LlamaLayer",
    )
    assert reported_codes == [("MOD421", 2, 20, 15)]


def test_a_base_that_cannot_be_read_may_answer(flatten: Flatten) -> None:
    assert (
        codes(
            flatten,
            "def forward(self, x):\n    return 1 + super().forward(x)",
            "LlamaOther",
        )
        == []
    )


def test_a_base_in_the_same_file_answers(flatten: Flatten) -> None:
    flattened = flatten(
        """
        from ..llama.modeling_llama import LlamaMLP


        class Turning:
            def forward(self, x):
                return x


        class MyModelMLP(LlamaMLP, Turning):
            def forward(self, x):
                return 1 + super().forward(x)
        """,
        PARENT,
    )
    assert flattened.codes == []


def test_a_base_that_defines_methods_in_a_block_may_answer(flatten: Flatten) -> None:
    """The block is not run, so it is not certain that the base has no `forward`."""
    layers = """
        class Layer:
            if True:
                def forward(self, x):
                    return x
        """
    flattened = flatten(
        """
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            def forward(self, x):
                return 1 + super().forward(x)
        """,
        PARENT,
        {"layers.py": layers},
    )
    assert flattened.codes == []
