"""The features that decide which of similar classes comes first."""

import pytest

from tests.infer.conftest import FLAT, PARENT
from tests.support import source


BUG = "models/bug/modeling_bug.py"
PIG = "models/pig/modeling_pig.py"


def model(name: str, activation: str) -> str:
    """A parent file with another activation in one of its classes."""
    return source(PARENT).replace("Llama", name).replace("SiLU", activation)


def taking_from(name: str) -> str:
    return f"""
        from ..{name}.modeling_{name} import {name.capitalize()}Norm


        class TakerNorm({name.capitalize()}Norm):
            pass
        """


FILES = {
    BUG: model("Bug", "ReLU"),
    PIG: model("Pig", "GELU"),
    FLAT: model("MyModel", "Tanh"),
}
"""Both MLPs differ from the one that is asked for in one word."""


@pytest.fixture
def first(near):
    """The model of the class that is nearest to an MLP."""

    def run(files, target=f"{FLAT}:MyModelMLP"):
        (mlp,) = near(target, {**FILES, **files}).results
        assert {match.model for match in mlp.neighbours} >= {"bug", "pig"}
        return mlp.neighbours[0].model

    return run


def test_equal_candidates_are_sorted_by_path(first):
    assert first({}) == "bug"


def test_a_class_that_shares_more_comes_first(first):
    assert (
        first(
            {
                BUG: FILES[BUG].replace(
                    "class BugMLP(nn.Module)", "class BugMLP(nn.Sequential)"
                )
            }
        )
        == "pig"
    )


def test_a_model_that_others_inherit_from_comes_first(first):
    taker = {"models/taker/modular_taker.py": taking_from("pig")}
    assert first(taker) == "pig"
    alone = FILES[FLAT][
        FILES[FLAT].index("class MyModelMLP") : FILES[FLAT].index("def rotate")
    ]
    assert first({**taker, FLAT: alone}) == "pig"


def test_a_model_that_is_closer_to_the_rest_of_the_file_comes_first(first):
    assert (
        first(
            {
                BUG: FILES[BUG]
                .replace("residual + x", "residual - x")
                .replace("-x, x", "x, x")
            }
        )
        == "pig"
    )


def test_a_model_with_a_similar_name_comes_first(first):
    path = "models/pig2/modeling_pig2.py"
    assert first({path: model("Pig2", "Sigmoid")}, f"{path}:Pig2MLP") == "pig"


def test_larger_equal_methods_count_more(first):
    differs_in_forward = model("Pig", "Tanh").replace(
        "x = self.act_fn(x)", "x = self.act_fn(y)"
    )
    assert first({PIG: differs_in_forward}) == "pig"
