# Part of the modular project, under the Apache License 2.0.
"""Jina Embeddings v3: XLM-RoBERTa with Llama's rotary positions. Four parents, one of them generated from a generated one"""

import torch
from torch import nn

from transformers.modeling_rope_utils import RopeParameters

from ..bert.modeling_bert import eager_attention_forward  # noqa: F401
from ..clip.modeling_clip import CLIPMLP
from ..llama.modeling_llama import LlamaAttention, LlamaDecoderLayer, LlamaRotaryEmbedding, apply_rotary_pos_emb
from ..xlm_roberta.configuration_xlm_roberta import XLMRobertaConfig
from ..xlm_roberta.modeling_xlm_roberta import XLMRobertaEmbeddings, XLMRobertaModel, XLMRobertaPreTrainedModel


_CHECKPOINT_FOR_DOC = "jinaai/jina-embeddings-v3-hf"


class JinaEmbeddingsV3Config(XLMRobertaConfig):
    """Sizes and switches of the encoder. The defaults are those of the released model."""

    model_type = "jina_embeddings_v3"
    attribute_map = {"num_key_value_heads": "num_attention_heads", "attention_dropout": "attention_probs_dropout_prob"}
    attention_bias = True
    default_theta = 20000.0

    vocab_size: int = 250002
    hidden_size: int = 1024
    num_hidden_layers: int = 24
    num_attention_heads: int = 16
    intermediate_size: int = 4096
    max_position_embeddings: int = 8194
    type_vocab_size: int = 1
    layer_norm_eps: float = 1e-5
    rope_parameters: RopeParameters | dict | None = None


class JinaEmbeddingsV3Embeddings(XLMRobertaEmbeddings):
    """What a token is and which text it belongs to; where it stands is attention's business."""

    def __init__(self, config):
        super().__init__(config)
        del self.position_embeddings
        del self.padding_idx

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None):
        if inputs_embeds is None:
            inputs_embeds = self.word_embeddings(input_ids)
        if token_type_ids is None:
            token_type_ids = torch.zeros(inputs_embeds.shape[:2], dtype=torch.long, device=inputs_embeds.device)
        return self.dropout(self.LayerNorm(inputs_embeds + self.token_type_embeddings(token_type_ids)))

    def create_position_ids(self):
        raise AttributeError("Rotary positions need no ids of their own.")


class JinaEmbeddingsV3RotaryEmbedding(LlamaRotaryEmbedding):
    pass


class JinaEmbeddingsV3Attention(LlamaAttention):
    """Attention with rotary positions, in both directions."""

    def __init__(self, config: JinaEmbeddingsV3Config):
        super().__init__(config)
        self.is_causal = False
        del self.layer_idx
        del self.num_key_value_groups

    def forward(self, hidden_states, position_embeddings, attention_mask=None, **kwargs):
        query, key, value = map(self.split_heads, self.project(hidden_states))
        query, key = apply_rotary_pos_emb(query, key, *position_embeddings)
        return self.attend(query, key, value, attention_mask, **kwargs)


class JinaEmbeddingsV3CLIPMLP(CLIPMLP):
    pass


class JinaEmbeddingsV3Layer(LlamaDecoderLayer):
    def __init__(self, config: JinaEmbeddingsV3Config):
        nn.Module.__init__(self)
        self.self_attn = JinaEmbeddingsV3Attention(config)
        self.mlp = JinaEmbeddingsV3CLIPMLP(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.post_mlp_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, **kwargs):
        attn_output, _ = self.self_attn(hidden_states, **kwargs)
        hidden_states = self.post_attention_layernorm(hidden_states + self.dropout(attn_output))
        return self.post_mlp_layernorm(hidden_states + self.dropout(self.mlp(hidden_states)))


class JinaEmbeddingsV3PreTrainedModel(XLMRobertaPreTrainedModel):
    _can_record_outputs = {"hidden_states": JinaEmbeddingsV3Layer, "attentions": JinaEmbeddingsV3Attention}

    def _init_weights(self, module):
        raise AttributeError("There is no head here whose bias would need it.")


class JinaEmbeddingsV3Model(XLMRobertaModel):
    def __init__(self, config: JinaEmbeddingsV3Config, add_pooling_layer=True):
        super().__init__(config, add_pooling_layer)
        self.embeddings = JinaEmbeddingsV3Embeddings(config)
        self.rotary_emb = JinaEmbeddingsV3RotaryEmbedding(config)
        self.layers = nn.ModuleList([JinaEmbeddingsV3Layer(config) for _ in range(config.num_hidden_layers)])
        del self.encoder

    def encode(self, hidden_states, position_ids, **kwargs):
        if position_ids is None:
            position_ids = torch.arange(hidden_states.shape[1], device=hidden_states.device).unsqueeze(0)
        position_embeddings = self.rotary_emb(hidden_states, position_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, position_embeddings=position_embeddings, **kwargs)
        return hidden_states


__all__ = ["JinaEmbeddingsV3Config", "JinaEmbeddingsV3Model", "JinaEmbeddingsV3PreTrainedModel"]
