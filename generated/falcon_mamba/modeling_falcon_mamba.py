# This file is generated from models/falcon_mamba/modular_falcon_mamba.py. Do not edit it: edit modular_falcon_mamba.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

import torch
from torch import nn

from transformers.activations import ACT2FN
from transformers.initialization import copy_, ones_
from transformers.integrations import use_kernel_func_from_hub_with_fallback
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import BaseModelOutput
from transformers.modeling_utils import PreTrainedModel
from transformers.utils import can_return_tuple
from transformers.utils.import_utils import is_mambapy_available

from .configuration_falcon_mamba import FalconMambaConfig


try:
    from torch.nn.functional import rms_norm
except ImportError:  # before torch 2.4
    rms_norm = None


if is_mambapy_available():
    from mambapy.pscan import pscan
else:
    pscan = None


# The argument names are the kernel's.
@use_kernel_func_from_hub_with_fallback("selective_scan_fn", "mamba_ssm")
def mamba_selective_scan(u, delta, A, B, C, D, z, delta_bias, delta_softplus=True, use_mambapy=False):
    delta = nn.functional.softplus(delta + delta_bias[:, None])
    decay = torch.exp(A[:, None] * delta[..., None])
    update = (delta * u)[..., None] * B.transpose(1, 2)[:, None]
    if use_mambapy and pscan is not None:
        states = pscan(decay.transpose(1, 2), update.transpose(1, 2)).transpose(1, 2)
    else:
        states = [torch.zeros_like(update[:, :, 0])]
        for step in range(u.shape[-1]):
            states.append(decay[:, :, step] * states[-1] + update[:, :, step])
        states = torch.stack(states[1:], dim=2)
    return ((states * C.transpose(1, 2)[:, None]).sum(-1) + D[:, None] * u) * nn.functional.silu(z)


def normalize(hidden_states, eps):
    output = hidden_states.float()
    if rms_norm is None:
        output = output * torch.rsqrt(output.pow(2).mean(-1, keepdim=True) + eps)
    else:
        output = rms_norm(output, output.shape[-1:], eps=eps)
    return output.type_as(hidden_states)


class FalconMambaMixer(nn.Module):
    def __init__(self, config: FalconMambaConfig):
        super().__init__()
        size, self.state_size = config.intermediate_size, config.state_size
        self.time_step_rank = config.time_step_rank
        self.use_mambapy = config.use_mambapy
        kernel = config.conv_kernel
        self.conv1d = nn.Conv1d(size, size, kernel, groups=size, padding=kernel - 1, bias=config.use_conv_bias)
        self.act = ACT2FN[config.hidden_act]
        self.in_proj = nn.Linear(config.hidden_size, size * 2, bias=config.use_bias)
        self.x_proj = nn.Linear(size, self.time_step_rank + self.state_size * 2, bias=False)
        self.dt_proj = nn.Linear(self.time_step_rank, size)
        self.A_log = nn.Parameter(torch.empty(size, self.state_size))
        self.D = nn.Parameter(torch.empty(size))
        self.out_proj = nn.Linear(size, config.hidden_size, bias=config.use_bias)
        self.rms_eps = config.mixer_rms_eps

    def forward(self, hidden_states, attention_mask=None) -> torch.Tensor:
        mask = 1 if attention_mask is None else attention_mask[:, :, None].to(hidden_states.dtype)
        projected, gate = self.in_proj(hidden_states * mask).transpose(1, 2).chunk(2, dim=1)
        projected = self.act(self.conv1d(projected)[..., : hidden_states.shape[1]]).transpose(1, 2) * mask

        time_step, B, C = self.get_step_and_projections(projected)
        time_step = self.dt_proj.weight @ time_step.transpose(1, 2)
        scanned = mamba_selective_scan(
            projected.transpose(1, 2),
            time_step,
            -torch.exp(self.A_log.float()),
            B.transpose(1, 2),
            C.transpose(1, 2),
            self.D.float(),
            gate,
            self.dt_proj.bias.float(),
            delta_softplus=True,
            use_mambapy=self.use_mambapy,
        )
        return self.out_proj(scanned.transpose(1, 2).to(hidden_states.dtype))

    def get_step_and_projections(self, projected):
        """How long each token acts, what it writes into the state, and what it reads from it."""
        sizes = [self.time_step_rank, self.state_size, self.state_size]
        return [normalize(part, self.rms_eps) for part in self.x_proj(projected).split(sizes, dim=-1)]


class FalconMambaPreTrainedModel(PreTrainedModel):
    config: FalconMambaConfig
    base_model_prefix = "backbone"
    supports_gradient_checkpointing = True

    @torch.no_grad()
    def _init_weights(self, module):
        super()._init_weights(module)
        if isinstance(module, FalconMambaMixer):
            decay = torch.arange(1, module.state_size + 1, dtype=torch.float32).expand_as(module.A_log)
            copy_(module.A_log, decay.log())
            ones_(module.D)


class FalconMambaRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states) -> torch.Tensor:
        output = hidden_states.float()
        output = output * torch.rsqrt(output.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * output.to(hidden_states.dtype)


class FalconMambaBlock(GradientCheckpointingLayer):
    def __init__(self, config: FalconMambaConfig):
        super().__init__()
        self.norm = FalconMambaRMSNorm(config.hidden_size, eps=config.layer_norm_epsilon)
        self.mixer = FalconMambaMixer(config)

    def forward(self, hidden_states, attention_mask=None) -> torch.Tensor:
        normed = self.norm(hidden_states.to(self.norm.weight.dtype))
        return hidden_states.float() + self.mixer(normed, attention_mask)


class FalconMambaModel(FalconMambaPreTrainedModel):
    def __init__(self, config: FalconMambaConfig):
        super().__init__(config)
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([FalconMambaBlock(config) for _ in range(config.num_hidden_layers)])
        self.norm_f = FalconMambaRMSNorm(config.hidden_size, eps=config.layer_norm_epsilon)
        self.post_init()

    def get_input_embeddings(self):
        return self.embeddings

    def set_input_embeddings(self, value):
        self.embeddings = value

    @can_return_tuple
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        output_hidden_states: bool = False,
    ) -> BaseModelOutput:
        hidden_states = self.embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        states = []
        for layer in self.layers:
            hidden_states = layer(hidden_states, attention_mask)
            states.append(hidden_states)
        hidden_states = self.norm_f(hidden_states)
        return BaseModelOutput(
            last_hidden_state=hidden_states,
            hidden_states=(*states, hidden_states) if output_hidden_states else None,
        )


__all__ = ["FalconMambaModel", "FalconMambaPreTrainedModel"]
