# Part of the modular project, under the Apache License 2.0.
"""Mistral: Llama without biases, with few key heads, where each token sees only the last ones"""

from torch import nn

from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask

from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import LlamaAttention, LlamaForCausalLM, LlamaModel, LlamaPreTrainedModel


class MistralConfig(LlamaConfig):
    """Sizes and switches of a Mistral decoder. The defaults are those of the 7B model."""

    model_type = "mistral"

    intermediate_size: int = 14336
    num_key_value_heads: int = 8
    max_position_embeddings: int = 4096 * 32
    # How many tokens each token sees, itself among them; None means all before it.
    sliding_window: int | None = 4096
    attention_bias = AttributeError()
    pretraining_tp = AttributeError()


class MistralAttention(LlamaAttention):
    def __init__(self, config: MistralConfig, layer_idx: int | None = None):
        self.sliding_window = config.sliding_window
        super().__init__(config, layer_idx)
        query_size, key_size = config.num_attention_heads * self.head_dim, config.num_key_value_heads * self.head_dim
        self.q_proj = nn.Linear(config.hidden_size, query_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, key_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, key_size, bias=False)
        self.o_proj = nn.Linear(query_size, config.hidden_size, bias=False)

    def forward(self, hidden_states, position_embeddings, attention_mask=None, past_key_values=None, **kwargs):
        kwargs["sliding_window"] = self.sliding_window
        return super().forward(hidden_states, position_embeddings, attention_mask, past_key_values, **kwargs)


class MistralPreTrainedModel(LlamaPreTrainedModel):
    pass


class MistralModel(LlamaModel):
    def create_mask(self, inputs_embeds, attention_mask, past_key_values, position_ids):
        create = create_causal_mask if self.config.sliding_window is None else create_sliding_window_causal_mask
        return create(
            self.config,
            inputs_embeds=inputs_embeds,
            attention_mask=attention_mask,
            past_key_values=past_key_values,
            position_ids=position_ids,
        )


class MistralForCausalLM(LlamaForCausalLM):
    pass


__all__ = ["MistralConfig", "MistralForCausalLM", "MistralModel", "MistralPreTrainedModel"]
