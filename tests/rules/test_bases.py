"""Tests of the rule `bases`."""

import pytest

from tests.conftest import Flatten
from tests.support import source


FURTHER = (
    "GradientCheckpointingLayer",
    "Loaded",
    "OmniModalProcessorMixin",
    "PreTrainedVisionModel",
    "Saved",
    "loading",
)
"""The bases that some modular class has beside its parent class."""

IMPORT = "from ..llama.modeling_llama import LlamaLayer"


def header(flatten: Flatten, parent: str, own: str) -> str:
    """The first line of the class that comes of two class lines."""
    parent_file = f"{parent}\n    size = 1\n"
    modular = (
        f"from elsewhere import {', '.join(FURTHER)}\n{IMPORT}\n\n\n{own}\n    pass\n"
    )
    text = flatten(modular, parent_file).only
    return next(line for line in text.splitlines() if line.startswith("class "))


def test_the_bases_of_the_parent_are_kept(flatten):
    line = header(
        flatten,
        "class LlamaLayer(nn.Module, Mixin):",
        "class MyModelLayer(LlamaLayer):",
    )
    assert line == "class MyModelLayer(nn.Module, Mixin):"


@pytest.mark.parametrize("parent", ["class LlamaLayer:", "class LlamaLayer():"])
def test_a_class_may_have_no_bases(flatten, parent):
    assert (
        header(flatten, parent, "class MyModelLayer(LlamaLayer):")
        == "class MyModelLayer:"
    )


def test_an_added_base_comes_last(flatten):
    line = header(
        flatten,
        "class LlamaLayer(Module):",
        "class MyModelLayer(LlamaLayer, Saved, Loaded):",
    )
    assert line == "class MyModelLayer(Module, Saved, Loaded):"


@pytest.mark.parametrize(
    ("parent", "child", "bases"),
    [
        ("(Module)", "(Saved, LlamaLayer)", "(Module, Saved,)"),
        ("(Module)", "(LlamaLayer, Saved)", "(Module, Saved)"),
        ("(Module)", "(LlamaLayer, Saved,)", "(Module, Saved,)"),
        ("(Module,)", "(LlamaLayer, Saved)", "(Module, Saved)"),
        ("", "(Saved, LlamaLayer)", "(Saved,)"),
        ("(Module, size=1)", "(Saved, LlamaLayer)", "(Module, Saved, size=1)"),
        # The base with a common ending replaces the parent's, which has a comma or not.
        ("(Model)", "(ViewModel, LlamaLayer)", "(ViewModel)"),
        ("(Model,)", "(LlamaLayer, ViewModel)", "(ViewModel,)"),
    ],
)
def test_the_last_of_changed_bases_keeps_its_comma(flatten, parent, child, bases):
    imports = "from elsewhere import Model, Module, Saved, ViewModel\n"
    parent_file = f"{imports}class LlamaLayer{parent}:\n    size = 1\n"
    modular = f"{imports}{IMPORT}\nclass MyModelLayer{child}:\n    pass\n"
    text = flatten(modular, parent_file, formatter="none").only
    assert f"class MyModelLayer{bases}:" in text


def test_a_comma_behind_the_last_base_gives_each_base_a_line(flatten):
    imports = "from elsewhere import Module, Saved\n"
    parent = f"{imports}class LlamaLayer(Module):\n    size = 1\n"
    modular = f"{imports}{IMPORT}\nclass MyModelLayer(Saved, LlamaLayer):\n    pass\n"
    assert flatten(modular, parent).only == source("""
        from elsewhere import Module, Saved


        class MyModelLayer(
            Module,
            Saved,
        ):
            size = 1
        """)


def test_an_added_base_is_not_repeated(flatten):
    line = header(
        flatten,
        "class LlamaLayer(Saved, Module):",
        "class MyModelLayer(LlamaLayer, Saved):",
    )
    assert line == "class MyModelLayer(Saved, Module):"


def test_a_base_with_a_common_ending_replaces_the_parents(flatten):
    line = header(
        flatten,
        "class LlamaLayer(PreTrainedModel, Saved):",
        "class MyModelLayer(LlamaLayer, PreTrainedVisionModel):",
    )
    assert line == "class MyModelLayer(PreTrainedVisionModel, Saved):"


def test_the_parents_base_may_be_the_whole_ending(flatten):
    line = header(
        flatten,
        "class LlamaLayer(ProcessorMixin):",
        "class MyModelLayer(OmniModalProcessorMixin, LlamaLayer):",
    )
    assert line == "class MyModelLayer(OmniModalProcessorMixin):"


def test_an_ending_in_lower_case_replaces_nothing(flatten):
    line = header(
        flatten, "class LlamaLayer(saving):", "class MyModelLayer(LlamaLayer, loading):"
    )
    assert line == "class MyModelLayer(saving, loading):"


def test_a_base_in_lower_case_is_not_an_ending(flatten):
    line = header(
        flatten, "class LlamaLayer(ing):", "class MyModelLayer(LlamaLayer, loading):"
    )
    assert line == "class MyModelLayer(ing, loading):"


def test_a_replaced_base_is_not_added_again(flatten):
    own = "class MyModelLayer(LlamaLayer, PreTrainedVisionModel, PreTrainedModel):"
    assert (
        header(flatten, "class LlamaLayer(PreTrainedModel):", own)
        == "class MyModelLayer(PreTrainedVisionModel):"
    )


def test_a_checkpointing_layer_drops_the_plain_module(flatten):
    line = header(
        flatten,
        "class LlamaLayer(nn.Module):",
        "class MyModelLayer(LlamaLayer, GradientCheckpointingLayer):",
    )
    assert line == "class MyModelLayer(GradientCheckpointingLayer):"


def test_the_class_has_the_parents_keywords(flatten):
    line = header(
        flatten,
        "class LlamaLayer(TypedDict, total=False):",
        "class MyModelLayer(LlamaLayer, Saved, total=True):",
    )
    assert line == "class MyModelLayer(TypedDict, Saved, total=False):"


def test_bases_may_contain_brackets(flatten):
    line = header(
        flatten,
        "class LlamaLayer(Generic[K, V], make(1, 2)):",
        "class MyModelLayer(LlamaLayer, dict[str, int]):",
    )
    assert line == "class MyModelLayer(Generic[K, V], make(1, 2), dict[str, int]):"


def test_the_class_has_the_parents_type_parameters(flatten):
    line = header(
        flatten,
        "class LlamaLayer[T: (int, str)](Module):",
        "class MyModelLayer(LlamaLayer):",
    )
    assert line == "class MyModelLayer[T: (int, str)](Module):"


def test_bases_may_be_on_several_lines(flatten):
    parent = """
        class LlamaLayer(
            nn.Module,  # the first
            Mixin,
        ):  # behind
            size = 1
        """
    modular = """
        from elsewhere import Saved

        from ..llama.modeling_llama import LlamaLayer


        class MyModelLayer(
            LlamaLayer,
            Saved,  # new
        ):
            pass
        """
    assert flatten(modular, parent).only == source("""
        from elsewhere import Saved


        class MyModelLayer(
            nn.Module,
            Mixin,
            Saved,
        ):
            size = 1
        """)
