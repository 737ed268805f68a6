"""Each model, with the weights of transformers' own, computes what transformers' own computes."""

import pytest
import torch

from tests.models.library import CASES, Case


pytestmark = pytest.mark.slow


def tensors(outputs, prefix=""):
    """All tensors of a model's outputs, by name; caches aside, which hold what the hidden states show."""
    found = {}
    for name, value in (
        outputs.items() if isinstance(outputs, dict) else enumerate(outputs)
    ):
        if isinstance(value, torch.Tensor):
            found[f"{prefix}{name}"] = value
        elif isinstance(value, dict | tuple | list):
            found |= tensors(value, f"{prefix}{name}.")
    return found


VARIANTS = [
    pytest.param(case, attention, id=f"{case}-{attention}")
    for case in CASES
    for attention in ("eager", "sdpa")
    if attention == "eager" or "mamba" not in case.package  # which has no attention
]


@pytest.mark.parametrize("case, attention", VARIANTS)
def test_same_outputs(case, attention):
    reference, model = case.pair(attn_implementation=attention)
    inputs = case.inputs()
    two_towers = case.model_name in (
        "CLIPModel",
        "MetaClip2Model",
    )  # which return no layers of their own
    if not two_towers:
        inputs["output_hidden_states"] = True
    if attention == "eager" and not two_towers and "mamba" not in case.package:
        inputs["output_attentions"] = True
    expected, actual = tensors(reference(**inputs)), tensors(model(**inputs))
    assert actual, "no output at all"
    for name, value in actual.items():
        torch.testing.assert_close(
            value,
            expected[name],
            atol=1e-5,
            rtol=1e-5,
            msg=lambda text, name=name: f"{name}: {text}",
        )
    layers = [
        name for name in expected if name.startswith(("hidden_states.", "attentions."))
    ]
    assert all(name in actual for name in layers)


@pytest.mark.parametrize(
    "case", [case for case in CASES if "labels" in case.inputs()], ids=str
)
def test_same_loss_and_gradients(case):
    reference, model = case.pair()
    inputs = case.inputs()
    expected, actual = reference(**inputs).loss, model(**inputs).loss
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-5)
    expected.backward()
    actual.backward()
    gradients = {
        name: parameter.grad
        for name, parameter in reference.named_parameters(remove_duplicate=False)
    }
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if gradients[name] is None:
            assert parameter.grad is None or not parameter.grad.any(), name
        else:
            torch.testing.assert_close(
                parameter.grad, gradients[name], atol=1e-5, rtol=1e-4
            )


GENERATORS = [
    case
    for case in CASES
    if case.model_name.endswith(("ForCausalLM", "ForConditionalGeneration"))
]


@pytest.mark.parametrize("case", GENERATORS, ids=str)
def test_same_generation(case):
    """With the cache, token by token."""
    reference, model = case.pair()
    inputs = case.inputs()
    inputs = {
        name: inputs[name] for name in ("input_ids", "pixel_values") if name in inputs
    }
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    expected, actual = (
        m.generate(**inputs, max_new_tokens=5, do_sample=False)
        for m in (reference, model)
    )
    assert actual.tolist() == expected.tolist()


def test_the_window_matters():
    """Else the sliding window could be lost without a test that fails."""
    case = Case(
        "generated.mistral",
        "MistralConfig",
        "MistralModel",
        next(c.sizes for c in CASES if "llama" in c.package),
    )
    inputs = case.inputs()
    _, narrow = case.pair(sliding_window=2)
    wide = type(narrow)(type(narrow.config)(**case.sizes, sliding_window=None)).eval()
    wide.load_state_dict(narrow.state_dict())
    assert not torch.allclose(
        narrow(**inputs).last_hidden_state, wide(**inputs).last_hidden_state
    )
