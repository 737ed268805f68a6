"""Builds with the real Ninja and the real Make: the second does nothing, and a touched parent is built again."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from modular.run.depfile import render
from tests.flock import EAGLE, GENERATED, OWL, OWLET, make_flock


NINJA = str(Path(sys.executable).with_name("ninja"))
MODULAR = f"{sys.executable} -m modular"
PARENT = "models/eagle/modeling_eagle.py"

ONE_STEP = f"""\
rule flatten
  command = {MODULAR} convert --depfile build/models.d
  depfile = build/models.d
  deps = gcc
  restat = 1

build models/owl/modeling_owl.py models/owlet/modeling_owlet.py: flatten
"""

STEP_BY_STEP = f"""\
rule flatten
  command = {MODULAR} convert $model --depfile build/$model.d
  depfile = build/$model.d
  deps = gcc
  restat = 1

build models/owl/modeling_owl.py: flatten models/owl/modular_owl.py
  model = owl
build models/owlet/modeling_owlet.py: flatten models/owlet/modular_owlet.py
  model = owlet
"""

MAKE_ONE_STEP = f"""\
OUTPUTS := models/owl/modeling_owl.py models/owlet/modeling_owlet.py

$(OUTPUTS) &:
	{MODULAR} convert --depfile build/models.d
	touch $(OUTPUTS)

-include build/models.d
"""

MAKE_STEP_BY_STEP = f"""\
all: models/owl/modeling_owl.py models/owlet/modeling_owlet.py

models/owl/modeling_owl.py:
	{MODULAR} convert owl --depfile build/owl.d
	touch $@

models/owlet/modeling_owlet.py:
	{MODULAR} convert owlet --depfile build/owlet.d
	touch $@

-include build/owl.d build/owlet.d
"""


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


TICK = 0.05
"""Seconds after which the clock by which files are dated has moved on for sure."""


def touch(path: Path) -> None:
    """Make a file newer than all that was built, and older than all that will be."""
    time.sleep(TICK)
    os.utime(path)
    time.sleep(TICK)


def save(path: Path, text: str) -> None:
    """Write a file in the same way."""
    path.write_text(text, encoding="utf-8")
    touch(path)


@pytest.mark.parametrize(
    "build",
    [ONE_STEP, pytest.param(STEP_BY_STEP, marks=pytest.mark.slow)],
    ids=["one", "each"],
)
def test_ninja(tmp_path: Path, build: str) -> None:
    root = make_flock(tmp_path, converted=False)
    (root / "build.ninja").write_text(build)
    assert "modular convert" in run(NINJA, "-v", cwd=root)
    assert {path: (root / path).read_text() for path in GENERATED} == GENERATED
    assert run(NINJA, cwd=root) == "ninja: no work to do.\n"

    touch(root / PARENT)
    assert "modular convert" in run(NINJA, "-v", cwd=root)
    assert run(NINJA, cwd=root) == "ninja: no work to do.\n", (
        "though no generated file was written"
    )

    save(root / PARENT, EAGLE.replace("return 1", "return 2"))
    run(NINJA, cwd=root)
    assert (root / "models/owl/modeling_owl.py").read_text() == OWL.replace(
        "return 1", "return 2"
    )
    assert (root / "models/owlet/modeling_owlet.py").read_text() == OWLET.replace(
        "return 1", "return 2"
    )
    assert run(NINJA, cwd=root) == "ninja: no work to do.\n"


@pytest.mark.slow
def test_ninja_builds_only_what_depends_on_a_file(tmp_path: Path) -> None:
    root = make_flock(tmp_path)
    (root / "build.ninja").write_text(STEP_BY_STEP)
    run(NINJA, cwd=root)
    touch(root / "models/owlet/modular_owlet.py")
    assert "[1/1]" in run(NINJA, cwd=root)


@pytest.mark.parametrize(
    "build",
    [MAKE_ONE_STEP, pytest.param(MAKE_STEP_BY_STEP, marks=pytest.mark.slow)],
    ids=["one", "each"],
)
def test_make(tmp_path: Path, build: str) -> None:
    root = make_flock(tmp_path, converted=False)
    (root / "Makefile").write_text(build)
    assert "modular convert" in run("make", cwd=root)
    assert {path: (root / path).read_text() for path in GENERATED} == GENERATED
    run("make", "--question", cwd=root)

    touch(root / PARENT)
    assert "modular convert" in run("make", cwd=root)

    save(root / PARENT, EAGLE.replace("return 1", "return 2"))
    run("make", cwd=root)
    assert (root / "models/owl/modeling_owl.py").read_text() == OWL.replace(
        "return 1", "return 2"
    )
    assert (root / "models/owlet/modeling_owlet.py").read_text() == OWLET.replace(
        "return 1", "return 2"
    )


@pytest.mark.slow
def test_make_goes_on_when_a_parent_was_renamed(tmp_path: Path) -> None:
    """The dependency file still knows it by the old name."""
    root = make_flock(tmp_path, converted=False)
    (root / "Makefile").write_text(MAKE_ONE_STEP)
    run("make", cwd=root)
    (root / PARENT).unlink()
    (root / "models/hawk").mkdir()
    (root / "models/hawk/modeling_hawk.py").write_text(EAGLE.replace("Eagle", "Hawk"))
    modular = root / "models/owl/modular_owl.py"
    save(modular, modular.read_text().replace("eagle", "hawk").replace("Eagle", "Hawk"))
    assert "modular convert" in run("make", cwd=root)
    assert (root / "models/owl/modeling_owl.py").read_text() == OWL
    assert "eagle" not in (root / "build/models.d").read_text()


AWKWARD = (
    "a b.py",
    "a  b.py",
    "a#b.py",
    "a$b.py",
    "a:b.py",
    "a\\b.py",
    "a\\ b.py",
    "a%b.py",
    "(a){b}.py",
    "ä.py",
    "a@b!,+~.py",
)


@pytest.mark.parametrize("name", AWKWARD)
def test_both_read_what_is_written(tmp_path: Path, name: str) -> None:
    """The target depends on a file with an awkward name, and on another after it."""
    for file in (name, "last.py"):
        (tmp_path / file).write_text("")
    depfile = render({"out": [name, "last.py"]})
    (tmp_path / "given.d").write_text(depfile)
    (tmp_path / "Makefile").write_text("out:\n\ttouch out\n\ninclude given.d\n")
    (tmp_path / "build.ninja").write_text(
        "rule touch\n  command = cp given.d out.d && touch out\n  depfile = out.d\n  deps = gcc\n\nbuild out: touch\n"
    )
    for file in (name, "last.py"):
        for build in (["make"], [NINJA]):
            run(*build, cwd=tmp_path)
            assert "touch out" not in run(*build, cwd=tmp_path)
            touch(tmp_path / file)
            assert "touch out" in run(
                *build, *(["-v"] if build == [NINJA] else []), cwd=tmp_path
            )
