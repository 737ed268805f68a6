"""`modular where`: which generated lines, in all models, come from a line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from modular.conversion.conversion import Conversion
from modular.conversion.converter import Converter
from tests.birds import HAWK


Run = Callable[..., Result]

PARENT = "models/hawk/modeling_hawk.py"
OWL = "models/owl/modeling_owl.py"


def test_a_line_of_a_parent_is_followed_through_generated_parents(
    birds: Path, modular: Run
) -> None:
    done = modular("where", f"{PARENT}:22")
    assert done.exit_code == 0
    assert (
        done.stdout
        == """\
models/hawk/modeling_hawk.py:22: return glide(x)
  models/owl/modeling_owl.py:22      inherited  OwlWing.beat
  models/owlet/modeling_owlet.py:19  inherited  OwletWing.beat
it is in 2 generated files
"""
    )


def test_a_line_of_a_modular_file(birds: Path, modular: Run) -> None:
    assert (
        modular("where", "models/owl/modular_owl.py:15").stdout
        == """\
models/owl/modular_owl.py:15: return "hoo"
  models/owl/modeling_owl.py:32  own        OwlModel.hoot
it is in 1 generated file
"""
    )


def test_a_line_that_is_split_is_in_a_file_more_than_once(
    birds: Path, modular: Run
) -> None:
    long = ", ".join(f"a_very_long_name_of_a_parameter_{number}" for number in range(3))
    (birds / PARENT).write_text(
        HAWK.replace("def forward(self, x)", f"def forward(self, x, {long})")
    )
    assert modular("where", f"{PARENT}:28").stdout.splitlines()[-2:] == [
        "  models/owl/modeling_owl.py:34  inherited  OwlModel.forward",
        "it is in 1 generated file",
    ]


def test_a_line_that_nothing_takes(birds: Path, modular: Run) -> None:
    """`self.beats = math.pi` is replaced in the child."""
    assert (
        modular("where", f"{PARENT}:19").stdout
        == """\
models/hawk/modeling_hawk.py:19: self.beats = math.pi
it is in no generated file
"""
    )


def test_json(birds: Path, modular: Run) -> None:
    assert json.loads(
        modular("where", f"{PARENT}:26", "--output-format", "json").stdout
    ) == {
        "schema": 1,
        "path": PARENT,
        "line": 26,
        "text": "    wing_class = HawkWing",
        "files": 1,
        "lines": [
            {
                "path": OWL,
                "line": 26,
                "text": "    wing_class = OwlWing",
                "modular": "models/owl/modular_owl.py",
                "kind": "inherited",
                "class": "OwlModel",
                "member": "wing_class",
                "renamed": {"from": "hawk", "to": "owl"},
            }
        ],
    }


def test_only_models_that_depend_on_it_are_looked_at(
    birds: Path, modular: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the sparrow; and not the owlet, which takes nothing of the line, though it inherits from the owl."""
    sparrow = birds / "models/sparrow/modular_sparrow.py"
    sparrow.parent.mkdir()
    sparrow.write_text("class SparrowWing:\n    pass\n")
    converted = []
    convert = Converter.convert

    def indexed_projects(
        self: Converter, path: str, *, inspects: bool = True
    ) -> Conversion:
        converted.append(path)
        return convert(self, path, inspects=inspects)

    monkeypatch.setattr(Converter, "convert", indexed_projects)
    modular("where", f"{PARENT}:19")
    assert set(converted) == {"models/owl/modular_owl.py"}


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [
        (
            f"{OWL}:22",
            2,
            f"error: {OWL} is generated: run `modular blame {OWL}:22` "
            "to see the line it comes from",
        ),
        (f"{PARENT}:30", 2, f"error: {PARENT} has no line 30: its lines are 1 to 29"),
        (f"{PARENT}:0", 2, f"error: {PARENT} has no line 0: its lines are 1 to 29"),
        (
            "models/hawk/modeling_howl.py:1",
            2,
            "error: models/hawk/modeling_howl.py: no such file",
        ),
        (PARENT, 2, "error: name one line, as FILE:LINE"),
        (f"{PARENT}:1-2", 2, "error: name one line, as FILE:LINE"),
    ],
)
def test_what_cannot_be_told(
    birds: Path, modular: Run, target: str, code: int, message: str
) -> None:
    done = modular("where", target)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (code, message)


def test_a_model_that_cannot_be_converted_is_named_and_the_exit_code_is_1(
    birds: Path, modular: Run
) -> None:
    (birds / "models/owlet/modular_owlet.py").write_text(
        "from ..owl.modeling_owl import OwlWing\n\n\nclass OwletWing(Owl"
    )
    done = modular("where", f"{PARENT}:22")
    assert done.exit_code == 1
    assert "models/owl/modeling_owl.py:22" in done.stdout
    assert "models/owlet/modular_owlet.py:4" in done.stderr
    (birds / "models/owl/modular_owl.py").write_text("class OwlWing(Haw")
    done = modular("where", "models/owl/modular_owl.py:1")
    assert done.exit_code == 1
    assert "in no generated file" not in done.stdout
