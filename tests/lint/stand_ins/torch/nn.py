"""Modules that only keep what they are given."""


class Module:
    """A module without any machinery."""

    def forward(self, *inputs):
        raise NotImplementedError

    def train(self, mode=True):
        return mode


class _Layer(Module):
    """A layer that keeps its arguments."""

    def __init__(self, *sizes, **options):
        self.sizes = sizes
        self.options = options

    def __call__(self, *inputs):
        return [type(self).__name__, *inputs]


class Linear(_Layer):
    """A linear layer."""


class Identity(_Layer):
    """A layer that changes nothing."""


class SiLU(_Layer):
    """An activation."""
