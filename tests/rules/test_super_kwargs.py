"""Tests of the rule `super-kwargs`."""

import libcst as cst
import pytest

from modular.rules.classes.super_kwargs import merge_parameters
from tests.support import source


def function(written: str) -> cst.FunctionDef:
    return cst.ensure_type(
        cst.parse_statement(f"def f({written}): pass\n"), cst.FunctionDef
    )


def parameters(written: str) -> cst.Parameters:
    return function(written).params


@pytest.mark.parametrize(
    ("parent", "own", "expected"),
    [
        ("self, a, b=1, **kwargs", "self, **super_kwargs", "self, a, b=1, **kwargs"),
        ("self, a, b=1", "self, **super_kwargs", "self, a, b=1"),
        (
            "self, a, b=1, **kwargs",
            "self, c=2, **super_kwargs",
            "self, a, b=1, c=2, **kwargs",
        ),
        (
            "self, a, b=1, **kwargs",
            "self, b: int = 2, a=0, **super_kwargs",
            "self, a=0, b: int = 2, **kwargs",
        ),
        (
            "self, a, *args, b=1, **kwargs: int",
            "self, c, **super_kwargs",
            "self, a, c, *args, b=1, **kwargs: int",
        ),
        (
            "self, a, *, b, **kwargs",
            "self, *, c=1, b=2, **super_kwargs",
            "self, a, *, b=2, c=1, **kwargs",
        ),
        ("self, a, *, b", "self, b=2, **super_kwargs", "self, a, *, b=2, "),
        ("self, a, /, b", "self, a=1, b=2, **super_kwargs", "self, a=1, /, b=2, "),
        ("self, a", "self, b, /, c, **super_kwargs", "self, a, b, c, "),
        ("self, a", "self, *args, **super_kwargs", "self, a, *args, "),
        ("x, y=1", "self, z=2, **super_kwargs", "x, y=1, z=2, "),
        ("x, y=1", "y=3, z=2, **super_kwargs", "x, y=1, z=2, "),
        ("x, y=1", "self, x=0, y=3, **super_kwargs", "x=0, y=3, "),
        ("self, x", "self: int = 1, /, x=2, **super_kwargs", "self, x=2, "),
        ("self, *, x", "*, x=2, **super_kwargs", "self, *, x=2, "),
        ("self", "self, **super_kwargs", "self"),
        ("\n    self\n", "self, **super_kwargs", "self\n"),
        ("\n    self,\n", "self, **super_kwargs", "self,\n"),
        (
            "self,  # me\n    a,\n",
            "self, a=1, **super_kwargs",
            "self,  # me\n    a=1, ",
        ),
        (
            "self, a: dict[str, int] = {}",
            "self, b=(1, 2), **super_kwargs",
            "self, a: dict[str, int] = {}, b=(1, 2), ",
        ),
    ],
)
def test_parameters_are_merged(parent, own, expected):
    merged, misplaced = merge_parameters(parameters(parent), parameters(own))
    assert not misplaced
    assert (
        cst.Module([]).code_for_node(function("").with_changes(params=merged))
        == f"def f({expected}): pass\n"
    )


@pytest.mark.parametrize(
    ("parent", "own", "misplaced"),
    [
        ("self, x=1", "self, pixels, **super_kwargs", "pixels"),
        ("self, x=1, y=2, **kwargs", "self, y, **super_kwargs", "y"),
        ("self, x=1, /", "self, pixels, **super_kwargs", "pixels"),
        ("self, x=1, *, y", "self, pixels, size, **super_kwargs", "pixels"),
    ],
)
def test_a_parameter_without_a_default_must_not_follow_one_with_a_default(
    flatten, parent, own, misplaced
):
    parent_file = f"class LlamaModel:\n    def forward({parent}):\n        return 1\n"
    modular = (
        "from ..llama.modeling_llama import LlamaModel\n\n\n"
        "class MyModelModel(LlamaModel):\n"
        f"    def forward({own}):\n"
        "        return super().forward(**super_kwargs)\n"
    )
    converted = flatten(modular, parent_file)
    assert converted.codes == [("MOD305", 5)]
    assert (
        converted.diagnostics[0].hint
        == f"give `{misplaced}` a default, or list all parameters instead of `**super_kwargs`"
    )
    assert converted.files == {}


def test_parameters_of_a_method_are_merged(flatten):
    parent = """
        class LlamaModel:
            def forward(
                self,
                ids,  # the tokens
                mask=None,
                **kwargs,
            ) -> tuple[int, str]:
                return ids, mask
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, mask=0, pixels=None, **super_kwargs):
                return super().forward(mask=mask, **super_kwargs)
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(
                self,
                ids,  # the tokens
                mask=0,
                pixels=None,
                **kwargs,
            ) -> tuple[int, str]:
                return ids, mask
        """)


def test_the_trailing_comma_of_the_last_parameter_spreads_the_lines(flatten):
    parent = """
        class LlamaModel:
            def forward(self, ids):
                return ids
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, mask, **super_kwargs):
                return super().forward(**super_kwargs)
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(
                self,
                ids,
                mask,
            ):
                return ids
        """)


def test_super_kwargs_needs_a_parents_method(flatten):
    parent = """
        class LlamaModel:
            size = 1
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, **super_kwargs):
                return super_kwargs
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            size = 1

            def forward(self, **super_kwargs):
                return super_kwargs
        """)


def test_without_super_kwargs_the_parameters_are_the_overrides(flatten):
    parent = """
        class LlamaModel:
            def forward(self, ids, mask=None, **kwargs):
                return ids, mask
        """
    modular = """
        from ..llama.modeling_llama import LlamaModel


        class MyModelModel(LlamaModel):
            def forward(self, mask, **kwargs):
                return super().forward(mask=mask, **kwargs)
        """
    assert flatten(modular, parent).only == source("""
        class MyModelModel:
            def forward(self, mask, **kwargs):
                return ids, mask
        """)
