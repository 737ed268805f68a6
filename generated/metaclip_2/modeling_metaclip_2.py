# This file is generated from models/metaclip_2/modular_metaclip_2.py. Do not edit it: edit modular_metaclip_2.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from dataclasses import dataclass

import torch
from torch import nn

from transformers.activations import ACT2FN
from transformers.initialization import normal_
from transformers.masking_utils import create_causal_mask
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from transformers.utils import ModelOutput, can_return_tuple
from transformers.utils.output_capturing import capture_outputs

from .configuration_metaclip_2 import MetaClip2Config, MetaClip2TextConfig, MetaClip2VisionConfig


# The generated file has it, though nothing below needs it.
_CONFIG_FOR_DOC = "MetaClip2Config"


class MetaClip2VisionEmbeddings(nn.Module):
    """Patches in rows, behind a learned class token that will gather what is in the image."""

    def __init__(self, config: MetaClip2VisionConfig):
        super().__init__()
        self.image_size = config.image_size
        self.class_embedding = nn.Parameter(torch.randn(config.hidden_size))
        self.patch_embedding = nn.Conv2d(
            config.num_channels, config.hidden_size, config.patch_size, stride=config.patch_size, bias=False
        )
        self.num_positions = (config.image_size // config.patch_size) ** 2 + 1
        self.position_embedding = nn.Embedding(self.num_positions, config.hidden_size)

    def forward(self, pixel_values) -> torch.Tensor:
        height, width = pixel_values.shape[-2:]
        if height != self.image_size or width != self.image_size:
            raise ValueError(
                f"This model sees images of {self.image_size} by {self.image_size}, not {height} by {width}."
            )
        patches = self.patch_embedding(pixel_values.to(self.patch_embedding.weight.dtype)).flatten(2).transpose(1, 2)
        class_token = self.class_embedding.expand(len(patches), 1, -1)
        positions = torch.arange(self.num_positions, device=patches.device)
        return torch.cat([class_token, patches], dim=1) + self.position_embedding(positions)


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
    attn_weights = torch.matmul(query, key.transpose(-1, -2)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
    return attn_output, attn_weights


class MetaClip2Attention(nn.Module):
    def __init__(self, config: MetaClip2VisionConfig | MetaClip2TextConfig):
        super().__init__()
        self.config = config
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.scale = self.head_dim**-0.5
        self.dropout = config.attention_dropout
        self.is_causal = False
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.out_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> tuple[torch.Tensor, torch.Tensor | None]:
        input_shape = hidden_states.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)
        query = self.q_proj(hidden_states).view(hidden_shape).transpose(1, 2)
        key = self.k_proj(hidden_states).view(hidden_shape).transpose(1, 2)
        value = self.v_proj(hidden_states).view(hidden_shape).transpose(1, 2)

        attention = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager_attention_forward)
        dropout = self.dropout if self.training else 0.0
        attn_output, attn_weights = attention(
            self, query, key, value, attention_mask, scaling=self.scale, dropout=dropout, **kwargs
        )
        return self.out_proj(attn_output.reshape(*input_shape, -1).contiguous()), attn_weights


class MetaClip2MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.activation_fn = ACT2FN[config.hidden_act]
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states) -> torch.Tensor:
        return self.fc2(self.activation_fn(self.fc1(hidden_states)))


class MetaClip2EncoderLayer(nn.Module):
    def __init__(self, config: MetaClip2VisionConfig | MetaClip2TextConfig):
        super().__init__()
        self.self_attn = MetaClip2Attention(config)
        self.layer_norm1 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.mlp = MetaClip2MLP(config)
        self.layer_norm2 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        residual = hidden_states
        hidden_states, _ = self.self_attn(self.layer_norm1(hidden_states), attention_mask, **kwargs)
        hidden_states = residual + hidden_states
        return hidden_states + self.mlp(self.layer_norm2(hidden_states))


class MetaClip2PreTrainedModel(PreTrainedModel):
    config: MetaClip2Config
    base_model_prefix = "metaclip_2"
    input_modalities = ("image", "text")
    _supports_sdpa = True
    _supports_attention_backend = True
    _can_record_outputs = {"hidden_states": MetaClip2EncoderLayer, "attentions": MetaClip2Attention}

    @torch.no_grad()
    def _init_weights(self, module):
        super()._init_weights(module)
        if isinstance(module, MetaClip2VisionEmbeddings):
            normal_(module.class_embedding, std=module.class_embedding.shape[0] ** -0.5)


class MetaClip2TextEmbeddings(nn.Module):
    def __init__(self, config: MetaClip2TextConfig):
        super().__init__()
        self.token_embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embedding = nn.Embedding(config.max_position_embeddings, config.hidden_size)

    def forward(self, input_ids, position_ids=None) -> torch.Tensor:
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[-1], device=input_ids.device).unsqueeze(0)
        return self.token_embedding(input_ids) + self.position_embedding(position_ids)


class MetaClip2Encoder(nn.Module):
    def __init__(self, config: MetaClip2VisionConfig | MetaClip2TextConfig):
        super().__init__()
        self.layers = nn.ModuleList([MetaClip2EncoderLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        for layer in self.layers:
            hidden_states = layer(hidden_states, attention_mask, **kwargs)
        return hidden_states


class MetaClip2TextModel(MetaClip2PreTrainedModel):
    """The text tower: causal, and the end-of-text token gathers what was said."""

    config: MetaClip2TextConfig
    input_modalities = ("text",)
    _input_embed_layer = "token_embedding"

    def __init__(self, config: MetaClip2TextConfig):
        super().__init__(config)
        self.embeddings = MetaClip2TextEmbeddings(config)
        self.encoder = MetaClip2Encoder(config)
        self.final_layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.eos_token_id = config.eos_token_id
        self.post_init()

    @capture_outputs(tie_last_hidden_states=False)
    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        **kwargs,
    ) -> BaseModelOutputWithPooling:
        hidden_states = self.embeddings(input_ids, position_ids)
        mask = create_causal_mask(
            self.config, inputs_embeds=hidden_states, attention_mask=attention_mask, past_key_values=None
        )
        hidden_states = self.final_layer_norm(self.encoder(hidden_states, mask, is_causal=True, **kwargs))
        is_end = (input_ids == self.eos_token_id).int()
        rows = torch.arange(len(hidden_states), device=hidden_states.device)
        pooled = hidden_states[rows, is_end.argmax(dim=-1)]
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


class MetaClip2VisionModel(MetaClip2PreTrainedModel):
    """The vision tower."""

    config: MetaClip2VisionConfig
    main_input_name = "pixel_values"
    input_modalities = ("image",)
    _input_embed_layer = "patch_embedding"

    def __init__(self, config: MetaClip2VisionConfig):
        super().__init__(config)
        self.embeddings = MetaClip2VisionEmbeddings(config)
        # The slip of the pen is in every checkpoint.
        self.pre_layrnorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.encoder = MetaClip2Encoder(config)
        self.post_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.post_init()

    @capture_outputs(tie_last_hidden_states=False)
    def forward(self, pixel_values: torch.Tensor, **kwargs) -> BaseModelOutputWithPooling:
        hidden_states = self.pre_layrnorm(self.embeddings(pixel_values))
        hidden_states = self.encoder(hidden_states, **kwargs)
        pooled = self.post_layernorm(hidden_states[:, 0])
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


@dataclass
class MetaClip2Output(ModelOutput):
    """Similarities of each image with each text, and what they were computed from."""

    loss: torch.Tensor | None = None
    logits_per_image: torch.Tensor | None = None
    logits_per_text: torch.Tensor | None = None
    text_embeds: torch.Tensor | None = None
    image_embeds: torch.Tensor | None = None


def contrastive_loss(logits):
    """Each row should choose the column of its own number."""
    return nn.functional.cross_entropy(logits, torch.arange(len(logits), device=logits.device))


def image_text_contrastive_loss(similarity):
    return (contrastive_loss(similarity) + contrastive_loss(similarity.T)) / 2.0


class MetaClip2Model(MetaClip2PreTrainedModel):
    def __init__(self, config: MetaClip2Config):
        super().__init__(config)
        self.text_model = MetaClip2TextModel._from_config(config.text_config)
        self.vision_model = MetaClip2VisionModel._from_config(config.vision_config)
        self.visual_projection = nn.Linear(config.vision_config.hidden_size, config.projection_dim, bias=False)
        self.text_projection = nn.Linear(config.text_config.hidden_size, config.projection_dim, bias=False)
        self.logit_scale = nn.Parameter(torch.tensor(config.logit_scale_init_value))
        self.post_init()

    def get_text_features(self, input_ids, attention_mask=None, position_ids=None, **kwargs) -> torch.Tensor:
        return self.text_projection(self.text_model(input_ids, attention_mask, position_ids, **kwargs).pooler_output)

    def get_image_features(self, pixel_values, **kwargs) -> torch.Tensor:
        return self.visual_projection(self.vision_model(pixel_values, **kwargs).pooler_output)

    @can_return_tuple
    def forward(
        self,
        input_ids: torch.Tensor,
        pixel_values: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        return_loss: bool = False,
        **kwargs,
    ) -> MetaClip2Output:
        """`return_loss` takes the n-th image and the n-th text as a pair."""
        image_embeds = self.get_image_features(pixel_values, **kwargs)
        text_embeds = self.get_text_features(input_ids, attention_mask, position_ids, **kwargs)
        image_embeds = image_embeds / image_embeds.norm(dim=-1, keepdim=True)
        text_embeds = text_embeds / text_embeds.norm(dim=-1, keepdim=True)
        logits_per_text = text_embeds @ image_embeds.T * self.logit_scale.exp()
        return MetaClip2Output(
            loss=image_text_contrastive_loss(logits_per_text) if return_loss else None,
            logits_per_image=logits_per_text.T,
            logits_per_text=logits_per_text,
            text_embeds=text_embeds,
            image_embeds=image_embeds,
        )


__all__ = ["MetaClip2Model", "MetaClip2PreTrainedModel", "MetaClip2TextModel", "MetaClip2VisionModel"]
