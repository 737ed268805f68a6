"""Tests of the graph of models."""

from collections.abc import Mapping
from pathlib import Path

from modular.project.opening import open_project
from modular.project.project import Project
from modular.semantics.model_graph import Edge, Graph, Model, read_graph
from tests.flock import make_flock
from tests.support import write_project


OWL_FROM_EAGLE = Edge(
    "owl", "eagle", "models/eagle/modeling_eagle.py", ("EagleModel", "EagleWing")
)
OWLET_FROM_OWL = Edge("owlet", "owl", "models/owl/modeling_owl.py", ("OwlWing",))
EAGLE = Model("eagle")
OWL = Model("owl", "models/owl/modular_owl.py")
OWLET = Model("owlet", "models/owlet/modular_owlet.py")


def pairs(graph: Graph) -> list[tuple[str, str]]:
    return [(edge.model, edge.parent) for edge in graph.edges]


def project(root: Path, files: Mapping[str, str]) -> Project:
    write_project(root, files)
    return open_project(root)


def test_models_and_what_they_take(tmp_path: Path) -> None:
    graph = read_graph(open_project(make_flock(tmp_path)))
    assert graph == Graph((EAGLE, OWL, OWLET), (OWL_FROM_EAGLE, OWLET_FROM_OWL))


def test_generated_parents_need_not_be_there(tmp_path: Path) -> None:
    graph = read_graph(open_project(make_flock(tmp_path, converted=False)))
    assert graph.edges == (OWL_FROM_EAGLE, OWLET_FROM_OWL)


def test_several_imports_from_one_file_are_one_edge(tmp_path: Path) -> None:
    modular = """
from ..eagle.modeling_eagle import EagleWing
from ..eagle.modeling_eagle import EagleModel as Base
from ..eagle.configuration_eagle import (
    EagleConfig,
)
from torch import nn
from .elsewhere import thing
from ..auto.modeling_auto import AutoModel
"""
    graph = read_graph(project(tmp_path, {"models/owl/modular_owl.py": modular}))
    assert graph.edges == (
        Edge("owl", "eagle", "models/eagle/configuration_eagle.py", ("EagleConfig",)),
        Edge(
            "owl",
            "eagle",
            "models/eagle/modeling_eagle.py",
            ("EagleModel", "EagleWing"),
        ),
    )


def test_parents_in_a_folder_for_generated_files(tmp_path: Path) -> None:
    """They are where they are generated, and still models of the models folder."""
    make_flock(tmp_path)
    settings = tmp_path / "pyproject.toml"
    settings.write_text(
        settings.read_text().replace(
            "[tool.modular]", '[tool.modular]\noutput = "generated"'
        )
    )
    assert read_graph(open_project(tmp_path)).edges == (
        OWL_FROM_EAGLE,
        Edge("owlet", "owl", "generated/owl/modeling_owl.py", ("OwlWing",)),
    )


def test_a_parent_file_that_is_nowhere_is_expected_beside_the_models(
    tmp_path: Path,
) -> None:
    files = {
        "pyproject.toml": '[tool.modular]\noutput = "generated"\n',
        "models/owl/modular_owl.py": "from ..eagle.modeling_eagle import EagleWing\n",
    }
    [edge] = read_graph(project(tmp_path, files)).edges
    assert edge.path == "models/eagle/modeling_eagle.py"


def test_a_folder_may_hold_several_models(tmp_path: Path) -> None:
    files = {
        "models/duck/modeling_duck_wild.py": "class DuckWildWing: ...\n",
        "models/duck/modular_duck_tame.py": "from ..owl.modeling_owl import OwlWing\n",
        "models/drake/modular_drake.py": """
from ..duck.modeling_duck_tame import DuckTameWing
from ..duck.modeling_duck_wild import DuckWildWing
""",
    }
    assert pairs(read_graph(project(tmp_path, files))) == [
        ("drake", "duck_tame"),
        ("drake", "duck_wild"),
        ("duck_tame", "owl"),
    ]


def test_models_with_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    files = {
        "models/owl/modular_owl.py": "from ..eagle.modeling_eagle import EagleWing\n",
        "src/transformers/models/owl/modular_owl.py": "from ..eagle.modeling_eagle import EagleWing\n",
        "src/transformers/models/eagle/modeling_eagle.py": "class EagleWing: ...\n",
        "models/eagle/modeling_eagle.py": "class EagleWing: ...\n",
        "models/owlet/modular_owlet.py": "from transformers.models.owl.modeling_owl import OwlWing\n",
    }
    graph = read_graph(project(tmp_path, files))
    assert pairs(graph) == [
        ("models/owl", "models/eagle"),
        ("owlet", "src/transformers/models/owl"),
        ("src/transformers/models/owl", "src/transformers/models/eagle"),
    ]
    assert graph.find("owl") is None
    assert graph.find("owlet") == "owlet"
    assert graph.find("models/owl/modular_owl.py") == "models/owl"


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "models/owlet/modular_owlet.py").write_bytes(b"\xff\xfe class (")
    graph = read_graph(open_project(tmp_path))
    assert graph == Graph((EAGLE, OWL, OWLET), (OWL_FROM_EAGLE,))


def diamond() -> Graph:
    """hen and cock inherit from bird, chick from both; kiwi from nothing that matters here."""
    arrows = [
        ("chick", "cock"),
        ("chick", "hen"),
        ("cock", "bird"),
        ("hen", "bird"),
        ("kiwi", "moa"),
    ]
    edges = tuple(
        Edge(model, parent, f"models/{parent}/modeling_{parent}.py", ("A",))
        for model, parent in arrows
    )
    return Graph(
        tuple(Model(name) for name in ("bird", "chick", "cock", "hen", "kiwi", "moa")),
        edges,
    )


def test_ancestors() -> None:
    found = diamond().around(["chick"], ancestors=True)
    assert found.names == ("bird", "chick", "cock", "hen")
    assert pairs(found) == [
        ("chick", "cock"),
        ("chick", "hen"),
        ("cock", "bird"),
        ("hen", "bird"),
    ]
    assert pairs(diamond().around(["hen"], ancestors=True)) == [("hen", "bird")]


def test_descendants() -> None:
    found = diamond().around(["bird"], descendants=True)
    assert found.names == ("bird", "chick", "cock", "hen")
    assert pairs(found) == [
        ("chick", "cock"),
        ("chick", "hen"),
        ("cock", "bird"),
        ("hen", "bird"),
    ]
    assert pairs(diamond().around(["hen"], descendants=True)) == [("chick", "hen")]


def test_the_nearest_alone() -> None:
    assert pairs(diamond().around(["hen"])) == [("chick", "hen"), ("hen", "bird")]


def test_a_model_that_takes_nothing() -> None:
    assert diamond().around(["bird"], ancestors=True) == Graph((Model("bird"),), ())


def test_ancestors_and_descendants_together() -> None:
    both = diamond().around(["hen"], ancestors=True, descendants=True)
    assert pairs(both) == [("chick", "hen"), ("hen", "bird")]
    assert both.names == ("bird", "chick", "hen")


def test_a_circle_ends() -> None:
    edges = (
        Edge("a", "b", "models/b/modeling_b.py", ("B",)),
        Edge("b", "a", "models/a/modeling_a.py", ("A",)),
    )
    circle = Graph((Model("a"), Model("b")), edges)
    assert (
        circle.around(["a"], ancestors=True)
        == circle.around(["a"], descendants=True)
        == circle
    )


def test_a_hand_written_parent_beside_a_modular_file_that_does_not_generate_it(
    tmp_path: Path,
) -> None:
    """A conversion reads this file, so the graph must not name a generated one."""
    files = {
        "pyproject.toml": '[tool.modular]\noutput = "generated"\n',
        "models/owl/modular_owl.py": "class OwlConfig: ...\n",
        "models/owl/modeling_owl.py": "class OwlWing: ...\n",
        "models/owlet/modular_owlet.py": "from ..owl.modeling_owl import OwlWing\n",
    }
    [edge] = read_graph(project(tmp_path, files)).edges
    assert edge.path == "models/owl/modeling_owl.py"
