"""Tests of the rule `decorators`."""

import pytest

from tests.support import source


PARENT = """
    from torch import no_grad, nn

    from ...utils import auto_docstring


    @auto_docstring(
        intro="Llama",  # with arguments
    )
    # between them
    @nn.checked
    class LlamaModel(nn.Module):
        @no_grad()
        def forward(self, x):
            return x
    """


def test_a_method_inherits_decorators(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, x):
                return x + 1
        """
    assert flatten(modular, PARENT).only == source("""
        from torch import nn, no_grad

        from ...utils import auto_docstring


        @auto_docstring(
            intro="MyModel",  # with arguments
        )
        # between them
        @nn.checked
        class MyModelModel(nn.Module):
            @no_grad()
            def forward(self, x):
                return x + 1
        """)


def test_decorators_replace_those_of_the_parent(flatten):
    modular = """
        from typing import final

        from torch import compile

        from ..llama.modeling_llama import LlamaModel


        @final  # really
        class MyModelModel(LlamaModel):
            @compile(
                mode="fast",
            )
            @staticmethod
            def forward(x):
                return x + 1
        """
    assert flatten(modular, PARENT).only == source("""
        from typing import final

        from torch import compile, nn


        @final  # really
        class MyModelModel(nn.Module):
            @compile(
                mode="fast",
            )
            @staticmethod
            def forward(x):
                return x + 1
        """)


def test_no_inherit_decorator_removes_all_decorators(flatten):
    modular = """
        from ... import modular
        from ...modular import no_inherit_decorator
        from ..llama.modeling_llama import LlamaModel


        @modular.no_inherit_decorator
        class MyModelModel(LlamaModel):
            @no_inherit_decorator
            def forward(self, x):
                return x + 1
        """
    assert flatten(modular, PARENT).only == source("""
        from torch import nn


        class MyModelModel(nn.Module):
            def forward(self, x):
                return x + 1
        """)


@pytest.mark.parametrize(
    "decorators", ["@no_inherit_decorator\n@final\n", "@final\n@no_inherit_decorator\n"]
)
def test_the_marker_must_be_the_only_decorator_of_a_class(flatten, decorators):
    modular = f"from ..llama.modeling_llama import LlamaModel\n\n\n{decorators}class MyModelModel(LlamaModel):\n    pass\n"
    converted = flatten(modular, PARENT)
    assert converted.files == {}
    assert [code for code, _ in converted.codes] == ["MOD302"]


def test_the_marker_must_be_the_only_decorator_of_a_method(flatten):
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            @final
            @no_inherit_decorator
            def forward(self, x):
                return x + 1
        """
    converted = flatten(modular, PARENT)
    assert converted.files == {}
    assert [code for code, _ in converted.codes] == ["MOD302"]


def test_new_methods_and_classes_keep_their_decorators(flatten):
    modular = """
        from typing import final

        from ..llama.modeling_llama import LlamaModel


        @final
        class MyModelHead:
            @property
            def size(self):
                return 1


        class MyModelModel(LlamaModel):
            @property
            def size(self):
                return 2
        """
    assert flatten(modular, PARENT).only == source("""
        from typing import final

        from torch import nn, no_grad

        from ...utils import auto_docstring


        @final
        class MyModelHead:
            @property
            def size(self):
                return 1


        @auto_docstring(
            intro="MyModel",  # with arguments
        )
        # between them
        @nn.checked
        class MyModelModel(nn.Module):
            @no_grad()
            def forward(self, x):
                return x

            @property
            def size(self):
                return 2
        """)


def test_an_argument_is_not_a_marker(flatten):
    """A line of a decorator's arguments may begin with an operator."""
    modular = """
        from ...utils import left, no_inherit_decorator, scaled
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            @scaled(
                left
                @ no_inherit_decorator
            )
            def forward(self, x):
                return x + 1
        """
    converted = flatten(modular, PARENT)
    assert converted.codes == []
    assert (
        "    @scaled(left @ no_inherit_decorator)\n    def forward(self, x):\n"
        in converted.only
    )


ADDED = {
    "pyproject.toml": '[tool.modular]\nformatter = "ruff"\nadded-decorators = ["deprecate_kwarg"]\n'
}
"""Settings with a decorator that does not replace those of the parent's method."""


def test_an_added_decorator_keeps_those_of_the_parent_and_is_not_repeated(flatten):
    parent = """
        from torch import nn

        from ...utils import auto_docstring, deprecate_kwarg


        class LlamaModel(nn.Module):
            @deprecate_kwarg("old", new_name="x")
            # about the docstring
            @auto_docstring
            def forward(self, x):
                return x
        """
    modular = """
        from ...utils import deprecate_kwarg
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            @deprecate_kwarg("old", new_name="x")
            @deprecate_kwarg("older", new_name="x")
            def forward(self, x):
                return x + 1
        """
    assert flatten(modular, parent, ADDED).only == source("""
        from torch import nn

        from ...utils import auto_docstring, deprecate_kwarg


        class MyModelModel(nn.Module):
            @auto_docstring
            @deprecate_kwarg("old", new_name="x")
            @deprecate_kwarg("older", new_name="x")
            def forward(self, x):
                return x + 1
        """)


def test_an_added_decorator_beside_another_one_replaces_those_of_the_parent(flatten):
    modular = """
        from ...utils import auto_docstring, deprecate_kwarg
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            @auto_docstring
            @deprecate_kwarg("old", new_name="x")
            def forward(self, x):
                return x + 1
        """
    generated = flatten(modular, PARENT, ADDED).only
    assert "no_grad" not in generated
    assert "    @auto_docstring\n    @deprecate_kwarg(" in generated


def test_a_comment_between_decorators_and_definition_is_the_parents(flatten):
    parent = """
        from torch import nn, no_grad


        @nn.checked
        # the parent's class
        class LlamaModel(nn.Module):
            @no_grad()
            # the parent's method
            def forward(self, x):
                return x

            @no_grad()
            def prune(self, x):
                return x
        """
    modular = """
        from torch import compile, no_grad

        from ..llama.modeling_llama import LlamaModel


        @compile
        # the child's class
        class MyModelModel(LlamaModel):
            @no_grad()
            # the child's method
            def forward(self, x):
                return 2 * x

            @no_grad()
            # the child's comment alone
            def prune(self, x):
                return 2 * x
        """
    assert flatten(modular, parent).only == source("""
        from torch import compile, nn, no_grad


        @compile
        # the parent's class
        class MyModelModel(nn.Module):
            @no_grad()
            # the parent's method
            def forward(self, x):
                return 2 * x

            @no_grad()
            def prune(self, x):
                return 2 * x
        """)


def test_an_added_decorator_keeps_the_parents_comment_below_it(flatten):
    parent = """
        from torch import nn, no_grad


        class LlamaModel(nn.Module):
            @no_grad()
            # the parent's method
            def forward(self, x):
                return x
        """
    modular = """
        from ...utils.deprecation import deprecate_kwarg
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            @deprecate_kwarg("y", "6.0")
            def forward(self, x):
                return 2 * x
        """
    assert flatten(modular, parent, ADDED).only.endswith(
        "    @no_grad()\n"
        '    @deprecate_kwarg("y", "6.0")\n'
        "    # the parent's method\n"
        "    def forward(self, x):\n"
        "        return 2 * x\n"
    )


def test_a_class_can_refuse_the_decorators_of_its_parent_like_python(
    flatten_like_python,
):
    parent = """
        from functools import total_ordering


        @total_ordering
        class LlamaModel:
            def __eq__(self, other):
                return True

            def __lt__(self, other):
                return False
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        @no_inherit_decorator
        class MyModelModel(LlamaModel):
            pass
        """
    assert "@total_ordering" not in flatten_like_python(modular, parent).only


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        # `@strict` needs a dataclass, so it stays above `@dataclass`.
        (["strict", "dataclass"], ["dataclass"], ["strict", "dataclass"]),
        (["dataclass", "strict"], ["dataclass"], ["dataclass", "strict"]),
        (["strict"], ["final"], ["final", "strict"]),
        (
            ["strict", "dataclass", "no_grad"],
            ["dataclass", "final"],
            ["strict", "dataclass", "final", "no_grad"],
        ),
    ],
)
def test_the_order_of_the_decorators_of_both_classes_like_python(
    flatten_like_python, parent, child, expected
):
    def write(decorators: list[str]) -> str:
        return "".join(f"@{name}\n" for name in decorators)

    imports = (
        "from dataclasses import dataclass\nfrom typing import final\n"
        "from huggingface_hub.dataclasses import strict\nfrom torch import no_grad\n"
    )
    text = flatten_like_python(
        f"{imports}from ..llama.modeling_llama import LlamaModel\n\n\n"
        f"{write(child)}class MyModelModel(LlamaModel):\n    width: int = 2\n",
        f"{imports}\n\n{write(parent)}class LlamaModel:\n    size: int = 1\n",
    ).only
    found = [line[1:] for line in text.splitlines() if line.startswith("@")]
    assert found == expected
