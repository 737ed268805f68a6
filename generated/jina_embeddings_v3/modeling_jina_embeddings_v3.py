# This file is generated from models/jina_embeddings_v3/modular_jina_embeddings_v3.py. Do not edit it: edit modular_jina_embeddings_v3.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

import torch
from torch import nn

from transformers.activations import ACT2FN
from transformers.masking_utils import create_bidirectional_mask
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS, dynamic_rope_update
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from transformers.utils.doc import add_start_docstrings
from transformers.utils.output_capturing import capture_outputs

from .configuration_jina_embeddings_v3 import JinaEmbeddingsV3Config


_CHECKPOINT_FOR_DOC = "jinaai/jina-embeddings-v3-hf"


class JinaEmbeddingsV3Embeddings(nn.Module):
    """What a token is and which text it belongs to; where it stands is attention's business."""

    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None) -> torch.Tensor:
        if inputs_embeds is None:
            inputs_embeds = self.word_embeddings(input_ids)
        if token_type_ids is None:
            token_type_ids = torch.zeros(inputs_embeds.shape[:2], dtype=torch.long, device=inputs_embeds.device)
        return self.dropout(self.LayerNorm(inputs_embeds + self.token_type_embeddings(token_type_ids)))


class JinaEmbeddingsV3RotaryEmbedding(nn.Module):
    def __init__(self, config: JinaEmbeddingsV3Config):
        super().__init__()
        self.config = config
        self.max_seq_len_cached = config.max_position_embeddings
        self.original_max_seq_len = config.max_position_embeddings
        self.rope_type = config.rope_parameters["rope_type"]
        if self.rope_type == "default":
            inv_freq, self.attention_scaling = self.compute_default_rope_parameters(config)
        else:
            inv_freq, self.attention_scaling = ROPE_INIT_FUNCTIONS[self.rope_type](config)
        self.inv_freq = nn.Buffer(inv_freq, persistent=False)
        self.original_inv_freq = nn.Buffer(inv_freq.clone(), persistent=False)

    @staticmethod
    def compute_default_rope_parameters(config, **kwargs) -> tuple[torch.Tensor, float]:
        dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        exponents = torch.arange(0, dim, 2, dtype=torch.float) / dim
        return 1.0 / config.rope_parameters["rope_theta"] ** exponents, 1.0

    @torch.no_grad()
    @dynamic_rope_update
    def forward(self, x, position_ids) -> tuple[torch.Tensor, torch.Tensor]:
        angles = position_ids[..., None].float() * self.inv_freq.float().to(x.device)
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos() * self.attention_scaling, angles.sin() * self.attention_scaling
        return cos.to(x.dtype), sin.to(x.dtype)


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    """Turn queries and keys by their positions' angles. `unsqueeze_dim` is where they keep their heads."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
    attn_weights = torch.matmul(query, key.transpose(-1, -2)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
    return attn_output, attn_weights


class JinaEmbeddingsV3Attention(nn.Module):
    """Attention with rotary positions, in both directions."""

    def __init__(self, config: JinaEmbeddingsV3Config):
        super().__init__()
        self.config = config
        self.head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.scaling = self.head_dim**-0.5
        self.attention_dropout = config.attention_dropout
        self.is_causal = False
        query_size, key_size = config.num_attention_heads * self.head_dim, config.num_key_value_heads * self.head_dim
        self.q_proj = nn.Linear(config.hidden_size, query_size, bias=config.attention_bias)
        self.k_proj = nn.Linear(config.hidden_size, key_size, bias=config.attention_bias)
        self.v_proj = nn.Linear(config.hidden_size, key_size, bias=config.attention_bias)
        self.o_proj = nn.Linear(query_size, config.hidden_size, bias=config.attention_bias)

    def project(self, hidden_states) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)

    def split_heads(self, states) -> torch.Tensor:
        return states.view(*states.shape[:-1], -1, self.head_dim).transpose(1, 2)

    def attend(self, query, key, value, attention_mask, **kwargs) -> tuple[torch.Tensor, torch.Tensor | None]:
        attention = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager_attention_forward)
        dropout = self.attention_dropout if self.training else 0.0
        attn_output, attn_weights = attention(
            self, query, key, value, attention_mask, scaling=self.scaling, dropout=dropout, **kwargs
        )
        return self.o_proj(attn_output.flatten(2).contiguous()), attn_weights

    def forward(
        self, hidden_states, position_embeddings, attention_mask=None, **kwargs
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        query, key, value = map(self.split_heads, self.project(hidden_states))
        query, key = apply_rotary_pos_emb(query, key, *position_embeddings)
        return self.attend(query, key, value, attention_mask, **kwargs)


class JinaEmbeddingsV3CLIPMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.activation_fn = ACT2FN[config.hidden_act]
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states) -> torch.Tensor:
        return self.fc2(self.activation_fn(self.fc1(hidden_states)))


class JinaEmbeddingsV3Layer(GradientCheckpointingLayer):
    """A JinaEmbeddingsV3Layer adds to its input what attention finds in it, then what the MLP makes of that."""

    def __init__(self, config: JinaEmbeddingsV3Config):
        super().__init__()
        self.self_attn = JinaEmbeddingsV3Attention(config)
        self.mlp = JinaEmbeddingsV3CLIPMLP(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.post_mlp_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, **kwargs) -> torch.Tensor:
        attn_output, _ = self.self_attn(hidden_states, **kwargs)
        hidden_states = self.post_attention_layernorm(hidden_states + self.dropout(attn_output))
        return self.post_mlp_layernorm(hidden_states + self.dropout(self.mlp(hidden_states)))


class JinaEmbeddingsV3PreTrainedModel(PreTrainedModel):
    config: JinaEmbeddingsV3Config
    # Checkpoints keep their parent's name for the encoder.
    base_model_prefix = "roberta"
    supports_gradient_checkpointing = True
    _supports_sdpa = True
    _supports_attention_backend = True
    _can_record_outputs = {"hidden_states": JinaEmbeddingsV3Layer, "attentions": JinaEmbeddingsV3Attention}


class JinaEmbeddingsV3Pooler(nn.Module):
    """A summary of the text: the first token's state, once more transformed."""

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = nn.Tanh()

    def forward(self, hidden_states) -> torch.Tensor:
        return self.activation(self.dense(hidden_states[:, 0]))


JINA_EMBEDDINGS_V3_START_DOCSTRING = f"""A RoBERTa of any language, for instance `{_CHECKPOINT_FOR_DOC}`. """


@add_start_docstrings(JINA_EMBEDDINGS_V3_START_DOCSTRING)
class JinaEmbeddingsV3Model(JinaEmbeddingsV3PreTrainedModel):
    """The encoder with a pooler, without a head."""

    def __init__(self, config: JinaEmbeddingsV3Config, add_pooling_layer=True):
        super().__init__(config)
        self.embeddings = JinaEmbeddingsV3Embeddings(config)
        self.pooler = JinaEmbeddingsV3Pooler(config) if add_pooling_layer else None
        self.rotary_emb = JinaEmbeddingsV3RotaryEmbedding(config)
        self.layers = nn.ModuleList([JinaEmbeddingsV3Layer(config) for _ in range(config.num_hidden_layers)])
        self.post_init()

    def get_input_embeddings(self):
        return self.embeddings.word_embeddings

    def set_input_embeddings(self, value):
        self.embeddings.word_embeddings = value

    def encode(self, hidden_states, position_ids, **kwargs) -> torch.Tensor:
        if position_ids is None:
            position_ids = torch.arange(hidden_states.shape[1], device=hidden_states.device).unsqueeze(0)
        position_embeddings = self.rotary_emb(hidden_states, position_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, position_embeddings=position_embeddings, **kwargs)
        return hidden_states

    @capture_outputs
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        **kwargs,
    ) -> BaseModelOutputWithPooling:
        hidden_states = self.embeddings(input_ids, token_type_ids, position_ids, inputs_embeds)
        mask = create_bidirectional_mask(self.config, inputs_embeds=hidden_states, attention_mask=attention_mask)
        hidden_states = self.encode(hidden_states, position_ids, attention_mask=mask, **kwargs)
        pooled = self.pooler(hidden_states) if self.pooler is not None else None
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


__all__ = ["JinaEmbeddingsV3Model", "JinaEmbeddingsV3PreTrainedModel"]
