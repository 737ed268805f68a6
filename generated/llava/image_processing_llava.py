# This file is generated from models/llava/modular_llava.py. Do not edit it: edit modular_llava.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.
import torch

from transformers.image_processing_backends import TorchvisionBackend
from transformers.image_utils import PILImageResampling
from transformers.processing_utils import ImagesKwargs
from transformers.utils.deprecation import deprecate_attr


class LlavaImageProcessorKwargs(ImagesKwargs, total=False):
    pad_color: list[int] | None  # one number for each channel


LLAVA_MEAN = [0.48145466, 0.4578275, 0.40821073]
LLAVA_STD = [0.26862954, 0.26130258, 0.27577711]


def pad_to_square(image, color):
    """The image in the middle of a square of that color."""
    height, width = image.shape[-2:]
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = torch.tensor(color).to(image).view(-1, 1, 1).repeat(1, side, side)
    square[:, top : top + height, left : left + width] = image
    return square


class LlavaImageProcessor(TorchvisionBackend):
    resample = PILImageResampling.BICUBIC
    image_mean = LLAVA_MEAN
    image_std = LLAVA_STD
    size = {"shortest_edge": 224}
    default_to_square = False
    crop_size = {"height": 224, "width": 224}
    do_resize = True
    do_center_crop = True
    do_rescale = True
    do_normalize = True
    do_convert_rgb = True
    valid_kwargs = LlavaImageProcessorKwargs
    pad_color = [122, 116, 104]

    def _preprocess(self, images, do_pad=False, pad_color=None, **kwargs):
        if do_pad:
            images = [pad_to_square(image, pad_color) for image in images]
        return super()._preprocess(images, do_pad=False, **kwargs)


# Old names, each answered by the file that its kind of name belongs to.
__getattr__ = deprecate_attr(__name__, rename={"LlavaFastImageProcessor": (LlavaImageProcessor, "2.0.0")})

__all__ = ["LlavaImageProcessor"]
