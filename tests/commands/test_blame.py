"""`modular blame`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import modular as api


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
        (
            "owl",
            "owl: no such file; write the path of a Python file, not the name of a model",
        ),
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
