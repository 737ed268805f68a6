"""The models of the library, each with the tiny configuration and the inputs that the tests give it."""

import importlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

import transformers


ROOT = Path(__file__).parents[2]

ENCODER = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
}
DECODER = ENCODER | {"num_key_value_heads": 2, "pad_token_id": 0}
CLIP_TEXT = ENCODER | {"bos_token_id": 1, "eos_token_id": 3}
VISION = {
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "image_size": 16,
    "patch_size": 4,
}
CLIP = {"text_config": CLIP_TEXT, "vision_config": VISION, "projection_dim": 8}
MAMBA = {"vocab_size": 50, "hidden_size": 16, "state_size": 6, "num_hidden_layers": 2}
LLAVA_TEXT = DECODER | {"max_position_embeddings": 48}
IMAGE_TOKEN = 49


def text_inputs():
    """Two texts, the first of them shorter; 3 ends each."""
    input_ids = torch.randint(5, IMAGE_TOKEN, (2, 9))
    attention_mask = torch.ones_like(input_ids)
    input_ids[0, 6], input_ids[0, 7:], attention_mask[0, 7:], input_ids[1, 8] = (
        3,
        1,
        0,
        3,
    )
    return {"input_ids": input_ids, "attention_mask": attention_mask}


def image_inputs():
    return {"pixel_values": torch.randn(2, 3, 16, 16)}


def pair_inputs():
    return text_inputs() | image_inputs() | {"return_loss": True}


def llava_inputs():
    """One image of 16 patches in each text."""
    input_ids = torch.cat(
        [torch.full((2, 16), IMAGE_TOKEN), torch.randint(5, IMAGE_TOKEN, (2, 6))], dim=1
    )
    return {"input_ids": input_ids, "labels": input_ids} | image_inputs()


def labelled_inputs():
    inputs = text_inputs()
    return inputs | {
        "labels": inputs["input_ids"].masked_fill(inputs["attention_mask"] == 0, -100)
    }


@dataclass(frozen=True)
class Case:
    package: str  # "models.bert" or "generated.roberta"
    config_name: str
    model_name: str
    sizes: dict = field(repr=False)
    inputs: object = field(default=text_inputs, repr=False)
    theirs: dict = field(
        default_factory=dict, repr=False
    )  # sizes that only transformers' configuration wants

    def __str__(self):
        return f"{self.package}-{self.model_name}"

    def ours(self, kind, name):
        return getattr(
            importlib.import_module(
                f"{self.package}.{kind}_{self.package.split('.')[1]}"
            ),
            name,
        )

    def pair(self, **kwargs):
        """transformers' model with random weights, and ours with the same."""
        their_config = getattr(transformers, self.config_name)(
            **self.sizes | self.theirs, **kwargs
        )
        reference = getattr(transformers, self.model_name)(their_config)
        for parameter in (
            reference.parameters()
        ):  # norms and biases too, which begin as ones and zeros
            torch.nn.init.normal_(parameter, std=0.2)
        model = self.ours("modeling", self.model_name)(
            self.ours("configuration", self.config_name)(**self.sizes, **kwargs)
        )
        model.load_state_dict(reference.state_dict(), strict=True)
        return reference.eval(), model.eval()


CASES = [
    Case("models.bert", "BertConfig", "BertModel", ENCODER),
    Case("models.bert", "BertConfig", "BertForMaskedLM", ENCODER, labelled_inputs),
    Case("models.llama", "LlamaConfig", "LlamaModel", DECODER),
    Case("models.llama", "LlamaConfig", "LlamaForCausalLM", DECODER, labelled_inputs),
    Case("models.clip", "CLIPTextConfig", "CLIPTextModel", CLIP_TEXT),
    Case("models.clip", "CLIPVisionConfig", "CLIPVisionModel", VISION, image_inputs),
    Case("models.clip", "CLIPConfig", "CLIPModel", CLIP, pair_inputs),
    Case("models.mamba", "MambaConfig", "MambaModel", MAMBA),
    Case("generated.roberta", "RobertaConfig", "RobertaModel", ENCODER),
    Case(
        "generated.roberta",
        "RobertaConfig",
        "RobertaForMaskedLM",
        ENCODER,
        labelled_inputs,
    ),
    Case("generated.xlm_roberta", "XLMRobertaConfig", "XLMRobertaModel", ENCODER),
    Case(
        "generated.xlm_roberta",
        "XLMRobertaConfig",
        "XLMRobertaForMaskedLM",
        ENCODER,
        labelled_inputs,
    ),
    Case(
        "generated.jina_embeddings_v3",
        "JinaEmbeddingsV3Config",
        "JinaEmbeddingsV3Model",
        ENCODER,
    ),
    Case("generated.gemma", "GemmaConfig", "GemmaModel", DECODER | {"head_dim": 8}),
    Case(
        "generated.gemma",
        "GemmaConfig",
        "GemmaForCausalLM",
        DECODER | {"head_dim": 8},
        labelled_inputs,
    ),
    Case("generated.olmo2", "Olmo2Config", "Olmo2Model", DECODER),
    Case(
        "generated.olmo2", "Olmo2Config", "Olmo2ForCausalLM", DECODER, labelled_inputs
    ),
    Case(
        "generated.mistral",
        "MistralConfig",
        "MistralModel",
        DECODER | {"sliding_window": 4},
    ),
    Case(
        "generated.mistral",
        "MistralConfig",
        "MistralForCausalLM",
        DECODER,
        labelled_inputs,
    ),
    Case("generated.falcon_mamba", "FalconMambaConfig", "FalconMambaModel", MAMBA),
    Case(
        "generated.metaclip_2", "MetaClip2Config", "MetaClip2Model", CLIP, pair_inputs
    ),
    Case(
        "generated.llava",
        "LlavaConfig",
        "LlavaForConditionalGeneration",
        {
            "text_config": LLAVA_TEXT,
            "vision_config": VISION,
            "image_token_index": IMAGE_TOKEN,
        },
        llava_inputs,
        theirs={
            "text_config": LLAVA_TEXT | {"model_type": "llama"},
            "vision_config": VISION | {"model_type": "clip_vision_model"},
        },
    ),
]


def picture(height, width):
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
