"""Comments such as `# Copied from models.llama.modeling_llama.LlamaMLP` are evidence."""

import pytest

from modular.infer.copies import CopySource, parse_copy_source
from tests.infer.conftest import FLAT, LLAMA, PARENT


OPT = "models/opt/modeling_opt.py"
GPT = "models/gpt/modeling_gpt.py"


def with_comment(text: str, class_: str, source: str) -> str:
    """Return a model file with a copy comment above one of its classes."""
    return text.replace(
        f"    class {class_}(", f"    # Copied from {source}\n    class {class_}("
    )


@pytest.mark.parametrize(
    ("dotted_name", "source"),
    [
        ("lib.models.a.modeling_a.AMLP", CopySource("lib/models/a", "AMLP")),
        ("models.a.modeling_a.AMLP.forward", CopySource("models/a", "AMLP.forward")),
        ("models.a.modular_a.rotate", CopySource("models/a", "rotate")),
    ],
)
def test_a_source_has_a_folder_and_a_name(dotted_name, source):
    assert parse_copy_source(dotted_name) == source


@pytest.mark.parametrize(
    ("folder", "is_in"),
    [
        ("src/lib/models/llama", True),
        ("models/llama", True),
        ("lib/models/xllama", False),
        ("other/models/llama", False),
    ],
)
def test_the_paths_of_a_folder_and_of_a_source_may_differ_in_length(folder, is_in):
    assert CopySource("lib/models/llama", "LlamaMLP").is_in(folder) is is_in


def test_a_copy_of_the_target_is_never_its_parent(inferred):
    flat = PARENT.replace("Llama", "MyModel")
    copy = with_comment(
        flat, "MyModelMLP", "models.my_model.modeling_my_model.MyModelMLP"
    )
    inference = inferred(flat, copy.replace("class MyModel", "class Llama"))
    assert not inference.text


def test_a_copy_of_the_target_is_no_parent_even_if_more_was_copied_from_it(inferred):
    """The target is the younger model, but one of its classes was copied back."""
    flat = PARENT.replace("Llama", "MyModel")
    for class_ in ("MyModelNorm", "MyModelLayer"):
        source = f"models.llama.modeling_llama.{class_.replace('MyModel', 'Llama')}"
        flat = with_comment(flat, class_, source)
    target = "models.my_model.modeling_my_model.MyModelMLP"
    inference = inferred(flat, with_comment(PARENT, "LlamaMLP", target))
    parents = {class_.name: class_.parent for class_ in inference.classes}
    assert parents == {
        "MyModelNorm": (LLAMA, "LlamaNorm"),
        "MyModelMLP": None,
        "MyModelLayer": (LLAMA, "LlamaLayer"),
    }


def test_the_named_class_is_the_parent_although_another_one_is_equal(inferred):
    """Without the comment, the alphabetical order of the folders would decide."""
    source = "models.opt.modeling_opt.OptLayer"
    flat = with_comment(PARENT.replace("Llama", "MyModel"), "MyModelLayer", source)
    inference = inferred(flat, files={OPT: PARENT.replace("Llama", "Opt")})
    (layer,) = [class_ for class_ in inference.classes if class_.name == "MyModelLayer"]
    assert layer.parent == (OPT, "OptLayer")


def test_the_nearest_class_is_the_one_that_a_comment_names(near):
    flat = with_comment(
        PARENT.replace("Llama", "MyModel"),
        "MyModelMLP",
        "lib.models.opt.modeling_opt.OptMLP with Opt->MyModel",
    )
    files = {
        FLAT: flat,
        LLAMA: PARENT,
        OPT: PARENT.replace("Llama", "Opt").replace("nn.SiLU()", "nn.GELU()"),
    }
    (mlp,) = near(f"{FLAT}:MyModelMLP", files).results
    assert [match.name for match in mlp.neighbours[:2]] == ["OptMLP", "LlamaMLP"]


def test_a_younger_model_is_no_parent(inferred):
    flat = "    # Copyright 2018\n" + PARENT.replace("Llama", "MyModel")
    parent = "    # Copyright 2022\n" + PARENT
    assert not inferred(flat, parent).text
    assert inferred(
        parent.replace("Llama", "MyModel"), flat.replace("MyModel", "Llama")
    ).text
