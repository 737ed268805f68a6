# Part of the modular project, under the Apache License 2.0.
"""LLaVA: CLIP's vision tower looks, Llama talks about what it saw"""

import torch

from transformers.processing_utils import ImagesKwargs

from ..clip.configuration_clip import CLIPConfig, CLIPVisionConfig
from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import LlamaModel, eager_attention_forward  # noqa: F401


class LlavaVisionConfig(CLIPVisionConfig):
    hidden_size: int = 1024
    intermediate_size: int = 4096
    projection_dim: int = 768
    num_hidden_layers: int = 24
    num_attention_heads: int = 16
    image_size: int = 336
    patch_size: int = 14


class LlavaTextConfig(LlamaConfig):
    base_config_key = "text_config"


class LlavaConfig(CLIPConfig):
    """A vision tower, a language model, and what stands between them."""

    model_type = "llava"
    sub_configs_defaults = {"vision_config": LlavaVisionConfig, "text_config": LlavaTextConfig}
    attribute_map = {"image_token_id": "image_token_index"}

    projection_dim = AttributeError()
    logit_scale_init_value = AttributeError()
    image_token_index: int = 32000
    image_seq_length: int = 576
    projector_hidden_act: str = "gelu"
    vision_feature_select_strategy: str = "default"
    vision_feature_layer: int = -2
    multimodal_projector_bias: bool = True
    tie_word_embeddings: bool = False

    # The parent's setter stays: a property and its setter are two methods.
    @property
    def image_size(self) -> int:
        """Side of the square that whole patches cover."""
        return self.vision_config.image_size // self.vision_config.patch_size * self.vision_config.patch_size


class LlavaImageProcessorKwargs(ImagesKwargs, total=False):
    """`pad_color` is what `do_pad` makes an image square with: a number up to 255 for each channel, or the mean."""

    pad_color: list[int] | None


def pad_to_square(image, color, mean):
    """The image in the middle of a square of that color."""
    image = torch.as_tensor(image)
    height, width = image.shape[-2:]
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = (torch.tensor(color or mean) * (1 if color else 255)).to(image).view(-1, 1, 1).repeat(1, side, side)
    square[:, top : top + height, left : left + width] = image
    return square
