"""Tests of the rule `file-types`."""

import pytest

from modular.project.file_types import of_class, of_file
from modular.settings.settings import from_table
from tests.support import convert, source


SETTINGS = from_table({})


@pytest.mark.parametrize(
    ("name", "file_type"),
    [
        ("MyModelConfig", "configuration"),
        ("MyModelTextConfig", "configuration"),
        ("MyModelTokenizer", "tokenization"),
        ("MyModelProcessor", "processing"),
        ("MyModelProcessorKwargs", "processing"),
        ("MyModelVideosKwargs", "processing"),
        ("MyModelImagesKwargs", "processing"),
        ("MyModelTextKwargs", "processing"),
        ("MyModelImageProcessor", "image_processing"),
        ("MyModelImageProcessorKwargs", "image_processing"),
        ("MyModelImageProcessorPil", "image_processing_pil"),
        ("MyModelVideoProcessor", "video_processing"),
        ("MyModelVideoProcessorInitKwargs", "video_processing"),
        ("MyModelVideoProcessorKwargs", "video_processing"),
        ("MyModelFeatureExtractor", "feature_extraction"),
        ("MyModelForCausalLM", "modeling"),
        ("MyModelConfigured", "modeling"),
        ("helper", "modeling"),
    ],
)
def test_an_ending_decides_the_file_type_of_a_class(name, file_type):
    assert of_class(name, "MyModel", SETTINGS) == file_type


def test_the_models_own_name_does_not_count():
    assert of_class("MyConfigModel", "MyConfig", SETTINGS) == "modeling"
    assert of_class("MyConfig", "MyConfig", SETTINGS) == "modeling"
    assert of_class("MyConfigConfig", "MyConfig", SETTINGS) == "configuration"
    assert of_class("ImageMyModelProcessor", "MyModel", SETTINGS) == "image_processing"


@pytest.mark.parametrize(
    ("stem", "file_type"),
    [
        ("modeling_llama", "modeling"),
        ("image_processing_llama", "image_processing"),
        ("image_processing_pil_llama", "image_processing_pil"),
        ("modular_llama", None),
        ("modeling", None),
        ("helpers", None),
    ],
)
def test_the_beginning_of_a_name_decides_the_file_type_of_a_file(stem, file_type):
    assert of_file(stem, SETTINGS) == file_type


def test_settings_can_add_endings():
    settings = from_table({"file-types": {"Schedule": "scheduling"}})
    assert of_class("MyModelSchedule", "MyModel", settings) == "scheduling"
    assert of_file("scheduling_llama", settings) == "scheduling"


def test_each_class_goes_to_its_file(flatten):
    modular = """
        class MyModelSize:
            width = 1


        class MyModelConfig:
            size = 2


        class MyModelImageProcessor:
            size = 3


        class MyModelModel:
            size = MyModelSize
        """
    assert flatten(modular).files == {
        "models/my_model/configuration_my_model.py": "class MyModelConfig:\n    size = 2\n",
        "models/my_model/image_processing_my_model.py": "class MyModelImageProcessor:\n    size = 3\n",
        "models/my_model/modeling_my_model.py": (
            "class MyModelSize:\n    width = 1\n\n\nclass MyModelModel:\n    size = MyModelSize\n"
        ),
    }


VIDEO = source("""
    class MyModelVideoProcessorKwargs:
        size = 1
    """)


def test_names_of_another_file_are_imported(flatten):
    configs = "".join(
        f"class MyModel{name}Config:\n    pass\n\n\n" for name in "CAFEBD"
    )
    parts = [f"MyModel{name}Config" for name in "DAFCBE"]
    files = flatten(
        f"{configs}class MyModelModel:\n    parts = [{', '.join(parts)}]\n",
        formatter="none",
    ).files
    imports = files["models/my_model/modeling_my_model.py"].split("\n\n\nclass")[0]
    assert imports == "\n".join(
        f"from .configuration_my_model import MyModel{name}Config" for name in "ABCDEF"
    )


@pytest.mark.parametrize(
    ("version", "file"),
    [
        ("5.17.0", "processing_my_model.py"),
        ("5.17.1.dev0", "processing_my_model.py"),
        ("5.9.3", "processing_my_model.py"),
        ("4.57.1", "processing_my_model.py"),
        ("5.18.0.dev0", "video_processing_my_model.py"),
        ("5.23.0", "video_processing_my_model.py"),
        ("6.0.0", "video_processing_my_model.py"),
    ],
)
@pytest.mark.parametrize("place", ["itself", "library"])
def test_the_release_of_the_library_decides_the_endings(tmp_path, version, file, place):
    """The release of the tree that the project is, or that its parent files come from, is read as text."""
    models, package = "src/transformers/models", "src/transformers"
    if place == "library":
        models, package = "mine/models", "src/transformers"
    written = {
        f"{package}/__init__.py": f'"""A library."""\n\n__version__ = "{version}"\n\nraise RuntimeError\n',
        f"{package}/models/llama/modeling_llama.py": "",
        f"{models}/my_model/modular_my_model.py": VIDEO,
        "pyproject.toml": f'[tool.modular]\nmodels = ["{models}"]\n',
    }
    if place == "library":
        written["pyproject.toml"] += 'package = "mine.models"\n'
    assert list(convert(tmp_path, written).files) == [f"{models}/my_model/{file}"]


def test_settings_override_the_endings_of_a_release():
    own = {"file-types": {"VideoProcessorKwargs": "kwargs"}}
    assert (
        of_class("MyModelVideoProcessorKwargs", "MyModel", from_table(own, (5, 17)))
        == "kwargs"
    )


def test_releases_of_other_libraries_do_not_count():
    settings = from_table({"source-library": "elder"}, (1, 0))
    assert (
        of_class("MyModelVideoProcessorKwargs", "MyModel", settings)
        == "video_processing"
    )
