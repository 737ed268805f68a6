"""Plain Python in the place of torch, for examples that are run."""

from . import nn as nn
