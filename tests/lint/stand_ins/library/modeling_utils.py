"""The base class of models."""

from torch import nn


class PreTrainedModel(nn.Module):
    """A model that keeps its configuration."""

    def __init__(self, config=None, *inputs, **options):
        super().__init__()
        self.config = config

    def post_init(self):
        self.is_initialized = True
