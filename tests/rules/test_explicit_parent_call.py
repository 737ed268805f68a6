"""Tests of the rule `explicit-parent-call`."""

import pytest

from tests.support import source


PARENT = """
    from torch import nn

    from ...modeling_layers import GradientCheckpointingLayer


    class LlamaLayer(GradientCheckpointingLayer):
        def reset(self, config):
            return config


    class LlamaMLP(nn.Module):
        def reset(self, config):
            return config
    """


def returned(flatten, parent: str, statement: str) -> str:
    """What stands for a statement of an override of `reset`."""
    modular = f"""
        from ..llama.modeling_llama import {parent}


        class MyModel{parent.removeprefix("Llama")}({parent}):
            def reset(self, config):
                {statement}
        """
    text = flatten(modular, PARENT).only
    return text.rpartition("def reset(self, config):\n")[2].strip()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("nn.Module.reset(self, config)", "super().reset(config)"),
        ("nn.Module.reset(self)", "super().reset()"),
        ("nn.Module.reset(config)", "super().reset(config)"),
        (
            "return nn.Module.other(self, config, key=self)",
            "return super().other(config, key=self)",
        ),
        ("x = [nn.Module.reset(self, config)]", "x = [super().reset(config)]"),
        ("nn.Module.reset (self, config)", "super().reset(config)"),
        ("nn.Module . reset(self, config)", "super().reset(config)"),
        ("nn . Module.reset(self, config)", "super().reset(config)"),
        (
            "nn.Module.reset(self, nn.Module.other(self))",
            "super().reset(super().other())",
        ),
        ("nn.Module.reset(*self)", "super().reset(*self)"),
        ("nn.Module.reset(key=self)", "super().reset(key=self)"),
        ("nn.Linear.reset(self, config)", "nn.Linear.reset(self, config)"),
        ("my.nn.Module.reset(self, config)", "my.nn.Module.reset(self, config)"),
        ("nn.Module.reset", "nn.Module.reset"),
        ('print("nn.Module.reset(self)")', 'print("nn.Module.reset(self)")'),
    ],
)
def test_calls_of_a_base_become_calls_of_super(flatten, statement, expected):
    assert returned(flatten, "LlamaMLP", statement) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("nn.Module.reset(  # why\nself)", "super().reset(  # why\n)"),
        ("nn.Module.reset(\n# why\nself,\n)", "super().reset(\n# why\n\n)"),
        ("nn.Module.reset(self  # why\n)", "super().reset(  # why\n)"),
        (
            "nn.Module.reset(self  # one\n,  # two\n)",
            "super().reset(  # one\n  # two\n)",
        ),
        ("nn.Module.reset(  # why\n)", "super().reset(  # why\n)"),
        ("nn.Module.reset(  # why\nself, x)", "super().reset(  # why\nx)"),
        ("nn.Module.reset(self,  # why\nx)", "super().reset(  # why\nx)"),
        (
            "nn.Module.reset(  # one\nself,  # two\nx)",
            "super().reset(  # one\n  # two\nx)",
        ),
        ("nn  # why\n. Module.reset(self, x)", "super().reset(  # why\n x)"),
        ("nn.Module  # why\n.reset(self)", "super().reset(  # why\n)"),
        ("nn.Module.reset(\nself, \\\nx)", "super().reset(\nx)"),
    ],
)
def test_comments_in_a_replaced_call_are_kept(flatten, call, expected):
    parent = """
        from torch import nn


        class LlamaMLP(nn.Module):
            pass
        """
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def reset(self, x):
                return (CALL)
        """
    text = flatten(source(modular).replace("CALL", call), parent, formatter="none").only
    assert text.endswith(f"        return ({expected})\n")


@pytest.mark.parametrize("base", ["GradientCheckpointingLayer", "nn.Module"])
def test_a_plain_module_may_be_called_for_a_checkpointing_layer(flatten, base):
    assert (
        returned(flatten, "LlamaLayer", f"{base}.reset(self, config)")
        == "super().reset(config)"
    )


def test_pretrained_model_may_be_called_for_a_base_with_that_word(flatten):
    parent = """
        class LlamaModel(LlamaPreTrainedModel):
            def reset(self, config):
                return config
        """
    modular = """
        from ...modeling_utils import PreTrainedModel
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def reset(self, config):
                PreTrainedModel.reset(self, config)
                MyModelPreTrainedModel.reset(self, config)
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel(MyModelPreTrainedModel):
            def reset(self, config):
                super().reset(config)
                super().reset(config)
        """)


def test_calls_in_a_new_method_are_replaced(flatten):
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def clear(self):
                if self.full:
                    nn.Module.clear(self)
        """
    assert flatten(modular, PARENT).only == source("""
        from torch import nn


        class MyModelMLP(nn.Module):
            def reset(self, config):
                return config

            def clear(self):
                if self.full:
                    super().clear()
        """)


def test_calls_after_an_unravelled_call_are_kept(flatten):
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def reset(self, config):
                nn.Module.before(self)
                super().reset(config)
                nn.Module.after(self)
        """
    assert flatten(modular, PARENT).only == source("""
        from torch import nn


        class MyModelMLP(nn.Module):
            def reset(self, config):
                super().before()
                return config
                nn.Module.after(self)
        """)


def test_calls_in_a_class_without_a_parent_class_are_kept(flatten):
    modular = """
        from torch import nn


        class MyModelMLP(nn.Module):
            def reset(self):
                nn.Module.reset(self)
        """
    assert flatten(modular).only == source("""
        from torch import nn


        class MyModelMLP(nn.Module):
            def reset(self):
                nn.Module.reset(self)
        """)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("nn.Module.other(self); x = 1", "super().other(); x = 1"),
        ("x = [nn.Module.other(self)]", "x = [super().other()]"),
        ("nn.Module.other( self , )", "super().other()"),
    ],
)
def test_calls_beside_other_statements_of_a_new_method_are_replaced(
    flatten, statement, expected
):
    modular = f"""
        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            def new(self):
                if True:
                    nn.Module.other(self)
                {statement}  # why
                return self
        """
    text = flatten(modular, PARENT, formatter="none").only
    assert text.endswith(
        f"    def new(self):\n        if True:\n            super().other()\n        {expected}  # why\n        return self\n"
    )


def test_calls_in_decorators_and_defaults_are_kept(flatten):
    modular = """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class MyModelMLP(LlamaMLP):
            @nn.Module.register()
            def new(self, config=nn.Module.default()):
                nn.Module.reset(self, config)
        """
    assert flatten(modular, PARENT).only.endswith(
        "    @nn.Module.register()\n    def new(self, config=nn.Module.default()):\n        super().reset(config)\n"
    )
