"""What the tests here share: a small project with a parent, a child and a grandchild, converted."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modular.cli.main import main
from tests import support


HAWK = """\
import math

from torch import nn

from .configuration_hawk import HawkConfig


EPS = 1e-6


def glide(x):
    return x - EPS


class HawkWing(nn.Module):
    def __init__(self, config: HawkConfig):
        super().__init__()
        self.span = config.span
        self.beats = math.pi

    def beat(self, x):
        return glide(x)


class HawkModel(nn.Module):
    wing_class = HawkWing

    def forward(self, x):
        return self.wing.beat(x)
"""

MODULAR_OWL = """\
# Owls hunt at night.

from ..hawk.modeling_hawk import HawkModel, HawkWing


class OwlWing(HawkWing):
    def __init__(self, config):
        super().__init__(config)
        self.beats = 0
        self.silent = True


class OwlModel(HawkModel):
    def hoot(self):
        return "hoo"


__all__ = [
    "OwlModel",
    "OwlWing",
]
"""

OWL = """\
# Owls hunt at night.


from torch import nn


EPS = 1e-6


def glide(x):
    return x - EPS


class OwlWing(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.span = config.span
        self.beats = 0
        self.silent = True

    def beat(self, x):
        return glide(x)


class OwlModel(nn.Module):
    wing_class = OwlWing

    def forward(self, x):
        return self.wing.beat(x)

    def hoot(self):
        return "hoo"


__all__ = ["OwlModel", "OwlWing"]
"""

MODULAR_OWLET = """\
from ..owl.modeling_owl import OwlWing


class OwletWing(OwlWing):
    pass
"""

FILES = {
    "models/hawk/modeling_hawk.py": HAWK,
    "models/owl/modular_owl.py": MODULAR_OWL,
    "models/owlet/modular_owlet.py": MODULAR_OWLET,
}


@pytest.fixture
def birds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, converted; the current folder is its root."""
    monkeypatch.setenv("MODULAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "birds"
    assert support.convert(root, FILES).files["models/owl/modeling_owl.py"] == OWL
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def modular() -> Callable[..., Result]:
    """Runs a command and returns what it printed and its exit code."""
    return lambda *arguments, **more: CliRunner().invoke(
        main, arguments, catch_exceptions=False, **more
    )
