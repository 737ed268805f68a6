"""What a user does with the generated package: register, save, load, export."""

import importlib

import pytest
import torch

from tests.models.library import CASES
from transformers import AutoConfig, AutoModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING


pytestmark = pytest.mark.slow

MODELS = [
    case
    for case in CASES
    if case.package.startswith("generated") and case.model_name.endswith("Model")
]


@pytest.fixture
def registries():
    kept = [
        (mapping, dict(mapping._extra_content))
        for mapping in (CONFIG_MAPPING, MODEL_MAPPING)
    ]
    yield
    for mapping, content in kept:
        mapping._extra_content = content


@pytest.mark.parametrize("case", MODELS, ids=str)
def test_auto_classes_and_checkpoints(case, registries, tmp_path):
    _, model = case.pair()
    config_class = type(model.config)
    AutoConfig.register(config_class.model_type, config_class, exist_ok=True)
    AutoModel.register(config_class, type(model), exist_ok=True)

    model.save_pretrained(tmp_path)
    again = AutoModel.from_pretrained(tmp_path)
    assert type(again) is type(model)
    assert type(again.config) is config_class
    inputs = case.inputs()
    expected, actual = model(**inputs), again.eval()(**inputs)
    torch.testing.assert_close(actual[0], expected[0])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_new_weights_are_finite_and_work(case, tmp_path):
    model = case.ours("modeling", case.model_name)(
        case.ours("configuration", case.config_name)(**case.sizes)
    ).eval()
    model.save_pretrained(tmp_path)
    again = type(model).from_pretrained(tmp_path).eval()
    inputs = case.inputs()
    expected, actual = model(**inputs)[0], again(**inputs)[0]
    assert expected.isfinite().all()
    torch.testing.assert_close(actual, expected)


def test_gradient_checkpointing():
    case = next(case for case in CASES if "llava" in case.package)
    _, model = case.pair()
    inputs = case.inputs()
    model(**inputs).loss.backward()
    expected = [
        parameter.grad.clone()
        for parameter in model.parameters()
        if parameter.grad is not None
    ]
    model.zero_grad()
    model.train().activation_checkpointing_enable()
    layer = model.model.vision_tower.encoder.layers[0]
    assert layer.gradient_checkpointing
    model(**inputs).loss.backward()
    actual = [
        parameter.grad for parameter in model.parameters() if parameter.grad is not None
    ]
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def test_export():
    case = next(case for case in CASES if case.model_name == "RobertaModel")
    _, model = case.pair()
    inputs = case.inputs()
    exported = torch.export.export(model, (), inputs)
    torch.testing.assert_close(exported.module()(**inputs)[0], model(**inputs)[0])


def test_deprecated_names():
    old = {
        "modeling": ("LlavaLanguageModel", "LlavaTextModel"),
        "image_processing": ("LlavaFastImageProcessor", "LlavaImageProcessor"),
    }
    for kind, (name, replacement) in old.items():
        module = importlib.import_module(f"generated.llava.{kind}_llava")
        with pytest.warns(FutureWarning, match=name):
            assert getattr(module, name).__name__ == replacement
