"""Tests of finding out how a library names the files of its models."""

from pathlib import Path

import pytest

from modular.scaffold.layouts import Layout, are_most_models, find_layout


PRESET = {"": "modeling", "Config": "configuration", "Processor": "processing"}
MODELS = ("llama", "gemma", "gpt_neo", "qwen", "bloom", "opt", "phi", "t5", "bert")
MORE_MODELS = ("falcon", "bart")


def write_models(root: Path, pattern: str, models: tuple[str, ...]) -> None:
    """Write a model and an attention file for each model, named as the pattern says."""
    for model in models:
        cased = "".join(part.title() for part in model.split("_"))
        for file_type, ending in (("net", "Model"), ("attention", "Attention")):
            path = root / pattern.format(model=model, type=file_type)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"class {cased}{ending}:\n    pass\n", encoding="utf-8")
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\nclass {cased}AttnProcessor:\n    pass\n")
        net = root / pattern.format(model=model, type="net")
        with net.open("a", encoding="utf-8") as file:
            file.write(f"\n\nclass {cased}Block:\n    pass\n")


def file_type(layout: Layout, ending: str) -> str:
    """Return the type of a class, by the longest ending that matches."""
    types = {**PRESET, **layout.file_types}
    return types[max(filter(ending.endswith, types), key=len)]


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [
        ("{model}/{model}_{type}.py", "lib/models"),
        ("{model}/{type}_{model}.py", "lib/models"),
        ("{type}_{model}.py", "lib/models"),
    ],
)
def test_a_pattern_is_found_with_the_types_of_classes(
    tmp_path: Path, pattern: str, folder: str
) -> None:
    write_models(tmp_path / folder, pattern, MODELS + MORE_MODELS)
    layout = find_layout(tmp_path, PRESET)
    assert isinstance(layout, Layout)
    assert layout.pattern == pattern
    assert layout.models_folders == (folder,)
    assert len(layout.paths) == 2 * len(MODELS + MORE_MODELS)
    assert not layout.has_absolute_imports
    assert file_type(layout, "Model") == file_type(layout, "Block") == "net"
    assert file_type(layout, "Attention") == "attention"
    # The preset has another type for classes with this ending.
    assert file_type(layout, "AttnProcessor") == "attention"


def test_files_without_classes_of_their_models_are_no_layout(tmp_path: Path) -> None:
    for model in MODELS:
        path = tmp_path / "lib/utils" / model / f"{model}_tools.py"
        path.parent.mkdir(parents=True)
        path.write_text("class Tool:\n    pass\n", encoding="utf-8")
    assert find_layout(tmp_path, PRESET) is None


def test_a_folder_with_few_files_is_not_shared_by_models(tmp_path: Path) -> None:
    write_models(tmp_path / "lib/models", "{type}_{model}.py", MODELS)
    assert find_layout(tmp_path, PRESET) is None


def test_imports_from_the_same_folder_tell_whether_imports_are_absolute(
    tmp_path: Path,
) -> None:
    write_models(tmp_path / "lib/models", "{model}/{model}_{type}.py", MODELS)
    for model in MODELS:
        path = tmp_path / f"lib/models/{model}/{model}_net.py"
        text = path.read_text(encoding="utf-8")
        line = f"from lib.models.{model}.{model}_attention import X\n\n\n"
        path.write_text(line + text, encoding="utf-8")
    layout = find_layout(tmp_path, PRESET)
    assert layout is not None and layout.has_absolute_imports


def write_one_file_models(root: Path, *, others: int = 0) -> None:
    """Write a library with one file for each model, and two helpers."""
    for model in MODELS + MORE_MODELS:
        path = root / f"{model}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "from .base import Module\n\n\nclass Attention(Module):\n    pass\n"
        path.write_text(text, encoding="utf-8")
    text = "class Module:\n    pass\n"
    (root / "base.py").write_text(text, encoding="utf-8")
    text = "def scale(x):\n    return x\n"
    (root / "rope_utils.py").write_text(text, encoding="utf-8")
    for index in range(others):
        text = f"class Tool{index}:\n    pass\n"
        (root / f"other{index}.py").write_text(text, encoding="utf-8")


def test_a_model_can_be_one_file(tmp_path: Path) -> None:
    write_one_file_models(tmp_path / "lib/models")
    layout = find_layout(tmp_path, PRESET)
    assert layout is not None
    assert layout.pattern == "{model}.py"
    assert layout.models_folders == ("lib/models",)
    assert len(layout.paths) == len(MODELS + MORE_MODELS)
    assert layout.helpers == ("base",)
    assert not layout.keeps_model_imports
    assert are_most_models(len(layout.paths), len(layout.others))


def test_imports_between_models_are_a_habit_if_several_have_them(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "lib/models"
    write_one_file_models(folder)
    for model in ("gemma", "qwen", "bloom"):
        with (folder / f"{model}.py").open("a", encoding="utf-8") as file:
            file.write("\n\nfrom .llama import Attention as LlamaAttention\n")
    layout = find_layout(tmp_path, PRESET)
    assert layout is not None and layout.keeps_model_imports


def test_a_folder_with_other_files_does_not_fit(tmp_path: Path) -> None:
    write_one_file_models(tmp_path / "lib/models", others=2)
    layout = find_layout(tmp_path, PRESET)
    assert layout is not None
    assert not are_most_models(len(layout.paths), len(layout.others))


def test_a_named_folder_may_have_few_models(tmp_path: Path) -> None:
    write_one_file_models(tmp_path / "lib/models")
    write_models(tmp_path / "lib/nets", "{model}.py", ("llama", "gemma"))
    layout = find_layout(tmp_path, PRESET, "lib/nets")
    assert layout is not None
    assert layout.models_folders == ("lib/nets",)
    assert len(layout.paths) == 2


def test_a_named_folder_may_have_few_models_with_a_type(tmp_path: Path) -> None:
    for model in ("Flux", "Wan", "Sana"):
        path = tmp_path / f"lib/nets/transformer_{model.lower()}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"class {model}Block:\n    size = 1\n", encoding="utf-8")
    assert find_layout(tmp_path, PRESET) is None
    layout = find_layout(tmp_path, PRESET, "lib/nets")
    assert layout is not None
    assert layout.pattern == "{type}_{model}.py"
