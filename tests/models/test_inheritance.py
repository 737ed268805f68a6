"""A modular file is also plain Python: its classes have the parameters of the flat ones, names and shapes."""

import importlib
import inspect
import re

import pytest
import torch

from tests.models.library import (
    CLIP,
    CLIP_TEXT,
    DECODER,
    ENCODER,
    LLAVA_TEXT,
    MAMBA,
    ROOT,
    VISION,
)


MODULARS = sorted(path.parent.name for path in (ROOT / "models").glob("*/modular_*.py"))
SIZES = {
    "MetaClip2Config": CLIP,
    "MetaClip2TextConfig": CLIP_TEXT,
    "MetaClip2VisionConfig": VISION,
    "LlavaConfig": {"text_config": LLAVA_TEXT, "vision_config": VISION},
    "LlavaTextConfig": LLAVA_TEXT,
    "LlavaVisionConfig": VISION,
    "RobertaConfig": ENCODER,
    "XLMRobertaConfig": ENCODER,
    "JinaEmbeddingsV3Config": ENCODER,
    "GemmaConfig": DECODER,
    "MistralConfig": DECODER,
    "Olmo2Config": DECODER,
    "FalconMambaConfig": MAMBA,
}
# Arguments of the classes, apart from the configuration.
ARGUMENTS = {
    "layer_idx": 0,
    "hidden_size": 16,
    "num_embeddings": 10,
    "embedding_dim": 16,
}
# What stands under the parent's name in Python's inheritance; the converter renames it.
RENAMED = {"roberta": ("bert.", "roberta.")}


def plain_module(name):
    """The modular file as Python sees it. Parents that are themselves generated are found where they stand."""
    for parent in ("roberta", "xlm_roberta"):
        path = importlib.import_module(f"models.{parent}").__path__
        if (folder := str(ROOT / "generated" / parent)) not in path:
            path.append(folder)
    return importlib.import_module(f"models.{name}.modular_{name}")


def classes_of(plain):
    """The classes with parameters that a modular file defines."""
    for name, value in vars(plain).items():
        if (
            inspect.isclass(value)
            and value.__module__ == plain.__name__
            and issubclass(value, torch.nn.Module)
        ):
            if not name.endswith("PreTrainedModel"):
                yield name


def config_name_of(flat_class, exported):
    """The configuration that a class wants: its annotation's, else the one that shares most of its name."""
    for owner in flat_class.__mro__:
        annotation = inspect.get_annotations(vars(owner).get("__init__", owner)).get(
            "config"
        )
        if inspect.isclass(annotation) and annotation.__name__ in SIZES:
            return annotation.__name__
    beginnings = {
        name.removesuffix("Config"): name
        for name in exported
        if name.endswith("Config")
    }
    return beginnings[max(filter(flat_class.__name__.startswith, beginnings), key=len)]


def parameters(owner, config_class):
    config = config_class(
        **SIZES[config_class.__name__],
        tie_word_embeddings=False,
        attn_implementation="eager",
    )
    known = ARGUMENTS | {"config": config}
    with torch.device("meta"):
        built = owner(
            **{
                name: known[name]
                for name in inspect.signature(owner).parameters
                if name in known
            }
        )
    return {name: tuple(value.shape) for name, value in built.named_parameters()}


@pytest.mark.parametrize("model", MODULARS)
def test_same_parameters(model):
    plain = plain_module(model)
    flat = importlib.import_module(f"generated.{model}.modeling_{model}")
    configurations = importlib.import_module(f"generated.{model}.configuration_{model}")
    names = list(classes_of(plain))
    assert len(names) >= 2
    for name in names:
        config = config_name_of(getattr(flat, name), plain.__all__)
        expected = parameters(getattr(flat, name), getattr(configurations, config))
        actual = parameters(getattr(plain, name), getattr(plain, config))
        renamed = {
            key.replace(*RENAMED.get(model, ("", ""))): shape
            for key, shape in actual.items()
        }
        assert renamed == expected, name


def test_every_model_is_flat():
    """No file that comes out imports another model."""
    for path in (ROOT / "generated").glob("*/*.py"):
        assert not re.search(
            r"^(from|import) +(\.\.|models|generated)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
