"""A small project for tests of commands: a bird written by hand, one that inherits from it, and one that inherits from that."""

import subprocess
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from modular.cli.main import main
from tests.support import write_project


EAGLE = """\
class EagleWing:
    def beat(self):
        return 1


class EagleModel:
    def __init__(self):
        self.wing = EagleWing()
"""

MODULAR_OWL = """\
from ..eagle.modeling_eagle import EagleModel, EagleWing


class OwlWing(EagleWing):
    pass


class OwlModel(EagleModel):
    pass
"""

OWL = EAGLE.replace("Eagle", "Owl")

MODULAR_OWLET = """\
from ..owl.modeling_owl import OwlWing


class OwletWing(OwlWing):
    pass
"""

OWLET = """\
class OwletWing:
    def beat(self):
        return 1
"""

FLOCK = {
    "models/eagle/modeling_eagle.py": EAGLE,
    "models/owl/modular_owl.py": MODULAR_OWL,
    "models/owlet/modular_owlet.py": MODULAR_OWLET,
}
"""The files that people write, by path."""

GENERATED = {"models/owl/modeling_owl.py": OWL, "models/owlet/modeling_owlet.py": OWLET}
"""What is generated from them, by path."""


def make_flock(root: Path, *, converted: bool = True) -> Path:
    """Write the project into a folder, with or without what is generated, and return the folder."""
    write_project(root, {**FLOCK, **(GENERATED if converted else {})})
    return root


def run_modular(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, in this process."""
    with chdir(cwd):
        done = CliRunner().invoke(main, arguments, prog_name="modular", env=env)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(
        arguments, done.exit_code, done.stdout, done.stderr
    )


def completed(words: str, cwd: Path) -> list[str]:
    """What is offered for the last of some words, in the way that the script for bash asks."""
    asked = {
        "_MODULAR_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    return run_modular(cwd=cwd, env=asked).stdout.split()
