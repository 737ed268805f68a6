# Part of the modular project, under the Apache License 2.0.
"""CLIP image processor, with PIL and numpy"""

from transformers.image_processing_backends import PilBackend
from transformers.image_utils import PILImageResampling


CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073]
CLIP_STD = [0.26862954, 0.26130258, 0.27577711]


class CLIPImageProcessorPil(PilBackend):
    resample = PILImageResampling.BICUBIC
    image_mean = CLIP_MEAN
    image_std = CLIP_STD
    size = {"shortest_edge": 224}
    default_to_square = False
    crop_size = {"height": 224, "width": 224}
    do_resize = True
    do_center_crop = True
    do_rescale = True
    do_normalize = True
    do_convert_rgb = True


__all__ = ["CLIPImageProcessorPil"]
