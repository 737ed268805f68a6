# This file is generated from models/xlm_roberta/modular_xlm_roberta.py. Do not edit it: edit modular_xlm_roberta.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.
from transformers.configuration_utils import PreTrainedConfig


class XLMRobertaConfig(PreTrainedConfig):
    """RoBERTa's configuration with another vocabulary: 250002 tokens in the released models."""

    model_type = "xlm-roberta"

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int | None = 1
    bos_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 2
    tie_word_embeddings: bool = True


__all__ = ["XLMRobertaConfig"]
