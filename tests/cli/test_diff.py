"""With `--diff`, a command writes nothing, and exits with 1 if anything would change."""

from pathlib import Path

import pytest

from tests.flock import run_modular
from tests.support import write_project


PARENT = """\
class EagleModel:
    def __init__(self):
        self.size = 1
        self.name = "bird"

    def run(self, x):
        return x + self.size
"""
FLAT = PARENT.replace("Eagle", "Hawk")
MODULAR = """\
from ..eagle.modeling_eagle import EagleModel


class OwlModel(EagleModel):
    def __init__(self):
        super().__init__()
        del self.nothing
"""
FILES = {
    "models/eagle/modeling_eagle.py": PARENT,
    "models/hawk/modeling_hawk.py": FLAT,
    "models/owl/modular_owl.py": MODULAR,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_project(tmp_path, FILES, formatter="none")
    return tmp_path


def contents(root: Path) -> dict[str, bytes]:
    """Return the contents of all files of a project."""
    texts = {}
    for path in root.rglob("*"):
        if path.is_file():
            texts[path.relative_to(root).as_posix()] = path.read_bytes()
    return texts


@pytest.mark.parametrize(
    "command",
    [
        ("convert",),
        ("fix",),
        ("infer", "hawk"),
        ("init",),
        ("new", "young", "--from", "eagle"),
        ("rename", "EagleModel.run", "apply"),
    ],
    ids=lambda command: command[0],
)
def test_what_would_change_is_shown_with_exit_code_1(
    root: Path, command: tuple[str, ...]
) -> None:
    before = contents(root)
    done = run_modular(*command, "--diff", cwd=root)
    assert done.returncode == 1, done.stderr
    assert "+++ " in done.stdout
    assert contents(root) == before


@pytest.mark.parametrize(
    "command",
    [("convert",), ("fix",), ("infer", "hawk", "--force"), ("init",)],
    ids=lambda command: command[0],
)
def test_the_exit_code_is_0_once_it_is_written(
    root: Path, command: tuple[str, ...]
) -> None:
    assert run_modular(*command, cwd=root).returncode == 0
    if command[0] == "infer":
        assert run_modular(*command, "--write", cwd=root).returncode == 0
    done = run_modular(*command, "--diff", cwd=root)
    assert done.returncode == 0, done.stdout
    assert "+++ " not in done.stdout
