"""The base class of layers."""

from torch import nn


class GradientCheckpointingLayer(nn.Module):
    """A layer."""
