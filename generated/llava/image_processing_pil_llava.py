# This file is generated from models/llava/modular_llava.py. Do not edit it: edit modular_llava.py, and run `modular convert`.
# Part of the modular project, under the Apache License 2.0.
from transformers.image_processing_backends import PilBackend
from transformers.image_utils import PILImageResampling
from transformers.processing_utils import ImagesKwargs
from transformers.utils import is_torch_available


if is_torch_available():
    import torch


LLAVA_MEAN = [0.48145466, 0.4578275, 0.40821073]


class LlavaImageProcessorKwargs(ImagesKwargs, total=False):
    pad_color: list[int] | None  # one number for each channel


LLAVA_STD = [0.26862954, 0.26130258, 0.27577711]


def pad_to_square(image, color):
    """The image in the middle of a square of that color."""
    height, width = image.shape[-2:]
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = torch.tensor(color).to(image).view(-1, 1, 1).repeat(1, side, side)
    square[:, top : top + height, left : left + width] = image
    return square


class LlavaImageProcessorPil(PilBackend):
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
            images = [pad_to_square(torch.from_numpy(image), pad_color).numpy() for image in images]
        return super()._preprocess(images, do_pad=False, **kwargs)


__all__ = ["LlavaImageProcessorPil"]
