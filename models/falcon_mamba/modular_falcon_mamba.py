# Part of the modular project, under the Apache License 2.0.
"""Falcon Mamba: Mamba that norms what it writes, what it reads and for how long"""

import torch

from ..mamba.configuration_mamba import MambaConfig
from ..mamba.modeling_mamba import MambaMixer, MambaModel, MambaPreTrainedModel


try:
    from torch.nn.functional import rms_norm
except ImportError:  # before torch 2.4
    rms_norm = None


class FalconMambaConfig(MambaConfig):
    """Sizes and switches of a Falcon Mamba. `use_mambapy` is the name of a package, which no new model's name changes."""

    model_type = "falcon_mamba"

    mixer_rms_eps: float = 1e-6


def normalize(hidden_states, eps):
    output = hidden_states.float()
    if rms_norm is None:
        output = output * torch.rsqrt(output.pow(2).mean(-1, keepdim=True) + eps)
    else:
        output = rms_norm(output, output.shape[-1:], eps=eps)
    return output.type_as(hidden_states)


class FalconMambaMixer(MambaMixer):
    def __init__(self, config: FalconMambaConfig):
        super().__init__(config)
        self.rms_eps = config.mixer_rms_eps

    def get_step_and_projections(self, projected):
        sizes = [self.time_step_rank, self.state_size, self.state_size]
        return [normalize(part, self.rms_eps) for part in self.x_proj(projected).split(sizes, dim=-1)]


class FalconMambaPreTrainedModel(MambaPreTrainedModel):
    pass


class FalconMambaModel(MambaModel):
    pass


__all__ = ["FalconMambaConfig", "FalconMambaModel", "FalconMambaPreTrainedModel"]
