"""Tokenizers, image processors and processors give what transformers' own give."""

import copy

import numpy as np
import pytest
import torch
from PIL import Image

import transformers
from tests.models.library import picture


PIECES = ["▁", *"abcdehlo", "▁h", "el", "lo", "▁hel", "▁hello"]
MERGES = [("▁", "h"), ("e", "l"), ("l", "o"), ("▁h", "el"), ("▁hel", "lo")]
TEXTS = ["hello", " hello  hello", "a bé", "a</s> hello<eos>", ""]


def vocabulary(*specials):
    """A few pieces, and every byte, so that nothing is unknown."""
    tokens = [*specials, *(f"<0x{byte:02X}>" for byte in range(256)), *PIECES]
    return {token: i for i, token in enumerate(tokens)}


def llama_vocabulary():
    return vocabulary("<unk>", "<s>", "</s>")


def both(ours, theirs, vocab, **options):
    return [
        tokenizer(vocab=dict(vocab), merges=list(MERGES), **options)
        for tokenizer in (ours, theirs)
    ]


LLAMA_OPTIONS = [
    {},
    {"add_prefix_space": False},
    {"legacy": True},
    {"add_bos_token": True},
]


def tokenizers():
    from generated.gemma.tokenization_gemma import GemmaTokenizer
    from models.llama.tokenization_llama import LlamaTokenizer

    for options in LLAMA_OPTIONS:
        yield both(
            LlamaTokenizer, transformers.LlamaTokenizer, llama_vocabulary(), **options
        )
    vocab = vocabulary("<pad>", "<eos>", "<bos>", "<unk>", "<mask>")
    for options in [{}, {"add_bos_token": True}, {"add_eos_token": True}]:
        yield both(GemmaTokenizer, transformers.GemmaTokenizer, vocab, **options)


def test_same_tokens(tmp_path):
    for number, (ours, theirs) in enumerate(tokenizers()):
        ours.save_pretrained(tmp_path / str(number))
        again = type(ours).from_pretrained(tmp_path / str(number))
        for text in TEXTS:
            expected = theirs(text)
            assert ours(text) == expected == again(text), text
            assert (
                ours.decode(expected.input_ids)
                == theirs.decode(expected.input_ids)
                == again.decode(expected.input_ids)
            )


def test_prefix_space_scheme():
    from generated.gemma.tokenization_gemma import GemmaTokenizer
    from models.llama.tokenization_llama import LlamaTokenizer

    tokenizer = LlamaTokenizer()
    tokenizer.prepend_scheme = "always"
    assert (tokenizer.add_prefix_space, tokenizer.legacy, tokenizer.prepend_scheme) == (
        True,
        True,
        "always",
    )
    assert GemmaTokenizer.prepend_scheme == "never"
    assert not hasattr(GemmaTokenizer, "get_pre_tokenizer")


SMALL = {"size": {"shortest_edge": 20}, "crop_size": {"height": 16, "width": 16}}
PICTURES = [
    picture(37, 53),
    picture(53, 20),
    Image.fromarray(picture(31, 20)),
    Image.fromarray(picture(8, 9)[:, :, 0]),
]


def image_processors():
    from generated.llava.image_processing_pil_llava import LlavaImageProcessorPil
    from models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    from transformers.models.clip.image_processing_pil_clip import (
        CLIPImageProcessorPil as TheirCLIP,
    )
    from transformers.models.llava.image_processing_pil_llava import (
        LlavaImageProcessorPil as TheirLlava,
    )

    return [
        (CLIPImageProcessorPil, TheirCLIP, {}),
        *((LlavaImageProcessorPil, TheirLlava, {"do_pad": p}) for p in (0, 1)),
    ]


@pytest.mark.parametrize("number", range(3))
def test_same_pixels(number):
    ours, theirs, options = image_processors()[number]
    options = SMALL | {name: bool(value) for name, value in options.items()}
    for image in PICTURES:
        expected = theirs(**options)(
            copy.deepcopy(image), return_tensors="pt"
        ).pixel_values
        assert torch.equal(
            ours(**options)(image, return_tensors="pt").pixel_values, expected
        )
    default = ours()(PICTURES[0], return_tensors="np").pixel_values
    np.testing.assert_array_equal(
        default, theirs()(PICTURES[0], return_tensors="np").pixel_values
    )


def test_pad_color():
    from generated.llava.image_processing_pil_llava import LlavaImageProcessorPil

    plain = {
        "do_resize": False,
        "do_center_crop": False,
        "do_rescale": False,
        "do_normalize": False,
    }
    processor = LlavaImageProcessorPil(do_pad=True, pad_color=[1, 2, 3], **plain)
    pixels = processor(picture(6, 8), return_tensors="np").pixel_values[0]
    assert pixels.shape == (3, 8, 8)
    assert pixels[:, 0, 0].tolist() == pixels[:, -1, -1].tolist() == [1, 2, 3]
    assert (pixels[:, 1:7] == picture(6, 8).transpose(2, 0, 1)).all()


def test_same_processing():
    from generated.llava.image_processing_pil_llava import LlavaImageProcessorPil
    from generated.llava.processing_llava import LlavaProcessor

    vocab = vocabulary("<unk>", "<s>", "</s>", "<image>")
    tokenizer = transformers.LlamaTokenizer(
        vocab=vocab,
        merges=list(MERGES),
        extra_special_tokens=["<image>"],
        pad_token="</s>",
    )
    options = {
        "patch_size": 4,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
    }
    ours, theirs = (
        processor(LlavaImageProcessorPil(**SMALL), tokenizer, **options)
        for processor in (LlavaProcessor, transformers.LlavaProcessor)
    )
    text = ["<image>hello", "hello <image> a<image>"]
    inputs = {
        "images": [PICTURES[0]] * 3,
        "text": text,
        "padding": True,
        "return_tensors": "pt",
    }
    expected, actual = theirs(**inputs), ours(**inputs)
    assert actual.keys() == expected.keys()
    assert all(torch.equal(actual[name], expected[name]) for name in expected)


def test_clip_processor_takes_both():
    from models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    from models.clip.processing_clip import CLIPProcessor
    from models.llama.tokenization_llama import LlamaTokenizer

    tokenizer = LlamaTokenizer(vocab=llama_vocabulary(), merges=MERGES)
    inputs = CLIPProcessor(CLIPImageProcessorPil(**SMALL), tokenizer)(
        images=PICTURES[0], text="hello", return_tensors="pt"
    )
    assert {"input_ids", "attention_mask", "pixel_values"} <= set(inputs)
