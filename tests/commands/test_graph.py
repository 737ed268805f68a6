"""`modular graph`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flock import MODULAR_OWL, make_flock, run_modular
from tests.support import write_project


def test_all_models(tmp_path: Path) -> None:
    done = run_modular("graph", cwd=make_flock(tmp_path))
    assert (
        done.stdout
        == """\
owl
  eagle (modeling_eagle): EagleModel, EagleWing
owlet
  owl (modeling_owl): OwlWing
"""
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MODULAR_OWL.replace("import E", "import (E"), "error[MOD101]: '(' was never"),
        ("\0", "error[MOD102]"),
    ],
    ids=["half typed", "no text"],
)
def test_a_modular_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, text: str, message: str
) -> None:
    """Its parents are missing in the graph."""
    make_flock(tmp_path)
    (tmp_path / "models/owl/modular_owl.py").write_text(text, encoding="utf-8")
    done = run_modular("graph", cwd=tmp_path)
    assert "eagle" not in done.stdout
    assert done.stderr.startswith(message)
    assert "--> models/owl/modular_owl.py:1:" in done.stderr
    assert done.returncode == 1


def test_one_model_by_its_name_or_its_file(tmp_path: Path) -> None:
    make_flock(tmp_path)
    expected = "owlet\n  owl (modeling_owl): OwlWing\n"
    assert run_modular("graph", "owlet", cwd=tmp_path).stdout == expected
    assert (
        run_modular("graph", "models/owlet/modular_owlet.py", cwd=tmp_path).stdout
        == expected
    )


def test_ancestors_and_descendants(tmp_path: Path) -> None:
    make_flock(tmp_path)
    both = "flowchart LR\n{}".format
    eagle, owl = 'm1("eagle")', 'm2["owl"]'
    up = run_modular(
        "graph", "owl", "--ancestors", "--output-format", "mermaid", cwd=tmp_path
    )
    assert up.stdout == both(
        f"  {eagle}\n  {owl}\n  style m2 stroke-width:4px\n  m1 --> m2\n"
    )
    down = run_modular(
        "graph", "eagle", "--descendants", "--output-format", "mermaid", cwd=tmp_path
    )
    nodes, arrows = f'  {eagle}\n  {owl}\n  m3["owlet"]\n', "  m1 --> m2\n  m2 --> m3\n"
    assert down.stdout == both(f"{nodes}  style m1 stroke-width:4px\n{arrows}")
    all_of_it = run_modular(
        "graph",
        "owl",
        "--ancestors",
        "--descendants",
        "--output-format",
        "mermaid",
        cwd=tmp_path,
    )
    assert all_of_it.stdout == both(f"{nodes}  style m2 stroke-width:4px\n{arrows}")


def test_wrong_use(tmp_path: Path) -> None:
    make_flock(tmp_path)
    unknown = run_modular("graph", "owlett", cwd=tmp_path)
    assert unknown.returncode == 2
    assert "Did you mean `owlet`?" in unknown.stderr
    write_project(
        tmp_path,
        {"models/old/owl/modular_owl.py": MODULAR_OWL.replace("..eagle", "...eagle")},
    )
    twice = run_modular("graph", "owl", cwd=tmp_path)
    assert (
        "several models are called `owl`: name one of `models/old/owl`, `models/owl`"
        in twice.stderr
    )
    alone = run_modular("graph", "--ancestors", cwd=tmp_path)
    assert alone.returncode == 2
    assert "--ancestors and --descendants need a MODEL" in alone.stderr


def test_wrong_settings(tmp_path: Path) -> None:
    make_flock(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.modular]\nmodel = 3\n")
    done = run_modular("graph", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: pyproject.toml:2: tool.modular.model: unknown key; did you mean `models`?\n"
    )


def test_it_is_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    make_flock(tmp_path)
    command = [sys.executable, "-m", "modular", "graph", "--output-format", "json"]
    texts = {
        subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(texts) == 1
