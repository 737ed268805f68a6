"""Overrides and comments in class bodies (MOD414, MOD415, MOD455, MOD458)."""

import pytest

from tests.conftest import Flatten
from tests.support import source


PARENT = """
    class LlamaBase:
        pass


    class LlamaMLP(LlamaBase):
        # as in the paper
        def forward(self, x):
            return x

        def get_a(self):
            return 1

        def layer_1(self):
            return 1

        def tie(self):
            return 1
    """


def codes(flatten: Flatten, body: str) -> list[tuple[str, int]]:
    """Give a class that inherits from `LlamaMLP` a body, and return what is reported, and where."""
    lines = "\n".join(
        f"    {line}".rstrip() for line in source(body).strip("\n").split("\n")
    )
    return flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{lines}\n",
        PARENT,
    ).codes


PARENT_OF_OVERRIDES = """
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


def override_codes(flatten: Flatten, members: str) -> list[tuple[str, int]]:
    """Give the class members; return the codes, and the lines from its first."""
    body = "\n".join(f"    {line}" for line in members.split("\n"))
    text = f"from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n{body}\n"
    return [(code, line - 4) for code, line in flatten(text, PARENT_OF_OVERRIDES).codes]


@pytest.mark.parametrize("name", ["forwad", "forwaard", "forwarx", "forwadr"])
def test_a_slip_in_the_name_of_an_override(flatten: Flatten, name: str) -> None:
    assert codes(flatten, f"def {name}(self, x):\n    return -x") == [("MOD458", 5)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("forward_all", id="more than a letter"),
        pytest.param("forwrda_", id="two slips"),
        pytest.param("ti", id="a short name"),
        pytest.param("layer_2", id="a number"),
    ],
)
def test_names_that_are_no_slips(flatten: Flatten, name: str) -> None:
    assert codes(flatten, f"def {name}(self, x):\n    return -x") == []


def test_a_method_beside_the_override_is_no_slip(flatten: Flatten) -> None:
    assert (
        codes(
            flatten,
            "def forward(self, x):\n    return -x\n\ndef forwards(self, x):\n    return [-x]",
        )
        == []
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(
            "# of our own\ndef forward(self, x):\n    return -x",
            [("MOD415", 5)],
            id="a comment of its own",
        ),
        pytest.param(
            "# as in the paper\ndef forward(self, x):\n    return -x",
            [],
            id="the parent's comment",
        ),
        pytest.param(
            "# of our own\ndef turn(self, x):\n    return -x", [], id="a new method"
        ),
    ],
)
def test_comments_above_methods(
    flatten: Flatten, body: str, found: list[tuple[str, int]]
) -> None:
    assert codes(flatten, body) == found


def test_a_base_before_one_that_inherits_from_it_through_another(
    flatten: Flatten,
) -> None:
    flattened = flatten(
        """
        from ..llama.modeling_llama import LlamaBase, LlamaMLP


        class MyModelBase(LlamaBase):
            pass


        class MyModelMiddle(MyModelBase):
            pass


        class MyModelLast(MyModelMiddle):
            pass


        class MyModelMLP(LlamaMLP, MyModelLast):
            pass
        """,
        PARENT,
    )
    assert flattened.codes == [("MOD414", 16)]


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
    assert ("MOD455", 1) in override_codes(flatten, members)


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
    assert "MOD455" not in [code for code, _ in override_codes(flatten, members)]
