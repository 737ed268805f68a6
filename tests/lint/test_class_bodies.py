"""MOD414, MOD415, MOD457 and MOD458: the nearest cases that are, or are not, what the rules on classes look for."""

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
