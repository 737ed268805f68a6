"""MOD455: methods that are the same as what is inherited anyway."""

import pytest

from tests.conftest import Flatten


PARENT = """
    from torch import nn


    class LlamaMLP(nn.Module):
        scale = 1

        def __init__(self, config):
            super().__init__()
            self.mlp = LlamaMLP(config)

        # Forward.
        def forward(self, x: int) -> int:
            \"\"\"Run.\"\"\"
            return x

        def clear(self):
            self.mlp = LlamaMLP(1)

        @property
        def size(self):
            return 1
    """


def codes(flatten: Flatten, members: str) -> list[tuple[str, int]]:
    """Give the class members; return the codes, and the lines from its first."""
    body = "\n".join(f"    {line}" for line in members.split("\n"))
    text = f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{body}\n"
    return [(code, line - 4) for code, line in flatten(text, PARENT).codes]


@pytest.mark.parametrize(
    "members",
    [
        "def forward(self, x: int) -> int:\n    return x",
        "def forward(self, x: int):\n    # The same.\n    return x",
        "def size(self):\n    return 1",
        "def clear(self):\n    self.mlp = MyModelMLP(1)",
    ],
)
def test_methods_that_are_the_same(flatten: Flatten, members: str) -> None:
    assert ("MOD455", 1) in codes(flatten, members)


@pytest.mark.parametrize(
    "members",
    [
        "scale = 1",
        "def __init__(self, config):\n    super().__init__(config)",
        "def forward(self, x: int, y=None) -> int:\n    return x",
        "def forward(self, x: int) -> int:\n    return -x",
        "def forward(self, x: int) -> int:\n    '''Walk.'''\n    return x",
        "@no_grad()\ndef __init__(self, config):\n    super().__init__(config)",
        "def backward(self, x):\n    return x",
    ],
)
def test_methods_that_differ(flatten: Flatten, members: str) -> None:
    assert "MOD455" not in [code for code, _ in codes(flatten, members)]
