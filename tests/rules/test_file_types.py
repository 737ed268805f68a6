"""Into which file a class goes."""

import pytest

from modular.rules.files.file_types import of_class, of_file
from modular.rules.settings import from_table


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
def test_of_a_class(name, file_type):
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
def test_of_a_file(stem, file_type):
    assert of_file(stem, SETTINGS) == file_type


def test_endings_of_ones_own():
    settings = from_table({"file-types": {"Schedule": "scheduling"}})
    assert of_class("MyModelSchedule", "MyModel", settings) == "scheduling"
    assert of_file("scheduling_llama", settings) == "scheduling"


def test_a_class_for_each_file(flatten):
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
