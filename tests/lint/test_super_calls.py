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
        "def again(self, x):\n    super().train()",
        "def forward(self, x):\n    return self.rotate(x)",
        "def forward(self, x):\n    x = 'super().rotate(x)'  # super().rotate(x)\n    return x",
    ],
)
def test_calls_that_are_answered_or_not_the_parents(
    flatten: Flatten, method: str
) -> None:
    assert codes(flatten, method) == []


def messages(flatten: Flatten, base: str, method: str, layers: str = "") -> list[str]:
    """Give a class that inherits from a base a method; return the messages."""
    lines = f"class MyModel{base[5:]}({base}):\n    {method}\n"
    flattened = flatten(
        f"from ..llama.modeling_llama import {base}\n\n\n{lines}",
        PARENT,
        {"layers.py": layers or LAYERS},
    )
    return [diagnostic.message for diagnostic in flattened.diagnostics]


CALLS_BASES = "here: it calls that of the bases of `MyModelLayer`"
NO_BASE_HAS_IT = "here, and no base of the generated `MyModelLayer` has one"


@pytest.mark.parametrize(
    ("method", "end"), [("turn", CALLS_BASES), ("forward", NO_BASE_HAS_IT)]
)
def test_bases_in_other_files_are_read(flatten: Flatten, method: str, end: str) -> None:
    """`Layer` has `turn` itself, and no `forward`."""
    code = f"def {method}(self, x):\n        return 1 + super().{method}(x)"
    (message,) = messages(flatten, "LlamaLayer", code)
    assert message.endswith(end)


def test_methods_of_known_modules_are_those_of_a_base(flatten: Flatten) -> None:
    """`Layer` has `train` from `nn.Module`."""
    code = "def train(self, mode=True):\n        return 1 + super().train(mode)"
    (message,) = messages(flatten, "LlamaLayer", code)
    assert message.endswith(CALLS_BASES)


def test_a_base_that_cannot_be_read_may_have_the_method(flatten: Flatten) -> None:
    code = "def forward(self, x):\n        return 1 + super().forward(x)"
    (message,) = messages(flatten, "LlamaOther", code)
    assert "it calls that of the bases" in message


def test_a_base_that_defines_methods_in_a_block_may_have_it(flatten: Flatten) -> None:
    """The block is not run, so it is not certain that the base has no `forward`."""
    layers = """
        class Layer:
            if True:
                def forward(self, x):
                    return x
        """
    code = "def forward(self, x):\n        return 1 + super().forward(x)"
    (message,) = messages(flatten, "LlamaLayer", code, layers)
    assert message.endswith(CALLS_BASES)


def test_a_method_that_only_a_base_has_is_called_as_in_python(flatten: Flatten) -> None:
    code = "def start(self, x):\n        return 1 + super().train(x)"
    assert messages(flatten, "LlamaMLP", code) == []
