# This file is generated from models/llava/modular_llava.py. Do not edit it: edit modular_llava.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.

import numpy as np

from transformers.processing_utils import ProcessingKwargs, ProcessorMixin


class LlavaProcessorKwargs(ProcessingKwargs, total=False):
    _defaults = {"text_kwargs": {"padding": False, "return_mm_token_type_ids": False}}


class LlavaProcessor(ProcessorMixin):
    """Puts as many image tokens into the text as the model will have features for the image."""

    valid_processor_kwargs = LlavaProcessorKwargs

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


__all__ = ["LlavaProcessor"]
