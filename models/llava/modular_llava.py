# Part of the modular project, under the Apache License 2.0.
"""LLaVA: CLIP's vision tower looks, Llama talks about what it saw"""

import numpy as np
import torch
from torch import nn

from transformers.activations import ACT2FN
from transformers.generation import GenerationMixin
from transformers.image_processing_backends import PilBackend, TorchvisionBackend
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import BaseModelOutputWithPast, CausalLMOutputWithPast
from transformers.processing_utils import ImagesKwargs
from transformers.utils import can_return_tuple
from transformers.utils.deprecation import deprecate_attr

from ..clip.configuration_clip import CLIPConfig, CLIPVisionConfig
from ..clip.image_processing_clip import CLIPImageProcessor
from ..clip.modeling_clip import CLIPAttention, CLIPEncoder, CLIPEncoderLayer, CLIPPreTrainedModel, CLIPVisionModel
from ..clip.processing_clip import CLIPProcessor, CLIPProcessorKwargs
from ..llama.configuration_llama import LlamaConfig
from ..llama.modeling_llama import LlamaModel, eager_attention_forward  # noqa: F401


class LlavaVisionConfig(CLIPVisionConfig):
    hidden_size: int = 1024
    intermediate_size: int = 4096
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
    pad_color: list[int] | None  # one number for each channel


def pad_to_square(image, color):
    """The image in the middle of a square of that color."""
    height, width = image.shape[-2:]
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = torch.tensor(color).to(image).view(-1, 1, 1).repeat(1, side, side)
    square[:, top : top + height, left : left + width] = image
    return square


class LlavaImageProcessor(CLIPImageProcessor):
    valid_kwargs = LlavaImageProcessorKwargs
    pad_color = [122, 116, 104]

    def _preprocess(self, images, do_pad=False, pad_color=None, **kwargs):
        if do_pad:
            images = [pad_to_square(image, pad_color) for image in images]
        return TorchvisionBackend._preprocess(self, images, do_pad=False, **kwargs)


# The other backend takes the parent's place: both names end in Backend.
class LlavaImageProcessorPil(CLIPImageProcessor, PilBackend):
    valid_kwargs = LlavaImageProcessorKwargs
    pad_color = [122, 116, 104]

    def _preprocess(self, images, do_pad=False, pad_color=None, **kwargs):
        if do_pad:
            images = [pad_to_square(torch.from_numpy(image), pad_color).numpy() for image in images]
        return PilBackend._preprocess(self, images, do_pad=False, **kwargs)


class LlavaProcessorKwargs(CLIPProcessorKwargs):
    _defaults = {"text_kwargs": {"padding": False, "return_mm_token_type_ids": False}}


class LlavaProcessor(CLIPProcessor):
    """Puts as many image tokens into the text as the model will have features for the image."""

    def __init__(
        self,
        image_processor=None,
        tokenizer=None,
        patch_size=None,
        vision_feature_select_strategy=None,
        image_token="<image>",
        num_additional_image_tokens=0,
        **kwargs,
    ):
        super().__init__(image_processor, tokenizer, **kwargs)
        self.patch_size = patch_size
        self.vision_feature_select_strategy = vision_feature_select_strategy
        self.num_additional_image_tokens = num_additional_image_tokens
        self.image_token = getattr(tokenizer, "image_token", image_token)
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)

    def replace_image_token(self, image_inputs: dict, image_idx: int, **kwargs) -> str:
        height, width = np.shape(image_inputs["pixel_values"][image_idx])[-2:]
        num_tokens = (height // self.patch_size) * (width // self.patch_size) + self.num_additional_image_tokens
        return self.image_token * (num_tokens - (self.vision_feature_select_strategy == "default"))


# Both parents have an `eager_attention_forward`. The one that is imported, Llama's, stands for both, and wants to know
# how many query heads share a key head.
class LlavaVisionAttention(CLIPAttention):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__(config)
        self.num_key_value_groups = 1


class LlavaVisionEncoderLayer(CLIPEncoderLayer, GradientCheckpointingLayer):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__(config)
        self.self_attn = LlavaVisionAttention(config)


class LlavaVisionEncoder(CLIPEncoder):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__(config)
        self.layers = nn.ModuleList([LlavaVisionEncoderLayer(config) for _ in range(config.num_hidden_layers)])


class LlavaPreTrainedModel(CLIPPreTrainedModel):
    base_model_prefix = "model"
    supports_gradient_checkpointing = True
    _can_record_outputs = {"hidden_states": LlavaVisionEncoderLayer, "attentions": LlavaVisionAttention}


# From CLIP as it is called there: the prefix is Llava. The vision classes above want LlavaVision, but CLIPVision...
# would become LlavaVisionVision..., so modular falls back to Llava for all of them, and says so in a warning.
class LlavaVisionModel(CLIPVisionModel):
    def __init__(self, config: LlavaVisionConfig):
        super().__init__(config)
        self.encoder = LlavaVisionEncoder(config)


# From Llama with another prefix: all that it needs becomes LlavaText too.
class LlavaTextModel(LlamaModel):
    pass


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
__getattr__ = deprecate_attr(
    __name__,
    rename={
        "LlavaFastImageProcessor": (LlavaImageProcessor, "2.0.0"),
        "LlavaLanguageModel": (LlavaTextModel, "2.0.0"),
    },
)

__all__ = [
    "LlavaConfig",
    "LlavaForConditionalGeneration",
    "LlavaImageProcessor",
    "LlavaImageProcessorPil",
    "LlavaModel",
    "LlavaPreTrainedModel",
    "LlavaProcessor",
]
