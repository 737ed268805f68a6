# Part of the modular project, under the Apache License 2.0.
"""OLMo 2: Llama with norms on queries and keys, and behind attention and MLP instead of before them"""

from torch import nn

from transformers.utils.generic import no_inherit_decorator

from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import (
    LlamaAttention,
    LlamaDecoderLayer,
    LlamaForCausalLM,
    LlamaModel,
    LlamaRMSNorm,
    rotate_half,
)


class Olmo2Config(LlamaConfig):
    """Sizes and switches of an OLMo 2 decoder. The defaults are those of the 7B model."""

    model_type = "olmo2"
    # The norms on queries and keys need them whole, so attention stays in one piece.
    base_model_tp_plan = {
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
        return (self.weight * self.normalize(hidden_states)).to(hidden_states.dtype)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    """Turn queries and keys by their positions' angles, and return each in the precision it came in."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos + rotate_half(q) * sin).to(q.dtype), (k * cos + rotate_half(k) * sin).to(k.dtype)


class Olmo2Attention(LlamaAttention):
    def __init__(self, config: Olmo2Config, layer_idx: int | None = None):
        super().__init__(config, layer_idx)
        self.q_norm = Olmo2RMSNorm(config.num_attention_heads * self.head_dim, config.rms_norm_eps)
        self.k_norm = Olmo2RMSNorm(config.num_key_value_heads * self.head_dim, config.rms_norm_eps)

    def project(self, hidden_states):
        query, key = self.q_norm(self.q_proj(hidden_states)), self.k_norm(self.k_proj(hidden_states))
        return query, key, self.v_proj(hidden_states)


class Olmo2DecoderLayer(LlamaDecoderLayer):
    def __init__(self, config: Olmo2Config, layer_idx: int):
        super().__init__(config, layer_idx)
        self.self_attn = Olmo2Attention(config, layer_idx)
        self.post_feedforward_layernorm = Olmo2RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        del self.input_layernorm

    def forward(self, hidden_states, **kwargs):
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
