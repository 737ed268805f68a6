"""A graph as text."""

import json

from modular.cli.rendering import drawing
from modular.semantics.model_graph import Edge, Graph, Model


FLOCK = Graph(
    (
        Model("eagle"),
        Model("owl", "models/owl/modular_owl.py"),
        Model("owlet", "models/owlet/modular_owlet.py"),
    ),
    (
        Edge("owl", "eagle", "models/eagle/configuration_eagle.py", ("EagleConfig",)),
        Edge(
            "owl",
            "eagle",
            "models/eagle/modeling_eagle.py",
            ("EagleModel", "EagleWing"),
        ),
        Edge("owlet", "owl", "models/owl/modeling_owl.py", ("OwlWing",)),
    ),
)
ODD = Graph(
    (Model('my "own"/owl#1'), Model("back\\slash/owl")),
    (
        Edge(
            'my "own"/owl#1',
            "back\\slash/owl",
            "back\\slash/owl/modeling_owl.py",
            ("OwlWing",),
        ),
    ),
)
ALONE = Graph((Model("eagle"),), ())


def test_text() -> None:
    assert (
        drawing.text(FLOCK, columns=80)
        == """\
owl
  eagle (configuration_eagle): EagleConfig
  eagle (modeling_eagle): EagleModel, EagleWing
owlet
  owl (modeling_owl): OwlWing
"""
    )


def test_text_of_a_model_alone() -> None:
    assert drawing.text(ALONE, columns=80) == "eagle\n"


def test_json() -> None:
    assert json.loads(json.dumps(drawing.as_values(FLOCK))) == {
        "models": [
            {"name": "eagle", "modular": None},
            {"name": "owl", "modular": "models/owl/modular_owl.py"},
            {"name": "owlet", "modular": "models/owlet/modular_owlet.py"},
        ],
        "edges": [
            {
                "model": "owl",
                "parent": "eagle",
                "path": "models/eagle/configuration_eagle.py",
                "names": ["EagleConfig"],
            },
            {
                "model": "owl",
                "parent": "eagle",
                "path": "models/eagle/modeling_eagle.py",
                "names": ["EagleModel", "EagleWing"],
            },
            {
                "model": "owlet",
                "parent": "owl",
                "path": "models/owl/modeling_owl.py",
                "names": ["OwlWing"],
            },
        ],
    }


def test_mermaid_has_parents_on_the_left_as_the_pages_of_a_review() -> None:
    assert (
        drawing.draw(FLOCK)
        == """\
flowchart LR
  m1("eagle")
  m2["owl"]
  m3["owlet"]
  m1 --> m2
  m2 --> m3
"""
    )


def test_mermaid_quotes_what_would_end_a_label() -> None:
    assert (
        drawing.draw(ODD)
        == """\
flowchart LR
  m1("my #quot;own#quot;/owl#35;1")
  m2("back\\slash/owl")
  m2 --> m1
"""
    )


def test_the_model_that_was_asked_for_is_marked() -> None:
    drawn = drawing.draw(FLOCK, emphasized="owl")
    assert "  style m2 stroke-width:4px\n" in drawn
