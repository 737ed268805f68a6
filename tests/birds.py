"""A small project: a hand-written hawk, an owl that inherits from it, and an owlet that inherits from the owl."""

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

BIRDS = {
    "models/hawk/modeling_hawk.py": HAWK,
    "models/owl/modular_owl.py": MODULAR_OWL,
    "models/owlet/modular_owlet.py": MODULAR_OWLET,
}
"""The files that people write, by path."""
