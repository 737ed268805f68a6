# Part of the modular project, under the Apache License 2.0.
"""OLMo 2: Llama with norms on queries and keys, and behind attention and MLP instead of before them"""

import torch
from torch import nn

from transformers.cache_utils import Cache
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.utils.generic import no_inherit_decorator

from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import (
    LlamaAttention,
    LlamaDecoderLayer,
    LlamaForCausalLM,
    LlamaModel,
    LlamaRMSNorm,
    eager_attention_forward,
    rotate_half,
)


class Olmo2Config(LlamaConfig):
    """Sizes and switches of an OLMo 2 decoder. The defaults are those of the 7B model."""

    model_type = "olmo2"
    # The norms on queries and keys need them whole, so those are gathered.
    base_model_tp_plan = {
        "layers.*.self_attn.q_proj": "colwise_gather_output",
        "layers.*.self_attn.k_proj": "colwise_gather_output",
        "layers.*.self_attn.v_proj": "colwise_gather_output",
        "layers.*.self_attn.o_proj": "rowwise_split_input",
        "layers.*.mlp.gate_proj": "colwise",
        "layers.*.mlp.up_proj": "colwise",
        "layers.*.mlp.down_proj": "rowwise",
    }

    vocab_size: int = 50304
    rms_norm_eps: float = 1e-5
    pad_token_id: int | None = 1
    bos_token_id: int | None = None
    eos_token_id: int | list[int] | None = 50279
    head_dim = AttributeError()
    pretraining_tp = AttributeError()


# The hub's kernel rounds before it takes the weight, so it must not come along.
@no_inherit_decorator
class Olmo2RMSNorm(LlamaRMSNorm):
    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return (self.weight * hidden_states).to(input_dtype)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    """Turn queries and keys by their positions' angles, and return each in the precision it came in."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos + rotate_half(q) * sin).to(q.dtype), (k * cos + rotate_half(k) * sin).to(k.dtype)


class Olmo2Attention(LlamaAttention):
    def __init__(self, config: Olmo2Config, layer_idx: int | None = None):
        super().__init__(config, layer_idx)
        self.q_norm = Olmo2RMSNorm(config.num_attention_heads * self.head_dim, config.rms_norm_eps)
        self.k_norm = Olmo2RMSNorm(config.num_key_value_heads * self.head_dim, config.rms_norm_eps)

    def forward(
        self,
        hidden_states: torch.Tensor,
        position_embeddings: tuple[torch.Tensor, torch.Tensor],
        attention_mask: torch.Tensor | None = None,
        past_key_values: Cache | None = None,
        **kwargs,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        input_shape = hidden_states.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)
        query = self.q_norm(self.q_proj(hidden_states)).view(hidden_shape).transpose(1, 2)
        key = self.k_norm(self.k_proj(hidden_states)).view(hidden_shape).transpose(1, 2)
        value = self.v_proj(hidden_states).view(hidden_shape).transpose(1, 2)

        query, key = apply_rotary_pos_emb(query, key, *position_embeddings)
        if past_key_values is not None:
            key, value = past_key_values.update(key, value, self.layer_idx)

        attention = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager_attention_forward)
        dropout = self.attention_dropout if self.training else 0.0
        attn_output, attn_weights = attention(
            self, query, key, value, attention_mask, scaling=self.scaling, dropout=dropout, **kwargs
        )
        return self.o_proj(attn_output.reshape(*input_shape, -1).contiguous()), attn_weights


class Olmo2DecoderLayer(LlamaDecoderLayer):
    def __init__(self, config: Olmo2Config, layer_idx: int):
        super().__init__(config, layer_idx)
        self.self_attn = Olmo2Attention(config, layer_idx)
        self.post_attention_layernorm = Olmo2RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.post_feedforward_layernorm = Olmo2RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        del self.input_layernorm

    def forward(self, hidden_states: torch.Tensor, **kwargs) -> torch.Tensor:
        attn_output, _ = self.self_attn(hidden_states, **kwargs)
        hidden_states = hidden_states + self.post_attention_layernorm(attn_output)
        return hidden_states + self.post_feedforward_layernorm(self.mlp(hidden_states))


class Olmo2Model(LlamaModel):
    def __init__(self, config: Olmo2Config):
        super().__init__(config)
        self.layers = nn.ModuleList([Olmo2DecoderLayer(config, i) for i in range(config.num_hidden_layers)])
        self.post_init()


class Olmo2ForCausalLM(LlamaForCausalLM):
    def __init__(self, config: Olmo2Config):
        super().__init__(config)
        self.model = Olmo2Model(config)


__all__ = ["Olmo2Config", "Olmo2ForCausalLM", "Olmo2Model"]
