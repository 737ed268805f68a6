# This file is generated from models/olmo2/modular_olmo2.py. Do not edit it: edit modular_olmo2.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import RopeParameters


class Olmo2Config(PreTrainedConfig):
    """Sizes and switches of an OLMo 2 decoder. The defaults are those of the 7B model."""

    model_type = "olmo2"
    keys_to_ignore_at_inference = ["past_key_values"]

    vocab_size: int = 50304
    hidden_size: int = 4096
    intermediate_size: int = 11008
    num_hidden_layers: int = 32
    num_attention_heads: int = 32
    # Fewer heads for keys and values than for queries; None means as many.
    num_key_value_heads: int | None = None
    hidden_act: str = "silu"
    max_position_embeddings: int = 2048
    initializer_range: float = 0.02
    rms_norm_eps: float = 1e-5
    use_cache: bool = True
    pad_token_id: int | None = 1
    bos_token_id: int | None = None
    eos_token_id: int | list[int] | None = 50279
    tie_word_embeddings: bool = False
    rope_parameters: RopeParameters | dict | None = None
    attention_bias: bool = False
    attention_dropout: float = 0.0
    # The norms on queries and keys need them whole, so attention stays in one piece.
    base_model_tp_plan = {
        "layers.*.mlp.gate_proj": "colwise",
        "layers.*.mlp.up_proj": "colwise",
        "layers.*.mlp.down_proj": "rowwise",
    }

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


__all__ = ["Olmo2Config"]
