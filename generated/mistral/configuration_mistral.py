# This file is generated from models/mistral/modular_mistral.py. Do not edit it: edit modular_mistral.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import RopeParameters


class MistralConfig(PreTrainedConfig):
    """Sizes and switches of a Mistral decoder. The defaults are those of the 7B model."""

    model_type = "mistral"
    keys_to_ignore_at_inference = ["past_key_values"]

    vocab_size: int = 32000
    hidden_size: int = 4096

    intermediate_size: int = 14336
    num_hidden_layers: int = 32
    num_attention_heads: int = 32
    num_key_value_heads: int = 8
    head_dim: int | None = None
    hidden_act: str = "silu"
    max_position_embeddings: int = 4096 * 32
    initializer_range: float = 0.02
    rms_norm_eps: float = 1e-6
    use_cache: bool = True
    pad_token_id: int | None = None
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2
    tie_word_embeddings: bool = False
    rope_parameters: RopeParameters | dict | None = None
    attention_dropout: float = 0.0
    # How many tokens each token sees, itself among them; None means all before it.
    sliding_window: int | None = 4096

    def __post_init__(self, **kwargs):
        if self.num_key_value_heads is None:
            self.num_key_value_heads = self.num_attention_heads
        if self.num_attention_heads % self.num_key_value_heads:
            # The words of an f-string are never renamed, so this must hold for the children too.
            raise ValueError(
                f"Llama-style attention shares each key head among equally many of the {self.num_attention_heads} "
                f"query heads: {self.num_key_value_heads} key heads cannot do that."
            )
        super().__post_init__(**kwargs)


__all__ = ["MistralConfig"]
