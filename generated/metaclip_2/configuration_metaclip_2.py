# This file is generated from models/metaclip_2/modular_metaclip_2.py. Do not edit it: edit modular_metaclip_2.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig


class MetaClip2TextConfig(PreTrainedConfig):
    """Sizes and switches of the tower that reads text."""

    model_type = "metaclip_2_text_model"
    base_config_key = "text_config"

    vocab_size: int = 49408
    hidden_size: int = 512
    intermediate_size: int = 2048
    projection_dim: int = 512
    num_hidden_layers: int = 12
    num_attention_heads: int = 8
    max_position_embeddings: int = 77
    hidden_act: str = "quick_gelu"
    layer_norm_eps: float = 1e-5
    attention_dropout: float = 0.0
    initializer_range: float = 0.02
    pad_token_id: int | None = 1
    bos_token_id: int | None = 49406
    eos_token_id: int | None = 49407


class MetaClip2VisionConfig(PreTrainedConfig):
    """Sizes and switches of the tower that sees images."""

    model_type = "metaclip_2_vision_model"
    base_config_key = "vision_config"

    hidden_size: int = 768
    intermediate_size: int = 3072
    projection_dim: int = 512
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    num_channels: int = 3
    image_size: int = 224
    patch_size: int = 32
    hidden_act: str = "quick_gelu"
    layer_norm_eps: float = 1e-5
    attention_dropout: float = 0.0
    initializer_range: float = 0.02


class MetaClip2Config(PreTrainedConfig):
    """The two towers, and what joins them."""

    model_type = "metaclip_2"
    sub_configs_defaults = {"vision_config": MetaClip2VisionConfig, "text_config": MetaClip2TextConfig}

    text_config: dict | MetaClip2TextConfig | None = None
    vision_config: dict | MetaClip2VisionConfig | None = None
    projection_dim: int = 512
    logit_scale_init_value: float = 2.6592

    @property
    def image_size(self) -> int:
        """Side of the square image that the vision tower expects."""
        return self.vision_config.image_size

    @image_size.setter
    def image_size(self, value):
        self.vision_config.image_size = value


__all__ = ["MetaClip2Config", "MetaClip2TextConfig", "MetaClip2VisionConfig"]
