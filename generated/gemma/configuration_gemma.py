# This file is generated from models/gemma/modular_gemma.py. Do not edit it: edit modular_gemma.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import RopeParameters


class GemmaConfig(PreTrainedConfig):
    """Sizes and switches of a Gemma decoder. The defaults are those of the 7B model."""

    model_type = "gemma"
    keys_to_ignore_at_inference = ["past_key_values"]

    vocab_size: int = 256000
    hidden_size: int = 3072
    intermediate_size: int = 24576
    num_hidden_layers: int = 28
    num_attention_heads: int = 16
    num_key_value_heads: int = 16
    head_dim: int = 256
    hidden_act: str = "gelu_pytorch_tanh"
    max_position_embeddings: int = 8192
    initializer_range: float = 0.02
    rms_norm_eps: float = 1e-6
    use_cache: bool = True
    pad_token_id: int | None = 0
    bos_token_id: int | None = 2
    eos_token_id: int | list[int] | None = 1
    tie_word_embeddings: bool = True
    rope_parameters: RopeParameters | dict | None = None
    attention_bias: bool = False
    attention_dropout: float = 0.0

    def __post_init__(self, **kwargs):
        if self.hidden_act == "gelu":  # in the first files, whose weights want its tanh approximation
            self.hidden_act = "gelu_pytorch_tanh"
        if self.num_key_value_heads is None:
            self.num_key_value_heads = self.num_attention_heads
        if self.num_attention_heads % self.num_key_value_heads:
            # The words of an f-string are never renamed, so this must hold for the children too.
            raise ValueError(
                f"Llama-style attention shares each key head among equally many of the {self.num_attention_heads} "
                f"query heads: {self.num_key_value_heads} key heads cannot do that."
            )
        super().__post_init__(**kwargs)


__all__ = ["GemmaConfig"]
