"""The features that decide which of similar classes comes first."""

import pytest

from modular.infer.index import ParentModels, read_index
from modular.infer.ranking import Ranking
from modular.infer.relations import read_relations
from modular.project.opening import open_project
from modular.source import module as modules
from tests.infer.conftest import FLAT, PARENT
from tests.support import source, write_project


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


def test_a_parent_need_not_be_a_copy_if_another_model_is_closer_to_the_file(tmp_path):
    """`pig` has all of the file but the MLP, which is a copy of that of `bug`."""
    pig = model("Pig", "GELU")
    flat = model("MyModel", "SiLU")
    bug = model("Bug", "SiLU")
    copied_class = bug[bug.index("class BugMLP") : bug.index("def rotate")]
    files = {
        BUG: "from torch import nn\n\n\n" + copied_class,
        PIG: pig,
        "models/taker/modular_taker.py": source(taking_from("pig")),
        FLAT: flat,
    }
    write_project(tmp_path, files)
    project = open_project(tmp_path)
    index = read_index(project, None)
    relations = read_relations(project)
    left_out = relations.with_dependents(["models/my_model"])
    models = ParentModels(index, relations, left_out)
    ranking = Ranking(models, modules.read(FLAT, flat), "my_model")
    (mlp,) = [
        fragment for fragment in ranking.fragments if fragment.name == "MyModelMLP"
    ]

    def found(fragments):
        return [fragment.fragment.name for fragment in fragments]

    nearest = ranking.find_nearest(mlp, 2, equal_first=True)
    possible_parents = ranking.find_nearest(mlp, 2, equal_first=False)
    assert found(nearest) == ["BugMLP", "PigMLP"]
    assert found(possible_parents) == ["PigMLP", "BugMLP"]
