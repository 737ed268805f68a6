# This file is generated from models/falcon_mamba/modular_falcon_mamba.py. Do not edit it: edit modular_falcon_mamba.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

import math

from transformers.configuration_utils import PreTrainedConfig


class FalconMambaConfig(PreTrainedConfig):
    """Sizes and switches of a Falcon Mamba. `use_mambapy` is the name of a package, which no new model's name changes."""

    model_type = "falcon_mamba"

    vocab_size: int = 50280
    hidden_size: int = 768
    state_size: int = 16
    num_hidden_layers: int = 32
    layer_norm_epsilon: float = 1e-5
    pad_token_id: int | None = 0
    bos_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 0
    expand: int = 2
    conv_kernel: int = 4
    use_bias: bool = False
    use_conv_bias: bool = True
    hidden_act: str = "silu"
    initializer_range: float = 0.1
    time_step_rank: str | int = "auto"
    use_mambapy: bool = False

    mixer_rms_eps: float = 1e-6

    def __post_init__(self, **kwargs):
        self.intermediate_size = self.expand * self.hidden_size
        if self.time_step_rank == "auto":
            self.time_step_rank = math.ceil(self.hidden_size / 16)
        super().__post_init__(**kwargs)


__all__ = ["FalconMambaConfig"]
