# This file is generated from models/jina_embeddings_v3/modular_jina_embeddings_v3.py. Do not edit it: edit modular_jina_embeddings_v3.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import RopeParameters


class JinaEmbeddingsV3Config(PreTrainedConfig):
    """Sizes and switches of the encoder. The defaults are those of the released model."""

    model_type = "jina_embeddings_v3"

    vocab_size: int = 250002
    hidden_size: int = 1024
    num_hidden_layers: int = 24
    num_attention_heads: int = 16
    intermediate_size: int = 4096
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 8194
    type_vocab_size: int = 1
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-5
    pad_token_id: int | None = 1
    bos_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 2
    tie_word_embeddings: bool = True
    attribute_map = {"num_key_value_heads": "num_attention_heads", "attention_dropout": "attention_probs_dropout_prob"}
    attention_bias = True
    default_theta = 20000.0
    rope_parameters: RopeParameters | dict | None = None


__all__ = ["JinaEmbeddingsV3Config"]
