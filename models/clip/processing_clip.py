# Part of the modular project, under the Apache License 2.0.
"""CLIP processor: text and images in one call"""

from transformers.processing_utils import ProcessingKwargs, ProcessorMixin


class CLIPProcessorKwargs(ProcessingKwargs, total=False):
    _defaults = {"text_kwargs": {"padding": False}}


class CLIPProcessor(ProcessorMixin):
    valid_processor_kwargs = CLIPProcessorKwargs

    def __init__(self, image_processor=None, tokenizer=None, **kwargs):
        super().__init__(image_processor, tokenizer, **kwargs)


__all__ = ["CLIPProcessor", "CLIPProcessorKwargs"]
