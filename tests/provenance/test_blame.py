"""`modular blame`: for each line of a generated file the line that it comes from, and how it came in."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import modular as api
from tests import support


Run = Callable[..., Result]

OWL = "models/owl/modeling_owl.py"
OWLET = "models/owlet/modeling_owlet.py"


def test_every_line_of_a_file(birds: Path, modular: Run) -> None:
    """All kinds but the banner. Blank lines come from those beside the code that they stand by."""
    done = modular("blame", OWL)
    assert done.exit_code == 0
    assert (
        done.stdout
        == """\
own       models/owl/modular_owl.py:1      1) # Owls hunt at night.
own       models/owl/modular_owl.py:2      2)
made                                       3)
import    models/hawk/modeling_hawk.py:3   4) from torch import nn
needed    models/hawk/modeling_hawk.py:6   5)
needed    models/hawk/modeling_hawk.py:7   6)
needed    models/hawk/modeling_hawk.py:8   7) EPS = 1e-6
needed    models/hawk/modeling_hawk.py:9   8)
needed    models/hawk/modeling_hawk.py:10  9)
needed    models/hawk/modeling_hawk.py:11 10) def glide(x):
needed    models/hawk/modeling_hawk.py:12 11)     return x - EPS
inherited models/hawk/modeling_hawk.py:13 12)
inherited models/hawk/modeling_hawk.py:14 13)
inherited models/hawk/modeling_hawk.py:15 14) class OwlWing(nn.Module):
own       models/owl/modular_owl.py:7     15)     def __init__(self, config):
merged    models/hawk/modeling_hawk.py:17 16)         super().__init__()
merged    models/hawk/modeling_hawk.py:18 17)         self.span = config.span
own       models/owl/modular_owl.py:9     18)         self.beats = 0
own       models/owl/modular_owl.py:10    19)         self.silent = True
inherited models/hawk/modeling_hawk.py:20 20)
inherited models/hawk/modeling_hawk.py:21 21)     def beat(self, x):
inherited models/hawk/modeling_hawk.py:22 22)         return glide(x)
inherited models/hawk/modeling_hawk.py:23 23)
inherited models/hawk/modeling_hawk.py:24 24)
inherited models/hawk/modeling_hawk.py:25 25) class OwlModel(nn.Module):
inherited models/hawk/modeling_hawk.py:26 26)     wing_class = OwlWing
inherited models/hawk/modeling_hawk.py:27 27)
inherited models/hawk/modeling_hawk.py:28 28)     def forward(self, x):
inherited models/hawk/modeling_hawk.py:29 29)         return self.wing.beat(x)
made                                      30)
own       models/owl/modular_owl.py:14    31)     def hoot(self):
own       models/owl/modular_owl.py:15    32)         return "hoo"
own       models/owl/modular_owl.py:16    33)
own       models/owl/modular_owl.py:17    34)
own       models/owl/modular_owl.py:18    35) __all__ = ["OwlModel", "OwlWing"]
"""
    )


def test_a_range(birds: Path, modular: Run) -> None:
    assert (
        modular("blame", f"{OWL}:10-11").stdout
        == """\
needed    models/hawk/modeling_hawk.py:11 10) def glide(x):
needed    models/hawk/modeling_hawk.py:12 11)     return x - EPS
"""
    )


def test_json_of_a_line(birds: Path, modular: Run) -> None:
    assert json.loads(
        modular("blame", f"{OWL}:17", "--output-format", "json").stdout
    ) == {
        "schema": 1,
        "path": OWL,
        "modular": "models/owl/modular_owl.py",
        "lines": [
            {
                "line": 17,
                "kind": "merged",
                "path": "models/hawk/modeling_hawk.py",
                "origin_line": 18,
                "class": "OwlWing",
                "member": "__init__",
                "renamed": {"from": "hawk", "to": "owl"},
            }
        ],
    }


def test_json_has_one_entry_for_each_line(birds: Path, modular: Run) -> None:
    lines = json.loads(modular("blame", OWL, "--output-format", "json").stdout)["lines"]
    assert [line["line"] for line in lines] == list(range(1, 36))
    assert lines[2] == {
        "line": 3,
        "kind": "made",
        "path": None,
        "origin_line": None,
        "class": None,
        "member": None,
        "renamed": None,
    }
    assert (lines[9]["class"], lines[9]["member"]) == (None, "glide")
    assert (lines[25]["class"], lines[25]["member"]) == ("OwlModel", "wing_class")
    assert lines[31]["renamed"] is None


def test_a_generated_parent_is_named_unless_deep(birds: Path, modular: Run) -> None:
    assert (
        modular("blame", f"{OWLET}:12-14").stdout
        == """\
inherited models/owl/modeling_owl.py:15 12)     def __init__(self, config):
inherited models/owl/modeling_owl.py:16 13)         super().__init__()
inherited models/owl/modeling_owl.py:17 14)         self.span = config.span
"""
    )


def test_deep_follows_to_what_people_wrote(birds: Path, modular: Run) -> None:
    assert (
        modular("blame", f"{OWLET}:12-15", "--deep").stdout
        == """\
inherited models/owl/modular_owl.py:7     12)     def __init__(self, config):
inherited models/hawk/modeling_hawk.py:17 13)         super().__init__()
inherited models/hawk/modeling_hawk.py:18 14)         self.span = config.span
inherited models/owl/modular_owl.py:9     15)         self.beats = 0
"""
    )


def test_deep_joins_the_renamings(birds: Path) -> None:
    blame = api.blame(OWLET, deep=True)
    renamed = [line.renamed for line in blame.lines[11:13]]
    assert [(renaming.old, renaming.new) for renaming in renamed if renaming] == [
        ("owl", "owlet"),
        ("hawk", "owlet"),
    ]


def test_the_project_is_found_from_the_file(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(birds.parent)
    blame = api.blame(birds / OWL)
    assert (blame.path, blame.modular) == (OWL, "models/owl/modular_owl.py")
    assert blame.texts[blame.lines[6].line - 1] == "EPS = 1e-6"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "models/hawk/modeling_hawk.py",
            "models/hawk/modeling_hawk.py is not generated: `modular where models/hawk/modeling_hawk.py:LINE` shows the generated "
            "lines that come from one of its lines",
        ),
        (f"{OWL}:36", f"{OWL} has no line 36: its lines are 1 to 35"),
        (f"{OWL}:0", f"{OWL} has no line 0: its lines are 1 to 35"),
        (f"{OWL}:30-36", f"{OWL} has no lines 30 to 36: its lines are 1 to 35"),
        (f"{OWL}:9-7", f"{OWL} has no lines 9 to 7: its lines are 1 to 35"),
        ("models/owl/modeling_howl.py", "models/owl/modeling_howl.py: no such file"),
    ],
)
def test_what_cannot_be_blamed(
    birds: Path, modular: Run, target: str, message: str
) -> None:
    done = modular("blame", target)
    assert (done.exit_code, done.stderr, done.stdout) == (2, f"error: {message}\n", "")


def test_a_stale_file(birds: Path, modular: Run) -> None:
    path = birds / OWL
    path.write_text(path.read_text().replace("self.beats = 0", "self.beats = 1"))
    done = modular("blame", OWL)
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {OWL} is stale: run `modular convert owl` first\n",
    )


def test_a_stale_parent_that_is_generated_counts_as_regenerated(
    birds: Path, modular: Run
) -> None:
    """All results are in the cache then, and nothing else is converted."""
    expected = modular("blame", OWLET).stdout
    assert modular("check").exit_code == 0
    (birds / OWL).write_text("class OwlWing(\n")
    done = modular("blame", OWLET)
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", expected)


def test_a_file_whose_modular_file_has_errors(birds: Path, modular: Run) -> None:
    (birds / "models/owl/modular_owl.py").write_text("class (\n")
    done = modular("blame", OWL)
    message = "error: models/owl/modular_owl.py has errors: run `modular check owl` to see them\n"
    assert (done.exit_code, done.stderr) == (2, message)


def test_a_file_outside_of_the_root(birds: Path, modular: Run, tmp_path: Path) -> None:
    (tmp_path / "modeling_owl.py").write_text("EPS = 1\n")
    done = modular("blame", str(tmp_path / "modeling_owl.py"), "--root", str(birds))
    message = (
        f"error: {tmp_path / 'modeling_owl.py'} is outside the project's root {birds}\n"
    )
    assert (done.exit_code, done.stderr) == (2, message)


def on_a_terminal(root: Path, *arguments: str, no_color: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = os.openpty()
    env = {**os.environ, "NO_COLOR": no_color}
    subprocess.run(
        [sys.executable, "-m", "modular", *arguments],
        cwd=root,
        env=env,
        stdout=theirs,
        check=True,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb") as terminal:
        return terminal.read1(10_000).decode().replace("\r\n", "\n")


def test_colour_on_a_terminal(birds: Path) -> None:
    """Each kind has its colour; what stands on the line has none."""
    assert on_a_terminal(birds, "blame", f"{OWL}:17-18", no_color="") == (
        "\x1b[33mmerged    models/hawk/modeling_hawk.py:18\x1b[0m 17)         self.span = config.span\n"
        "\x1b[32mown       models/owl/modular_owl.py:9    \x1b[0m 18)         self.beats = 0\n"
    )
    assert on_a_terminal(birds, "blame", f"{OWL}:17", no_color="1") == (
        "merged    models/hawk/modeling_hawk.py:18 17)         self.span = config.span\n"
    )


def blamed(
    root: Path,
    modular_file: str,
    parent: str,
    settings: str = support.FORMATTING,
    **files: str,
) -> list[str]:
    """Blame what a modular file generates: the lines that are not blank, each after its kind, its file and its line.

    The parent is `models/hawk/modeling_hawk.py`; further modeling files go by their models' names.
    """
    parents = {
        f"models/{model}/modeling_{model}.py": text
        for model, text in {"hawk": parent, **files}.items()
    }
    for path, text in {
        **parents,
        "models/owl/modular_owl.py": modular_file,
        "pyproject.toml": settings,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(support.source(text))
    report = api.convert(options=api.Options(root=root, jobs=1, cache=False))
    assert not report.has_errors, report.diagnostics
    found = []
    for path in sorted(report.reads):
        blame = api.blame(root / path)
        for line, text in zip(blame.lines, blame.texts, strict=True):
            place = (
                f" {line.path.rpartition('/')[2]}:{line.origin_line}"
                if line.path
                else ""
            )
            found.append(f"{line.kind.value}{place} | {text}")
    return [line for line in found if not line.endswith("| ")]


def test_the_banner_and_a_body_of_which_nothing_is_left_are_made(
    tmp_path: Path,
) -> None:
    parent = """
        class HawkWing:
            size = 1
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            size = AttributeError()
        """
    settings = '[tool.modular.banner]\ntext = "# Made from {name}.\\n"\n'
    assert blamed(tmp_path, modular_file, parent, settings) == [
        "made | # Made from modular_owl.py.",
        "inherited modeling_hawk.py:1 | class OwlWing:",
        "made |     pass",
    ]


def test_imports_are_found_where_they_stand_however_they_are_sorted_and_joined(
    tmp_path: Path,
) -> None:
    """A line that is made of several imports comes from the one that has most of it."""
    parent = """
        from typing import (
            Any,
            Protocol,
        )

        import torch

        from ...utils import logging


        logger = logging.get_logger(__name__)


        class HawkWing(Protocol):
            def beat(self, x: Any) -> torch.Tensor:
                logger.info("beat")
        """
    modular_file = """
        import os
        from typing import Literal

        from ...utils import is_windy, unused
        from ..hawk.modeling_hawk import HawkWing


        if is_windy():
            from wind import Gust


        class OwlWing(HawkWing):
            def soar(self, then: Literal[1]) -> Gust:
                return then(os.getcwd())
        """
    blame = blamed(tmp_path, modular_file, parent)
    assert blame[
        : blame.index(
            "needed modeling_hawk.py:11 | logger = logging.get_logger(__name__)"
        )
    ] == [
        "import modular_owl.py:1 | import os",
        "import modeling_hawk.py:1 | from typing import Any, Literal, Protocol",
        "import modeling_hawk.py:6 | import torch",
        "import modular_owl.py:4 | from ...utils import is_windy, logging",
        "import modular_owl.py:8 | if is_windy():",
        "import modular_owl.py:9 |     from wind import Gust",
    ]


def test_each_line_of_a_long_import_leads_to_its_own(tmp_path: Path) -> None:
    parent = """
        from ...utils import (
            an_import_with_a_name_that_is_rather_long,
            another_import_with_a_name_that_is_long_too,
            not_used_at_all,
            the_last_import_of_which_the_name_is_long,
        )


        class HawkWing:
            names = (
                an_import_with_a_name_that_is_rather_long,
                another_import_with_a_name_that_is_long_too,
                the_last_import_of_which_the_name_is_long,
            )
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            pass
        """
    assert blamed(tmp_path, modular_file, parent)[:5] == [
        "import modeling_hawk.py:1 | from ...utils import (",
        "import modeling_hawk.py:2 |     an_import_with_a_name_that_is_rather_long,",
        "import modeling_hawk.py:3 |     another_import_with_a_name_that_is_long_too,",
        "import modeling_hawk.py:5 |     the_last_import_of_which_the_name_is_long,",
        "import modeling_hawk.py:6 | )",
    ]


def test_lines_that_the_formatter_splits_and_joins(tmp_path: Path) -> None:
    """A line that is made of two comes from the one of which more is in it."""
    parent = """
        class HawkWing:
            def beat(self, x, strength=1.0, with_a_long_name=None, and_another_long_name=None, hawk_wing_span=2):
                if (x is None
                    or strength == 0):
                    return 'nothing'
                return x
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class GreatGreyOwlWing(HawkWing):
            pass
        """
    settings = support.FORMATTING.replace("119", "60")
    assert blamed(tmp_path, modular_file, parent, settings) == [
        "inherited modeling_hawk.py:1 | class GreatGreyOwlWing:",
        "inherited modeling_hawk.py:2 |     def beat(",
        "inherited modeling_hawk.py:2 |         self,",
        "inherited modeling_hawk.py:2 |         x,",
        "inherited modeling_hawk.py:2 |         strength=1.0,",
        "inherited modeling_hawk.py:2 |         with_a_long_name=None,",
        "inherited modeling_hawk.py:2 |         and_another_long_name=None,",
        "inherited modeling_hawk.py:2 |         great_grey_owl_wing_span=2,",
        "inherited modeling_hawk.py:2 |     ):",
        "inherited modeling_hawk.py:4 |         if x is None or strength == 0:",
        'inherited modeling_hawk.py:5 |             return "nothing"',
        "inherited modeling_hawk.py:6 |         return x",
    ]


def test_merged_parameters_are_the_parents_and_the_modulars(tmp_path: Path) -> None:
    parent = """
        class HawkWing:
            def beat(
                self,
                x,
                strength: float = 1.0,
                **kwargs,
            ) -> tuple:
                return x, strength
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            def beat(self, strength: float = 2.0, silent: bool = True, **super_kwargs):
                return super().beat(**super_kwargs)
        """
    settings = support.FORMATTING.replace("119", "60")
    assert blamed(tmp_path, modular_file, parent, settings)[1:] == [
        "own modular_owl.py:5 |     def beat(",
        "own modular_owl.py:5 |         self,",
        "inherited modeling_hawk.py:4 |         x,",
        "own modular_owl.py:5 |         strength: float = 2.0,",
        "own modular_owl.py:5 |         silent: bool = True,",
        "inherited modeling_hawk.py:6 |         **kwargs,",
        "inherited modeling_hawk.py:7 |     ) -> tuple:",
        "merged modeling_hawk.py:8 |         return x, strength",
    ]


def test_a_long_list_of_exports_leads_to_each_name(tmp_path: Path) -> None:
    modular_file = """
        class OwlWing:
            pass


        class OwlFeather:
            pass


        __all__ = [
            "OwlConfig",
            "OwlWing",
            "OwlFeather",
        ]
        """
    settings = support.FORMATTING.replace("119", "30")
    assert blamed(tmp_path, modular_file, "", settings)[-4:] == [
        "own modular_owl.py:9 | __all__ = [",
        'own modular_owl.py:11 |     "OwlWing",',
        'own modular_owl.py:12 |     "OwlFeather",',
        "own modular_owl.py:13 | ]",
    ]


def test_what_an_import_brings_along_is_needed(tmp_path: Path) -> None:
    parent = """
        def flap(x):
            return x
        """
    modular_file = """
        from ..hawk.modeling_hawk import flap


        def twice(x):
            return flap(flap(x))


        class OwlWing:
            beat = twice
        """
    assert blamed(tmp_path, modular_file, parent) == [
        "needed modeling_hawk.py:1 | def flap(x):",
        "needed modeling_hawk.py:2 |     return x",
        "own modular_owl.py:4 | def twice(x):",
        "own modular_owl.py:5 |     return flap(flap(x))",
        "own modular_owl.py:8 | class OwlWing:",
        "own modular_owl.py:9 |     beat = twice",
    ]


def test_the_lines_of_a_docstring(tmp_path: Path) -> None:
    """The parent's `Copied from` comment is gone; words in strings lead to their lines like any others."""
    parent = """
        # Copied from models.bird.modeling_bird.BirdWing with Bird->Hawk
        class HawkWing:
            '''The wing of a Hawk.

            It is "wide".
            '''

            size = 1
        """
    modular_file = """
        from ..hawk.modeling_hawk import HawkWing


        class OwlWing(HawkWing):
            pass
        """
    assert blamed(tmp_path, modular_file, parent) == [
        "inherited modeling_hawk.py:2 | class OwlWing:",
        'inherited modeling_hawk.py:3 |     """The wing of a Owl.',
        'inherited modeling_hawk.py:5 |     It is "wide".',
        'inherited modeling_hawk.py:6 |     """',
        "inherited modeling_hawk.py:8 |     size = 1",
    ]
