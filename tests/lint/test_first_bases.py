"""Bases before the parent class, for projects that do what Python does: MOD307."""

import pytest

from tests.conftest import Flatten


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
def test_the_parent_is_kept_if_a_base_before_it_matters(
    flatten_like_python, bases, mixin, body, reason
):
    modular = MODULAR.format(bases=bases, mixin=mixin, body=body)
    converted = flatten_like_python(modular, PARENT)
    first = bases.partition(",")[0]
    assert [text for text in converted.messages if text.startswith("MOD308")] == [
        "MOD308 line 11: `MyModel` inherits from a copy of `LlamaModel`: "
        f"`{first}` comes before the parent class, and {reason}"
    ]
    assert f"class MyModel({first}, MyModelModel):" in converted.only


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
    assert "MOD308" not in str(flatten_like_python(modular, PARENT).messages)


def test_a_parent_is_kept_if_a_base_has_a_removed_member(flatten_like_python):
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
        "MOD308 line 5: `MyModel` inherits from a copy of `LlamaModel`: "
        "`Base` has a member `tag`, too"
    ]


@pytest.mark.parametrize(("member", "codes"), [("A = 1", ["MOD307"]), ("pass", [])])
def test_no_class_inherits_from_an_enum_with_members(
    flatten_like_python: Flatten, member: str, codes: list[str]
) -> None:
    result = flatten_like_python(
        "from ..llama.modeling_llama import LlamaKind\n\n\n"
        "class MyModelKind(LlamaKind):\n    B = 2\n",
        f"from enum import Enum\n\n\nclass LlamaKind(Enum):\n    {member}\n",
    )
    errors = [item.code.id for item in result.diagnostics if item.is_error]
    assert errors == codes


def test_an_enum_of_another_file_is_an_enum(flatten_like_python: Flatten) -> None:
    library = "from enum import Enum\n\n\nclass Named(str, Enum):\n    pass\n"
    result = flatten_like_python(
        "from ..llama.modeling_llama import LlamaKind\n\n\n"
        "class MyModelKind(LlamaKind):\n    B = 'b'\n",
        "from library import Named\n\n\nclass LlamaKind(Named):\n    A = 'a'\n",
        {"library.py": library},
    )
    errors = [item.code.id for item in result.diagnostics if item.is_error]
    assert errors == ["MOD307"]


def test_a_parent_is_kept_if_an_ordinary_class_would_get_a_field(flatten_like_python):
    parent = """
        from dataclasses import dataclass


        @dataclass
        class LlamaModel:
            size: int = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            scale: int = 9
            scale = 1
        """
    converted = flatten_like_python(modular, parent)
    assert "class MyModel(MyModelModel):" in converted.only


def test_a_parent_is_kept_if_a_base_lists_all_classes(flatten_like_python):
    parent = """
        CLASSES = []


        class LlamaBase:
            def __init_subclass__(cls):
                CLASSES.append(cls)


        class LlamaModel(LlamaBase):
            def forward(self):
                return len(CLASSES)
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModel(LlamaModel):
            pass
        """
    converted = flatten_like_python(modular, parent)
    assert "class MyModel(MyModelModel):" in converted.only
