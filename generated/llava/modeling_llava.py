# This file is generated from models/llava/modular_llava.py. Do not edit it: edit modular_llava.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.
import torch
from torch import nn

from transformers.activations import ACT2FN
from transformers.cache_utils import Cache, DynamicCache
from transformers.generation import GenerationMixin
from transformers.initialization import normal_
from transformers.integrations import use_kernel_forward_from_hub
from transformers.masking_utils import create_causal_mask
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import BaseModelOutputWithPast, BaseModelOutputWithPooling, CausalLMOutputWithPast
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS, dynamic_rope_update
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from transformers.utils import can_return_tuple
from transformers.utils.deprecation import deprecate_attr
from transformers.utils.generic import merge_with_config_defaults
from transformers.utils.output_capturing import capture_outputs

from .configuration_llava import LlavaConfig, LlavaTextConfig, LlavaVisionConfig


def eager_attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
    key = repeat_kv(key, module.num_key_value_groups)
    value = repeat_kv(value, module.num_key_value_groups)
    attn_weights = torch.matmul(query, key.transpose(-1, -2)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)
    attn_output = torch.matmul(attn_weights, value).transpose(1, 2).contiguous()
    return attn_output, attn_weights


def repeat_kv(hidden_states, n_rep):
    return hidden_states if n_rep == 1 else hidden_states.repeat_interleave(n_rep, dim=1)


class LlavaVisionAttention(nn.Module):
    def __init__(self, config: LlavaVisionConfig):
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
        self.num_key_value_groups = 1

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


class LlavaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.activation_fn = ACT2FN[config.hidden_act]
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def forward(self, hidden_states) -> torch.Tensor:
        return self.fc2(self.activation_fn(self.fc1(hidden_states)))


class LlavaVisionEncoderLayer(GradientCheckpointingLayer):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__()
        self.self_attn = LlavaVisionAttention(config)
        self.layer_norm1 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.mlp = LlavaMLP(config)
        self.layer_norm2 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        residual = hidden_states
        hidden_states, _ = self.self_attn(self.layer_norm1(hidden_states), attention_mask, **kwargs)
        hidden_states = residual + hidden_states
        return hidden_states + self.mlp(self.layer_norm2(hidden_states))


class LlavaVisionEncoder(nn.Module):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__()
        self.layers = nn.ModuleList([LlavaVisionEncoderLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, hidden_states, attention_mask=None, **kwargs) -> torch.Tensor:
        for layer in self.layers:
            hidden_states = layer(hidden_states, attention_mask, **kwargs)
        return hidden_states


class LlavaVisionEmbeddings(nn.Module):
    """Patches in rows, behind a learned class token that will gather what is in the image."""

    def __init__(self, config: LlavaVisionConfig):
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


class LlavaPreTrainedModel(PreTrainedModel):
    config: LlavaConfig
    base_model_prefix = "model"
    input_modalities = ("image", "text")
    _supports_sdpa = True
    _supports_attention_backend = True
    _can_record_outputs = {"hidden_states": LlavaVisionEncoderLayer, "attentions": LlavaVisionAttention}
    supports_gradient_checkpointing = True

    @torch.no_grad()
    def _init_weights(self, module):
        super()._init_weights(module)
        if isinstance(module, LlavaVisionEmbeddings):
            normal_(module.class_embedding, std=module.class_embedding.shape[0] ** -0.5)


class LlavaVisionModel(LlavaPreTrainedModel):
    """The vision tower."""

    config: LlavaVisionConfig
    main_input_name = "pixel_values"
    input_modalities = ("image",)
    _input_embed_layer = "patch_embedding"

    def __init__(self, config: LlavaVisionConfig):
        super().__init__(config)
        self.embeddings = LlavaVisionEmbeddings(config)
        # The slip of the pen is in every checkpoint.
        self.pre_layrnorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.encoder = LlavaVisionEncoder(config)
        self.post_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.post_init()

    @capture_outputs(tie_last_hidden_states=False)
    def forward(self, pixel_values: torch.Tensor, **kwargs) -> BaseModelOutputWithPooling:
        hidden_states = self.pre_layrnorm(self.embeddings(pixel_values))
        hidden_states = self.encoder(hidden_states, **kwargs)
        pooled = self.post_layernorm(hidden_states[:, 0])
        return BaseModelOutputWithPooling(last_hidden_state=hidden_states, pooler_output=pooled)


@use_kernel_forward_from_hub("RMSNorm")
class LlavaTextRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def normalize(self, hidden_states) -> torch.Tensor:
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        return hidden_states * torch.rsqrt(variance + self.variance_epsilon)

    # In float32 at first, whatever comes in: squares overflow early in half precision.
    def forward(self, hidden_states) -> torch.Tensor:
        return self.weight * self.normalize(hidden_states).to(hidden_states.dtype)


class LlavaTextRotaryEmbedding(nn.Module):
    def __init__(self, config: LlavaTextConfig):
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


class LlavaTextAttention(nn.Module):
    """Attention with rotary positions, and key heads that several query heads share."""

    def __init__(self, config: LlavaTextConfig, layer_idx: int | None = None):
        super().__init__()
        self.config = config
        self.layer_idx = layer_idx
        self.head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.num_key_value_groups = config.num_attention_heads // config.num_key_value_heads
        self.scaling = self.head_dim**-0.5
        self.attention_dropout = config.attention_dropout
        self.is_causal = True
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
        self,
        hidden_states: torch.Tensor,
        position_embeddings: tuple[torch.Tensor, torch.Tensor],
        attention_mask: torch.Tensor | None = None,
        past_key_values: Cache | None = None,
        **kwargs,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        query, key, value = map(self.split_heads, self.project(hidden_states))
        query, key = apply_rotary_pos_emb(query, key, *position_embeddings)
        if past_key_values is not None:
            key, value = past_key_values.update(key, value, self.layer_idx)
        return self.attend(query, key, value, attention_mask, **kwargs)


class LlavaTextMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.act_fn = ACT2FN[config.hidden_act]

    def forward(self, x) -> torch.Tensor:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class LlavaTextDecoderLayer(GradientCheckpointingLayer):
    """A LlavaTextDecoderLayer adds to its input what attention finds in it, then what the MLP makes of that."""

    def __init__(self, config: LlavaTextConfig, layer_idx: int):
        super().__init__()
        self.self_attn = LlavaTextAttention(config, layer_idx)
        self.mlp = LlavaTextMLP(config)
        self.input_layernorm = LlavaTextRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.post_attention_layernorm = LlavaTextRMSNorm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(self, hidden_states: torch.Tensor, **kwargs) -> torch.Tensor:
        residual = hidden_states
        hidden_states, _ = self.self_attn(self.input_layernorm(hidden_states), **kwargs)
        hidden_states = residual + hidden_states

        residual = hidden_states
        hidden_states = self.mlp(self.post_attention_layernorm(hidden_states))
        return residual + hidden_states


class LlavaTextPreTrainedModel(PreTrainedModel):
    config: LlavaTextConfig
    base_model_prefix = "model"
    supports_gradient_checkpointing = True
    _no_split_modules = ["LlavaTextDecoderLayer"]
    _supports_flash_attn = True
    _supports_sdpa = True
    _can_compile_fullgraph = True
    _supports_attention_backend = True
    _can_record_outputs = {"hidden_states": LlavaTextDecoderLayer, "attentions": LlavaTextAttention}


class LlavaTextModel(LlavaTextPreTrainedModel):
    """The LlavaText decoder without a head."""

    def __init__(self, config: LlavaTextConfig):
        super().__init__(config)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size, config.pad_token_id)
        self.layers = nn.ModuleList([LlavaTextDecoderLayer(config, i) for i in range(config.num_hidden_layers)])
        self.norm = LlavaTextRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.rotary_emb = LlavaTextRotaryEmbedding(config)
        self.gradient_checkpointing = False
        self.post_init()

    def create_mask(self, inputs_embeds, attention_mask, past_key_values, position_ids):
        return create_causal_mask(
            self.config,
            inputs_embeds=inputs_embeds,
            attention_mask=attention_mask,
            past_key_values=past_key_values,
            position_ids=position_ids,
        )

    @merge_with_config_defaults
    @capture_outputs
    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        past_key_values: Cache | None = None,
        inputs_embeds: torch.Tensor | None = None,
        use_cache: bool | None = None,
        **kwargs,
    ) -> BaseModelOutputWithPast:
        if (input_ids is None) == (inputs_embeds is None):
            raise ValueError("Give either input_ids or inputs_embeds.")
        if inputs_embeds is None:
            inputs_embeds = self.embed_tokens(input_ids)
        if use_cache and past_key_values is None:
            past_key_values = DynamicCache(config=self.config)
        if position_ids is None:
            seen = past_key_values.get_seq_length() if past_key_values is not None else 0
            position_ids = (torch.arange(inputs_embeds.shape[1], device=inputs_embeds.device) + seen).unsqueeze(0)

        mask = self.create_mask(inputs_embeds, attention_mask, past_key_values, position_ids)
        hidden_states = inputs_embeds
        position_embeddings = self.rotary_emb(hidden_states, position_ids)
        for layer in self.layers:
            hidden_states = layer(
                hidden_states,
                attention_mask=mask,
                position_embeddings=position_embeddings,
                past_key_values=past_key_values,
                **kwargs,
            )
        return BaseModelOutputWithPast(last_hidden_state=self.norm(hidden_states), past_key_values=past_key_values)


class LlavaMultiModalProjector(nn.Module):
    def __init__(self, config: LlavaConfig):
        super().__init__()
        text_size, bias = config.text_config.hidden_size, config.multimodal_projector_bias
        self.linear_1 = nn.Linear(config.vision_config.hidden_size, text_size, bias=bias)
        self.act = ACT2FN[config.projector_hidden_act]
        self.linear_2 = nn.Linear(text_size, text_size, bias=bias)

    def forward(self, image_features) -> torch.Tensor:
        return self.linear_2(self.act(self.linear_1(image_features)))


# How many features to leave out. The first belongs to the class token.
FEATURES_LEFT_OUT = {"full": 0}
FEATURES_LEFT_OUT["default"] = 1


class LlavaModel(LlavaPreTrainedModel):
    def __init__(self, config: LlavaConfig):
        super().__init__(config)
        self.vision_tower = LlavaVisionModel._from_config(config.vision_config)
        self.multi_modal_projector = LlavaMultiModalProjector(config)
        self.language_model = LlavaTextModel._from_config(config.text_config)
        self.post_init()

    def get_image_features(self, pixel_values) -> torch.Tensor:
        states = self.vision_tower(pixel_values, output_hidden_states=True).hidden_states
        first = FEATURES_LEFT_OUT[self.config.vision_feature_select_strategy]
        return self.multi_modal_projector(states[self.config.vision_feature_layer][:, first:])

    @can_return_tuple
    def forward(self, input_ids=None, pixel_values=None, inputs_embeds=None, **kwargs) -> BaseModelOutputWithPast:
        if inputs_embeds is None:
            inputs_embeds = self.language_model.embed_tokens(input_ids)
        if pixel_values is not None:
            is_image = (input_ids == self.config.image_token_index).unsqueeze(-1)
            features = self.get_image_features(pixel_values).to(inputs_embeds)
            inputs_embeds = inputs_embeds.masked_scatter(is_image, features)
        return self.language_model(inputs_embeds=inputs_embeds, **kwargs)


class LlavaForConditionalGeneration(LlavaPreTrainedModel, GenerationMixin):
    _tied_weights_keys = {"lm_head.weight": "model.language_model.embed_tokens.weight"}

    def __init__(self, config: LlavaConfig):
        super().__init__(config)
        self.model = LlavaModel(config)
        self.lm_head = nn.Linear(config.text_config.hidden_size, config.text_config.vocab_size, bias=False)
        self.post_init()

    @can_return_tuple
    def forward(
        self, input_ids=None, pixel_values=None, attention_mask=None, inputs_embeds=None, labels=None, **kwargs
    ) -> CausalLMOutputWithPast:
        outputs = self.model(input_ids, pixel_values, inputs_embeds, attention_mask=attention_mask, **kwargs)
        logits = self.lm_head(outputs.last_hidden_state)
        loss = None
        if labels is not None:
            loss = self.loss_function(logits, labels, self.config.text_config.vocab_size, **kwargs)
        return CausalLMOutputWithPast(loss, logits, outputs.past_key_values, outputs.hidden_states, outputs.attentions)


# Old names, each answered by the file that its kind of name belongs to.
__getattr__ = deprecate_attr(__name__, rename={"LlavaLanguageModel": (LlavaTextModel, "2.0.0")})

__all__ = ["LlavaForConditionalGeneration", "LlavaModel", "LlavaPreTrainedModel"]
