"""Tests of the rule `import-aliases`."""

from typing import Any

import pytest

from tests.conftest import Flatten


GENERATED = "models/my_model/modeling_my_model.py"
MODULAR = """
    from cmath import sqrt

    from ..llama.modeling_llama import LlamaNorm


    class MyModelNorm(LlamaNorm):
        def root(self):
            return sqrt(-4)
    """


def run(text: str) -> dict[str, Any]:
    """Run a generated file and return its names."""
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def parent_with(imported: str, body: str) -> str:
    """Return a parent file with an import and a method."""
    return f"{imported}\n\n\nclass LlamaNorm:\n    def scale(self, sqrt_of=4):\n        {body}\n"


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("from math import sqrt", "return sqrt(sqrt_of)"),
        ("from math import sqrt, pi", "return sqrt(sqrt_of) if pi else 0"),
        ("from math import isqrt as sqrt", "return sqrt(sqrt_of)"),
        ("import math as sqrt", "return sqrt.sqrt(sqrt_of)"),
        ("from math import sqrt", "return (lambda: sqrt(sqrt_of))()"),
        ("from math import sqrt", "é = 'ü'; return sqrt(sqrt_of) if é else 1"),
        ("from math import sqrt\nmath_sqrt = abs", "return math_sqrt(-sqrt(sqrt_of))"),
        ("from math import sqrt", "return [sqrt for sqrt in (sqrt(sqrt_of),)][0]"),
    ],
)
def test_two_files_import_one_name(
    flatten_like_python: Flatten, imported: str, body: str
) -> None:
    result = flatten_like_python(MODULAR, parent_with(imported, body))
    assert result.diagnostics == ()
    norm = run(result.files[GENERATED])["MyModelNorm"]()
    assert (norm.scale(), norm.root()) == (2, 2j)


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("from math import sqrt\nsqrt = abs", "return sqrt(4)"),
        ("if True:\n    from math import sqrt", "return sqrt(4)"),
        ("from math import *", "return sqrt(4)"),
        ("from math import sqrt", "x: 'sqrt' = 2; return sqrt(4)"),
        ("from math import sqrt", "global sqrt; sqrt = abs; return sqrt(4)"),
        ("from math import sqrt", "return 2\n\n    sqrt = sqrt"),
    ],
)
def test_an_import_keeps_its_name_if_some_uses_may_be_unknown(
    flatten_like_python: Flatten, imported: str, body: str
) -> None:
    result = flatten_like_python(MODULAR, parent_with(imported, body))
    assert "math_sqrt" not in str(result.files)
    if "*" not in imported:
        assert "MOD307" in [item.code.id for item in result.diagnostics]


def test_two_parent_files_import_one_name(flatten_like_python: Flatten) -> None:
    modular = """
        from ..llama.modeling_llama import LlamaNorm
        from ..siglip.modeling_siglip import SiglipNorm


        class MyModelNorm(LlamaNorm):
            pass


        class MyModelVisionNorm(SiglipNorm):
            pass
        """
    siglip = parent_with("from cmath import sqrt", "return sqrt(-sqrt_of)")
    result = flatten_like_python(
        modular,
        parent_with("from math import sqrt", "return sqrt(sqrt_of)"),
        {"models/siglip/modeling_siglip.py": siglip.replace("Llama", "Siglip")},
    )
    assert result.diagnostics == ()
    names = run(result.files[GENERATED])
    assert names["MyModelNorm"]().scale() == 2
    assert names["MyModelVisionNorm"]().scale() == 2j


@pytest.mark.parametrize(
    ("definition", "expected"),
    [("def pow(x, y):\n    return 'mine'", "mine"), ("", 8)],
)
def test_an_import_hides_a_definition_or_builtin_of_the_modular_file(
    flatten_like_python: Flatten, definition: str, expected: object
) -> None:
    modular = (
        f"from ..llama.modeling_llama import LlamaNorm\n\n\n{definition}\n\n\n"
        "class MyModelNorm(LlamaNorm):\n    def root(self):\n        return pow(2, 3)\n"
    )
    parent = parent_with("from math import pow", "return pow(sqrt_of, 2)")
    result = flatten_like_python(modular, parent)
    assert result.diagnostics == ()
    norm = run(result.files[GENERATED])["MyModelNorm"]()
    assert norm.scale() == 16.0
    assert norm.root() == expected
    assert isinstance(norm.root(), type(expected))
