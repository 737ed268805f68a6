"""MOD306: a base or decorator that is not defined anywhere keeps the model from being written."""

import pytest

from tests.conftest import Flatten


PARENT = """
    class LlamaMLP:
        def forward(self, x):
            return x
    """


@pytest.mark.parametrize(
    ("modular", "line", "column", "message"),
    [
        (
            "class MyModelMLP(LlamMLP):\n    pass\n",
            4,
            18,
            "`LlamMLP`, a base of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "class MyModelMLP(LlamaMLP, mixins.Fast):\n    pass\n",
            4,
            28,
            "`mixins`, a base of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "@fast(1)\nclass MyModelMLP(LlamaMLP):\n    pass\n",
            4,
            2,
            "`fast`, in a decorator of `MyModelMLP`, is not defined anywhere",
        ),
        (
            "class MyModelMLP(LlamaMLP):\n    @fast\n    def forward(self, x):\n        return x\n",
            5,
            6,
            "`fast`, in a decorator of `forward`, is not defined anywhere",
        ),
        (
            "@fast\ndef rotate(x):\n    return x\n\n\nclass MyModelMLP(LlamaMLP):\n    scale = rotate(1)\n",
            4,
            2,
            "`fast`, in a decorator of `rotate`, is not defined anywhere",
        ),
    ],
)
def test_what_is_nowhere(
    flatten: Flatten, modular: str, line: int, column: int, message: str
) -> None:
    flattened = flatten(
        f"from ..llama.modeling_llama import LlamaMLP\n\n\n{modular}", PARENT
    )
    (problem,) = flattened.diagnostics
    assert (problem.code.id, problem.place.line, problem.place.column) == (
        "MOD306",
        line,
        column,
    )
    assert (
        problem.message
        == f"{message}: the generated `models/my_model/modeling_my_model.py` could not be imported"
    )
    assert flattened.files == {}


def test_what_the_parent_brings_stays_a_warning(flatten: Flatten) -> None:
    parent = "@fast\nclass LlamaMLP(Mixin):\n    pass\n"
    flattened = flatten(
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass MyModelMLP(LlamaMLP):\n    pass\n",
        parent,
    )
    assert {code for code, _ in flattened.codes} == {"MOD408"}
    assert len(flattened.files) == 1


def test_a_base_or_decorator_that_is_there(flatten: Flatten) -> None:
    flattened = flatten(
        """
        from functools import cache

        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class Mixin(nn.Module):
            pass


        @cache
        def size():
            return 1


        class MyModelMLP(LlamaMLP, Mixin):
            @cache
            def forward(self, x):
                return x * size()
        """,
        PARENT,
    )
    assert flattened.codes == []
