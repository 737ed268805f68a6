"""Flat files of one model are generated together if they do not exclude each other."""

import pytest

from modular.format.formatting import format_texts
from modular.infer.infer import infer_modular
from modular.infer.proof import Proof
from modular.run.api import Options
from tests.infer.conftest import FLAT, LLAMA, PARENT
from tests.support import source, write_project


FOLDER = "models/my_model"
IMAGES = f"{FOLDER}/image_processing_my_model.py"
PIL = f"{FOLDER}/image_processing_pil_my_model.py"
CONFIG = f"{FOLDER}/configuration_my_model.py"

KWARGS = """
    class MyModelImageProcessorKwargs(ImagesKwargs):
        size: int
        scale: float
    """


@pytest.fixture
def inferred(tmp_path):
    def run(files):
        texts = {path: source(text) for path, text in files.items()}
        write_project(tmp_path, dict(format_texts(texts, tmp_path, "ruff").texts))
        (found,) = infer_modular(
            ["my_model"], options=Options(root=tmp_path, jobs=1, cache=False)
        ).inferences
        return found

    return run


def _processor(suffix, base):
    return f"""

    class MyModelImageProcessor{suffix}({base}):
        valid_kwargs = MyModelImageProcessorKwargs

        def resize(self, image):
            return self.{base.lower()}(image)
    """


def _files(comment):
    head = "    from ...backends import {}\n    from ...processing_utils import ImagesKwargs\n\n"
    kwargs = KWARGS.rstrip(" ")
    return {
        IMAGES: head.format("Torch") + kwargs + _processor("", "Torch"),
        PIL: head.format("Pil")
        + "\n\n"
        + comment
        + kwargs.lstrip("\n")
        + _processor("Pil", "Pil"),
    }


@pytest.mark.parametrize(
    "what",
    ["Adapted", "TODO: one class for both. Copied", "TODO: check again - copied"],
)
def test_a_comment_that_names_the_copied_class_is_not_generated(inferred, what):
    inference = inferred(
        _files(
            f"    # {what} from models.my_model.image_processing_my_model.MyModelImageProcessorKwargs\n"
        )
    )
    assert inference.text == source("""
        from ...backends import Pil, Torch
        from ...processing_utils import ImagesKwargs


        class MyModelImageProcessorKwargs(ImagesKwargs):
            size: int
            scale: float


        class MyModelImageProcessor(Torch):
            valid_kwargs = MyModelImageProcessorKwargs

            def resize(self, image):
                return self.torch(image)


        class MyModelImageProcessorPil(Pil):
            valid_kwargs = MyModelImageProcessorKwargs

            def resize(self, image):
                return self.pil(image)
        """)
    assert inference.proofs == {IMAGES: Proof.IDENTICAL, PIL: Proof.SHORTENED}
    remark = "not generated: 1 copy comment, replaced by inheritance"
    assert [(skipped.path, skipped.reason) for skipped in inference.notes] == [
        (PIL, remark)
    ]
    assert inference.flat_lines == 29


def test_a_comment_that_names_the_copied_function_is_not_generated(
    inferred,
):
    files = _files(
        "    # Adapted from models.my_model.image_processing_my_model.MyModelImageProcessorKwargs\n"
    )
    function = "    def halve(size):\n        return size // 2\n\n\n"
    for path, comment in (
        (IMAGES, ""),
        (PIL, "    # Adapted from models.my_model.image_processing_my_model.halve\n"),
    ):
        files[path] = files[path].replace(
            "return self.", "return halve(image) or self."
        )
        head, processor = files[path].split(
            "    class MyModelImageProcessor" + ("(" if path == IMAGES else "Pil(")
        )
        rest = (
            "    class MyModelImageProcessor"
            + ("(" if path == IMAGES else "Pil(")
            + processor
        )
        files[path] = f"{head}{comment}{function}{rest}"
    inference = inferred(files)
    assert inference.text.count("def halve(size):") == 1
    assert inference.proofs == {IMAGES: Proof.IDENTICAL, PIL: Proof.SHORTENED}
    assert inference.notes[0].reason.startswith("not generated: 2 copy comments")


def test_classes_with_different_comments_are_different(inferred):
    inference = inferred(
        _files(
            "    # Smaller than models.my_model.image_processing_other.MyModelImageProcessorKwargs\n"
        )
    )
    assert inference.text == ""
    assert [skipped.reason for skipped in inference.by_hand if skipped.path == PIL] == [
        f"`MyModelImageProcessorKwargs` differs from the class of the same name in `{IMAGES}`"
    ]


def test_of_files_that_import_a_name_from_different_places_one_stays_hand_written(
    inferred,
):
    guard = "\n\n    if is_torch_available():\n        import torch\n"
    config = f"    from ...utils import is_torch_available{guard}\n\n    class MyModelConfig:\n        device = torch.cpu\n"
    inference = inferred(
        {
            FLAT: PARENT.replace("Llama", "MyModel"),
            "models/llama/modeling_llama.py": PARENT,
            CONFIG: config,
        }
    )
    assert list(inference.proofs) == [FLAT]
    assert [
        (skipped.path, skipped.line, skipped.reason) for skipped in inference.by_hand
    ] == [(CONFIG, 1, "`is_torch_available`, `torch` cannot be generated unchanged")]


def test_the_statement_that_cannot_be_generated_is_named_with_its_line(inferred):
    block = "\n\n    if nn.flag:\n        kind = 1\n"
    inference = inferred(
        {FLAT: PARENT.replace("Llama", "MyModel") + block, LLAMA: PARENT}
    )
    assert [
        (skipped.path, skipped.line, skipped.reason) for skipped in inference.by_hand
    ] == [(FLAT, 45, "`if nn.flag:` cannot be generated unchanged")]


def test_a_name_that_files_import_from_different_places_is_imported_as_in_the_modeling_file(
    inferred,
):
    flat = PARENT.replace("Llama", "MyModel")
    config = "    from torch.cuda import nn\n\n\n    class MyModelConfig:\n        kind = nn.Module\n"
    inference = inferred(
        {
            FLAT: f"{flat}\n\n    class MyModelHead(nn.Module):\n        size = 1\n",
            LLAMA: PARENT,
            CONFIG: config,
        }
    )
    assert list(inference.proofs) == [FLAT]
    assert [skipped.path for skipped in inference.by_hand] == [CONFIG]


def test_files_with_and_without_a_blank_line_below_the_heading_are_both_identical(
    inferred,
):
    config = (
        "    from abc import ABC\n\n\n    class MyModelConfig(ABC):\n        size = 1\n"
    )
    head = "    # Copyright 2026\n"
    own = "    class MyModelHead(nn.Module):\n        size = math.pi\n"
    flat = f"    import math\n{PARENT}\n\n{own}".replace("Llama", "MyModel")
    inference = inferred(
        {FLAT: f"{head}\n{flat}", LLAMA: PARENT, CONFIG: f"{head}{config}"}
    )
    assert inference.text.startswith(
        '# Copyright 2026\n"""MyModel model."""\n\nimport math\n'
    )
    assert inference.proofs == {CONFIG: Proof.IDENTICAL, FLAT: Proof.IDENTICAL}


def test_a_parent_file_that_imports_a_name_from_another_place_is_not_used(inferred):
    drop = "    class GptDrop(nn.Module):\n" + "".join(
        f"        size_{number} = {number}\n" for number in range(20)
    )
    head = (
        "    class MyModelHead(nn.Module):\n        size = collections.abc.Iterable\n"
    )
    flat = f"    import collections\n\n{PARENT}\n\n{drop}\n\n{head}".replace(
        "Llama", "MyModel"
    ).replace("Gpt", "MyModel")
    gpt = f"    import collections.abc\n\n    from torch import nn\n\n\n{drop}\n\n    KIND = collections.abc.Iterable\n"
    inference = inferred({FLAT: flat, LLAMA: PARENT, "models/gpt/modeling_gpt.py": gpt})
    assert inference.proofs == {FLAT: Proof.IDENTICAL}
    assert "class MyModelDrop(nn.Module):" in inference.text


def test_a_guard_that_the_file_type_brings_agrees_with_any_other(inferred):
    files = _files("")
    guard = "    from ...utils import is_torch_available\n\n\n    if is_torch_available():\n        import torch\n"
    for path in (IMAGES, PIL):
        own = guard if path == PIL else guard.replace("is_torch", "is_fast_torch")
        files[path] = files[path].replace(
            "    from ...processing_utils import ImagesKwargs\n",
            "    from ...processing_utils import ImagesKwargs\n" + own,
        )
        files[path] = files[path].replace("(image)\n", "(torch.tensor(image))\n")
    assert inferred(files).proofs == {IMAGES: Proof.IDENTICAL, PIL: Proof.IDENTICAL}


def test_an_import_from_a_model_file_comes_with_a_parent_class(
    inferred,
):
    config = """
        from ...utils import Config
        from ..auto.configuration_auto import AutoConfig


        class {0}Config(Config):
            model_type = "{1}"
            backbone_size: int = {2}

            def __init__(self, **kwargs):
                self.backbone = AutoConfig.for_model(**kwargs)
        """
    flat = config.format("MyModel", "my_model", 5)
    files = {
        "models/auto/configuration_auto.py": "    class AutoConfig:\n        kind = 1\n",
        "models/llama/configuration_llama.py": config.format("Llama", "llama", 8),
        CONFIG: flat,
    }
    inference = inferred(files)
    assert inference.text == source("""
        from ..llama.configuration_llama import LlamaConfig


        class MyModelConfig(LlamaConfig):
            backbone_size: int = 5
        """)
    assert inference.proof is Proof.IDENTICAL


def test_several_files_without_parents_are_written_as_one(
    inferred,
):
    heading = (
        "    # A licence,\n    # and what it says.\n    from torch import nn\n\n\n"
    )
    files = {
        FLAT: heading + "    class MyModelGate(nn.Module):\n        open = True\n",
        f"{FOLDER}/processing_my_model.py": heading
        + "    class MyModelProcessor(nn.Module):\n        closed = True\n",
    }
    inference = inferred(files)
    assert inference.text == source("""
        # A licence,
        # and what it says.
        from torch import nn


        class MyModelGate(nn.Module):
            open = True


        class MyModelProcessor(nn.Module):
            closed = True
        """)
    assert inference.proof is Proof.IDENTICAL


def test_ignore_copy_comments_are_not_generated(
    inferred,
):
    flat = PARENT.replace("Llama", "MyModel").replace(
        "self.act_fn = nn.SiLU()", "self.act_fn = nn.GELU()"
    )
    copied = "# Copied from models.llama.modeling_llama.LlamaMLP with Llama->MyModel\n    class MyModelMLP"
    flat = flat.replace("class MyModelMLP", copied)
    at = flat.index("        def __init__(self, config)")
    flat = f"{flat[:at]}        # Ignore copy\n{flat[at:]}\n\n    NOTE = '''two\n    lines'''\n"
    llama = {"models/llama/modeling_llama.py": PARENT}
    inference = inferred({FLAT: flat, **llama})
    mlp = next(class_ for class_ in inference.classes if class_.name == "MyModelMLP")
    assert (mlp.derived.inherited, mlp.derived.merged) == (("forward",), ("__init__",))
    assert [skipped.reason for skipped in inference.notes] == [
        "`NOTE` is not generated: nothing uses it",
        "not generated: 2 copy comments, replaced by inheritance",
    ]


def test_deprecated_names_of_several_files_are_joined(inferred):
    config = """
        from ...utils import deprecate_attr


        class MyModelConfig:
            size = 1


        __getattr__ = deprecate_attr(__name__, remove={"MyModelOldConfig": "v6"})
        """
    gate = """
        from ...utils import deprecate_attr


        class MyModelGate:
            open = True


        __getattr__ = deprecate_attr(__name__, rename={"MyModelDoor": ("MyModelGate", "v6")})
        """
    inference = inferred({CONFIG: config, FLAT: gate})
    assert inference.text.endswith(
        source("""
        __getattr__ = deprecate_attr(
            __name__, remove={"MyModelOldConfig": "v6"}, rename={"MyModelDoor": ("MyModelGate", "v6")}
        )
        """)
    )
    assert inference.proofs == {CONFIG: Proof.IDENTICAL, FLAT: Proof.IDENTICAL}


def test_a_file_of_another_project_may_import_from_the_package_itself(inferred):
    base = "from transformers import PreTrainedModel\n\n\n"
    body = "(PreTrainedModel):\n" + "".join(f"    size{n} = 1\n" for n in range(6))
    parent = f"{base}class LlamaModel{body}"
    flat = f"{base}class MyModelModel{body}"
    inference = inferred({FLAT: flat, LLAMA: parent})
    assert list(inference.proofs.items()) == [(FLAT, Proof.IDENTICAL)]
    assert "class MyModelModel(LlamaModel):" in inference.text


def test_a_file_of_the_library_that_imports_from_its_package_stays_hand_written(
    report,
):
    models = "src/transformers/models"
    files = {
        "src/transformers/__init__.py": "",
        f"{models}/llama/modeling_llama.py": PARENT,
        f"{models}/my_model/modeling_my_model.py": """
            from transformers import PreTrainedModel


            class MyModelModel(PreTrainedModel):
                size = 1
        """,
    }
    (inference,) = report(files, "my_model").inferences
    [skipped] = inference.by_hand
    assert skipped.line == 1
    assert skipped.reason == (
        "a modular file cannot import from the package `transformers` itself: "
        "import from the file that defines the name"
    )


def test_copy_comments_do_not_keep_definitions_from_being_inherited(
    inferred,
):
    function = "\n\n    def halve(x):\n        return x / 2\n"
    parent = PARENT.replace(
        "return residual + x", "return residual + halve(x)"
    ).replace("    class LlamaLayer", "    @decorated\n    class LlamaLayer")
    flat = (parent + function).replace("Llama", "MyModel")
    copied = "    # Copied from models.llama.modeling_llama.{}\n"
    flat = flat.replace(
        "    class MyModelLayer", copied.format("LlamaLayer") + "    class MyModelLayer"
    )
    flat = flat.replace("    def halve", copied.format("halve") + "    def halve")
    inference = inferred({LLAMA: parent + function, FLAT: flat})
    # The function is generated above the class that calls it.
    assert inference.proofs == {FLAT: Proof.REORDERED}
    assert inference.text == source("""
        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(LlamaLayer):
            pass
        """)


def test_a_file_that_exports_a_class_of_another_file_stays_hand_written(inferred):
    flat = PARENT.replace("Llama", "MyModel") + '\n\n    __all__ = ["MyModelConfig"]\n'
    inference = inferred({LLAMA: PARENT, FLAT: flat})
    assert [(skipped.path, skipped.reason) for skipped in inference.by_hand] == [
        (
            FLAT,
            "`__all__` lists `MyModelConfig`, whose name belongs in another file",
        )
    ]


def test_the_report_names_imports_that_a_file_would_have_in_addition(inferred):
    """Both files of the model get the import from `__future__` of one of them."""
    settings = """
        [tool.modular]
        models = ["models"]
        package = "acme.models"
    """
    parent = "from __future__ import annotations\n\n\nclass LlamaModel:\n" + "".join(
        f"    size{number} = 1\n" for number in range(9)
    )
    config = "class MyModelConfig:\n    size = 1\n"
    files = {"pyproject.toml": settings, LLAMA: parent, CONFIG: config}
    inference = inferred({**files, FLAT: parent.replace("Llama", "MyModel")})
    assert list(inference.proofs.items()) == [(FLAT, Proof.IDENTICAL)]
    assert [(skipped.path, skipped.reason) for skipped in inference.by_hand] == [
        (CONFIG, "the generated file would import `annotations`, too")
    ]
