"""Bases before the parent class, for projects that do what Python does: MOD307."""

import pytest


PARENT = """
    from torch import nn


    class LlamaModel(nn.Module):
        tag = 1

        def forward(self, x):
            return super().grow(x)
    """
MODULAR = """
    from torch import nn

    from ...unknown import Unknown
    from ..llama.modeling_llama import LlamaModel


    class Mixin(nn.Module):
        {mixin}


    class MyModel({bases}):
        {body}
    """


@pytest.mark.parametrize(
    ("bases", "mixin", "body", "reason"),
    [
        ("Mixin, LlamaModel", "tag = 2", "pass", "has a member `tag` like it"),
        ("Mixin, LlamaModel", "grow = 2", "pass", "has a member `grow` like it"),
        ("Unknown, LlamaModel", "tag = 2", "pass", "its members are not known"),
        (
            "Mixin, LlamaModel",
            "if DEBUG: tag = 2",
            "pass",
            "has a member `tag` like it",
        ),
    ],
)
def test_a_base_before_the_parent_class_must_not_matter(
    flatten_like_python, bases, mixin, body, reason
):
    modular = MODULAR.format(bases=bases, mixin=mixin, body=body)
    converted = flatten_like_python(modular, PARENT)
    first = bases.partition(",")[0]
    assert [text for text in converted.messages if text.startswith("MOD307")] == [
        "MOD307 line 11: `MyModel` cannot be flattened: "
        f"`{first}` comes before the parent class, and {reason}"
    ]
    assert not converted.files


@pytest.mark.parametrize(
    ("bases", "mixin", "body"),
    [
        ("Mixin, LlamaModel", "width = 2", "pass"),
        ("Mixin, LlamaModel", "tag = 2", "tag = 3"),
        ("LlamaModel, Mixin", "tag = 2", "pass"),
    ],
)
def test_another_base_is_no_problem(flatten_like_python, bases, mixin, body):
    modular = MODULAR.format(bases=bases, mixin=mixin, body=body)
    assert "MOD307" not in str(flatten_like_python(modular, PARENT).messages)


def test_a_removed_member_of_a_base_is_an_error(flatten_like_python):
    parent = """
        from ...library import Base


        class LlamaModel(Base):
            tag = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            tag = AttributeError()
        """
    files = {"library.py": "class Base:\n    tag = 2\n"}
    assert flatten_like_python(modular, parent, files).messages == [
        "MOD307 line 5: `MyModel` cannot be flattened: `Base` has a member `tag`, too"
    ]
