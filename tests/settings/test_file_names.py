"""Tests of the setting `file-names`."""

import pytest

from modular.settings.file_names import ModelFileName, problem, read_file_names


KERAS = read_file_names("{model}/{model}_{type}.py", ["causal_lm", "lm", "backbone"])
DIFFUSERS = read_file_names(
    "{type}_{model}.py", ["transformer", "pipeline", "pipeline_{model}_img2img"]
)


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("llama_backbone", ModelFileName("backbone", "llama", 0)),
        ("gpt_neo_x_causal_lm", ModelFileName("causal_lm", "gpt_neo_x", 0)),
        ("llama_lm", ModelFileName("lm", "llama", 0)),
        ("llama_presets", None),
        ("_backbone", None),
        ("modular_backbone", None),
    ],
)
def test_the_longest_type_after_the_model_decides(
    stem: str, expected: ModelFileName | None
) -> None:
    assert KERAS.parse(stem) == expected


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("transformer_flux", ModelFileName("transformer", "flux", 12)),
        ("pipeline_flux", ModelFileName("pipeline", "flux", 9)),
        (
            "pipeline_flux_img2img",
            ModelFileName("pipeline_{model}_img2img", "flux", 9),
        ),
        ("attention_processor", None),
    ],
)
def test_a_type_with_the_model_is_the_name_of_the_file(
    stem: str, expected: ModelFileName | None
) -> None:
    assert DIFFUSERS.parse(stem) == expected


def test_a_name_is_made_and_read_again() -> None:
    for names in (KERAS, DIFFUSERS):
        for stem in names.stems:
            name = names.parse(names.stem(stem.file_type, "qwen2_5"))
            assert name is not None
            assert (name.file_type, name.model) == (stem.file_type, "qwen2_5")


def test_only_a_pattern_with_a_folder_gives_each_model_its_own() -> None:
    assert KERAS.has_model_folders
    assert not DIFFUSERS.has_model_folders


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("{model}/{type}_{model}.py", ""),
        ("{model}_{type}.py", ""),
        ("src/{model}_{type}.py", "has a folder"),
        ("{model}/../{model}_{type}.py", "has a folder"),
        ("{model}_{type}", "does not end with `.py`"),
        ("{type}.py", "has `{model}` not once"),
        ("{model}.py", ""),
        ("{model}/{model}.py", ""),
        ("{type}_{model}_{type}.py", "has `{type}` twice"),
        ("{model}-{type}.py", "does not give names of Python modules"),
        ("modular_{model}_{type}.py", "begins with `modular_`"),
    ],
)
def test_a_pattern_is_checked(pattern: str, message: str) -> None:
    found = problem(pattern)
    assert found.startswith(message)
    assert bool(found) == bool(message)


@pytest.mark.parametrize(
    ("stem", "model"),
    [("qwen2", "qwen2"), ("__init__", None), ("lille-130m", None), ("modular_x", None)],
)
def test_a_model_can_be_one_file(stem: str, model: str | None) -> None:
    names = read_file_names("{model}.py", ["modeling", "{model}_config"])
    found = names.parse(stem)
    assert (None if found is None else found.model) == model
    assert names.stem("modeling", "qwen2") == "qwen2"
    assert names.parse("qwen2_config") == ModelFileName("{model}_config", "qwen2", 0)
