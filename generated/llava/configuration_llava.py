# This file is generated from models/llava/modular_llava.py. Do not edit it: edit modular_llava.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import RopeParameters


class LlavaVisionConfig(PreTrainedConfig):
    """Sizes and switches of the tower that sees images."""

    model_type = "llava_vision_model"
    base_config_key = "vision_config"
    hidden_size: int = 1024
    intermediate_size: int = 4096
    projection_dim: int = 512
    num_hidden_layers: int = 24
    num_attention_heads: int = 16
    num_channels: int = 3
    image_size: int = 336
    patch_size: int = 14
    hidden_act: str = "quick_gelu"
    layer_norm_eps: float = 1e-5
    attention_dropout: float = 0.0
    initializer_range: float = 0.02


class LlavaTextConfig(PreTrainedConfig):
    """Sizes and switches of a LlavaText decoder. The defaults are those of the 7B model."""

    model_type = "llava_text"
    keys_to_ignore_at_inference = ["past_key_values"]

    vocab_size: int = 32000
    hidden_size: int = 4096
    intermediate_size: int = 11008
    num_hidden_layers: int = 32
    num_attention_heads: int = 32
    # Fewer heads for keys and values than for queries; None means as many.
    num_key_value_heads: int | None = None
    head_dim: int | None = None
    hidden_act: str = "silu"
    max_position_embeddings: int = 2048
    initializer_range: float = 0.02
    rms_norm_eps: float = 1e-6
    use_cache: bool = True
    pad_token_id: int | None = None
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2
    # Old checkpoints name it; nothing reads it.
    pretraining_tp: int = 1
    tie_word_embeddings: bool = False
    rope_parameters: RopeParameters | dict | None = None
    attention_bias: bool = False
    attention_dropout: float = 0.0
    base_config_key = "text_config"

    def __post_init__(self, **kwargs):
        if self.num_key_value_heads is None:
            self.num_key_value_heads = self.num_attention_heads
        if self.num_attention_heads % self.num_key_value_heads:
            # The words of an f-string are never renamed, so this must hold for the children too.
            raise ValueError(
                f"Llama-style attention shares each key head among equally many of the {self.num_attention_heads} "
                f"query heads: {self.num_key_value_heads} key heads cannot do that."
            )
        super().__post_init__(**kwargs)


class LlavaConfig(PreTrainedConfig):
    """A vision tower, a language model, and what stands between them."""

    model_type = "llava"
    sub_configs_defaults = {"vision_config": LlavaVisionConfig, "text_config": LlavaTextConfig}

    text_config: dict | LlavaTextConfig | None = None
    vision_config: dict | LlavaVisionConfig | None = None
    attribute_map = {"image_token_id": "image_token_index"}
    image_token_index: int = 32000
    image_seq_length: int = 576
    projector_hidden_act: str = "gelu"
    vision_feature_select_strategy: str = "default"
    vision_feature_layer: int = -2
    multimodal_projector_bias: bool = True
    tie_word_embeddings: bool = False

    @property
    def image_size(self) -> int:
        """Side of the square that whole patches cover."""
        return self.vision_config.image_size // self.vision_config.patch_size * self.vision_config.patch_size

    @image_size.setter
    def image_size(self, value):
        self.vision_config.image_size = value


__all__ = ["LlavaConfig"]
