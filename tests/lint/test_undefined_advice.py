"""Hints about undefined names (MOD408)."""

from pathlib import Path

import pytest

from tests.conftest import Flatten
from tests.reporting import (
    LLAMA,
    OLMO,
    PARENT,
    codes_and_places,
    diagnostics,
    lines,
    of_olmo,
    only_hint,
)


NORM = """\
import torch
from torch import nn


class LlamaNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps
"""


def test_parameters_that_are_missing_at_an_unravelled_call(tmp_path: Path) -> None:
    parent = PARENT.replace("forward(self, x):", "forward(self, x, mask):").replace(
        "up_proj(x)", "up_proj(x * mask)"
    )
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forward(self, scale, **kwargs):
                return super().forward(**kwargs)
        """,
        parent,
    )
    assert codes_and_places(reported) == [
        "MOD408 models/olmo/modular_olmo.py:5:9, models/llama/modeling_llama.py:12:29"
    ]
    assert "hint: add `x`" in reported


def test_parameter_that_an_argument_does_not_stand_for(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaNorm

        class OlmoNorm(LlamaNorm):
            def __init__(self, hidden_size):
                super().__init__(hidden_size, eps=1e-5)
        """,
        NORM,
    )
    assert codes_and_places(reported) == [
        "MOD408 models/olmo/modular_olmo.py:5:9, models/llama/modeling_llama.py:9:33"
    ]
    assert "hint: write `eps = 1e-5`" in reported


def test_a_call_over_several_lines_has_one_message(tmp_path: Path) -> None:
    text = """
        from ..llama.modeling_llama import LlamaNorm

        class OlmoNorm(LlamaNorm):
            def __init__(self, hidden_size):
                super().__init__(
                    hidden_size,
                    eps=1e-5,
                )
        """
    reported = diagnostics(tmp_path, {LLAMA: NORM, OLMO: lines(text)})
    assert [(diagnostic.code.id, diagnostic.place.line) for diagnostic in reported] == [
        ("MOD408", 5)
    ]


def test_another_call_keeps_its_own_message(tmp_path: Path) -> None:
    text = """
        from ..llama.modeling_llama import LlamaNorm

        class OlmoNorm(LlamaNorm):
            def __init__(self, hidden_size):
                super().__init__(hidden_size, eps=1e-5)

        class OlmoFinalNorm(LlamaNorm):
            def __init__(self, hidden_size, eps=1e-6):
                super().__init__(
                    hidden_size,
                    eps=1e-5,
                )
        """
    reported = diagnostics(tmp_path, {LLAMA: NORM, OLMO: lines(text)})
    assert ("MOD422", 11) in [
        (diagnostic.code.id, diagnostic.place.line) for diagnostic in reported
    ]


def test_parameter_that_is_set_above_the_call(tmp_path: Path) -> None:
    reported = diagnostics(
        tmp_path,
        {
            LLAMA: NORM,
            OLMO: lines("""
                from ..llama.modeling_llama import LlamaNorm

                class OlmoNorm(LlamaNorm):
                    def __init__(self, hidden_size):
                        eps = 1e-5
                        super().__init__(hidden_size, eps)
                """),
        },
    )
    assert reported == ()


def test_base_with_a_letter_missing(tmp_path: Path) -> None:
    hint_ = only_hint(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamMLP):
            pass
        """,
    )
    assert hint_ == "did you mean `LlamaMLP`?"


def test_name_that_is_used_before_it_is_defined(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        class OlmoMLP:
            model_class = OlmoModel

        class OlmoModel:
            mlp_class = OlmoMLP
        """,
    )
    assert codes_and_places(reported) == ["MOD408 models/olmo/modular_olmo.py:5:17"]


LIBRARY = """\
from torch import nn


class LlamaMLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up_proj = nn.Linear(config.size, 4)

    @property
    def width(self):
        return 4

    def forward(self, x):
        return self.up_proj(x)


class LlamaNorm(nn.Module):
    eps = 1e-6

    @staticmethod
    def stat(n):
        return n
"""


@pytest.mark.parametrize(
    ("modular", "hint"),
    [
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaNorm


            class OlmoModel:
                norm = LlamaNorm
            """,
            "no generated class replaces `LlamaNorm`: define `class OlmoNorm(LlamaNorm): pass`, and use `OlmoNorm`",
            id="the old model's name",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaNorm as Norm


            class OlmoModel:
                norm = Norm
            """,
            "no generated class replaces `Norm`: define `class OlmoNorm(Norm): pass`, and use `OlmoNorm`",
            id="an alias",
        ),
        pytest.param(
            """
            WIDTH, HEIGHT = 1, 2


            class OlmoModel:
                width = WIDTH
            """,
            "assign `WIDTH` in a separate statement: assignments to several names at once are not read",
            id="unpacking",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP[int]):
                pass
            """,
            "write `LlamaMLP` without type arguments: a parent class with type arguments is not flattened",
            id="type arguments",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @LlamaMLP.width.setter
                def width(self, width):
                    self.up_proj = width
            """,
            "the class name is not defined inside its own body: copy the whole property or function here, and use its plain name",
            id="a setter of the parent's property",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def __init__(self, config):
                    super().__init__(confg)
            """,
            "did you mean `config`?",
            id="a slip in an argument",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def reset(self):
                    return LlamaMLP.forward(self, 1)
            """,
            "write `self.forward(1)`",
            id="a call of another method of the parent",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return x

                def reset(self):
                    return LlamaMLP.forward(self, 1)
            """,
            "copy `LlamaMLP.forward` into this class under another name, and call that",
            id="a call of a method that the class overrides",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return 2 * LlamaMLP.forward(self, x)
            """,
            "copy `LlamaMLP.forward` into this class under another name, and call that",
            id="a call in an expression, which the parent's body cannot replace",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return LlamaMLP.forward(self, 2 * x)
            """,
            "copy `LlamaMLP.forward` into this class under another name, and call that",
            id="a call with an argument that the parent's body would not get",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forward(self, x):
                    return LlamaMLP.forward(self, x)
            """,
            "write `super().forward(x)`",
            id="a call that the parent's body can replace",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                def forwards(self, x):
                    return 2 * LlamaMLP.forwards(self, x)
            """,
            "`LlamaMLP` has no `forwards`: did you mean `forward`?",
            id="a call of a method that was renamed in the parent",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                @classmethod
                def make(cls, config):
                    return LlamaMLP.compute_rope(config)
            """,
            "`LlamaMLP` has no `compute_rope`: write the code yourself",
            id="a static call of a method that the parent does not have",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaNorm


            class OlmoNorm(LlamaNorm):
                @staticmethod
                def stat(n):
                    return 1 + LlamaNorm.stat(n)
            """,
            "copy the code that you need from `LlamaNorm`: `OlmoNorm` has other code",
            id="a call of a static method that the class overrides",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaNorm


            class OlmoNorm(LlamaNorm):
                def __init__(self):
                    self.inner = LlamaNorm()
            """,
            "copy the code that you need from `LlamaNorm`: `OlmoNorm` has other code",
            id="an object of the parent class in its child",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaNorm


            class OlmoNorm(LlamaNorm):
                def is_norm(self, other):
                    is_known = isinstance(other, (LlamaNorm, str))
                    return is_known and LlamaNorm.eps
            """,
            "write `OlmoNorm`, the name that `LlamaNorm` gets in the generated files",
            id="the parent class as a type in its child",
        ),
        pytest.param(
            """
            from ..llama.modeling_llama import LlamaMLP


            class OlmoMLP(LlamaMLP):
                size = len(str(LlamaMLP))
            """,
            "copy what you need from `LlamaMLP`: the class name is not defined inside its own body",
            id="the parent class in an attribute",
        ),
        pytest.param(
            """
            LIMIT: int


            class OlmoModel:
                limit = LIMIT
            """,
            "write `LIMIT = ...` there",
            id="no value",
        ),
        pytest.param(
            """
            class openai:
                pass


            class OlmoModel:
                name = nope
            """,
            "import it or define it in `models/olmo/modular_olmo.py`",
            id="nothing similar",
        ),
    ],
)
def test_hints_about_names(tmp_path: Path, modular: str, hint: str) -> None:
    reported = diagnostics(tmp_path, {LLAMA: LIBRARY, OLMO: lines(modular)})
    assert hint in [diagnostic.hint for diagnostic in reported]


def test_a_function_of_a_parent_file_that_no_class_uses_is_to_be_copied(
    tmp_path: Path,
) -> None:
    parent = f"{PARENT}\n\ndef shift(x):\n    return x\n"
    modular = """
        from ..llama.modeling_llama import LlamaMLP
        from ..bert.modeling_bert import shift


        def helper(x):
            return shift(x)


        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                return helper(x)
        """
    files = {LLAMA: PARENT, OLMO: lines(modular)}
    files["models/bert/modeling_bert.py"] = parent
    hints = [item.hint for item in diagnostics(tmp_path, files)]
    assert hints == [
        "copy `shift` into this file: only what classes use is copied from a parent file"
    ]


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("def read(self):\n        return slef.size", "did you mean `self`?"),
        ("def read(self, hidden):\n        return hiden", "did you mean `hidden`?"),
        (
            "def read(self):\n        value = 2\n        return [vlaue for _ in self]",
            "did you mean `value`?",
        ),
        (
            "def read(self):\n        total = width\n        width = 2\n        return total",
            "set `width` above this line",
        ),
        (
            "def read(self, config: OlmoConfig):\n        return config",
            "import it or define it in `models/my_model/modular_my_model.py`",
        ),
        (
            "def read(self, config):\n        return OlmoConfig(config)",
            "import it or define it in `models/my_model/modular_my_model.py`",
        ),
        (
            "def __init__(self):\n        super().__init__()\n        width = 2\n"
            "        self.size = width",
            "to keep it below, annotate it: `self.size: Any = width`, and write `from typing import Any`",
        ),
    ],
)
def test_a_variable_of_the_function_may_be_meant(
    flatten: Flatten, method: str, hint: str
) -> None:
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaNorm\n\n\n"
        f"class MyModelNorm(LlamaNorm):\n    {method}\n",
        "class LlamaNorm:\n    def __init__(self):\n        self.size = 1\n",
    ).diagnostics
    assert (finding.code.id, finding.hint) == ("MOD408", hint)


def test_a_variable_is_suggested_in_a_line_that_is_rewritten(
    flatten_like_python: Flatten,
) -> None:
    (finding,) = flatten_like_python(
        "from ..llama.modeling_llama import LlamaNorm\n\n\n"
        "class MyModelNorm(LlamaNorm):\n"
        "    def run(self, value=1):\n        return super().run(valeu)\n",
        "class LlamaNorm:\n    def run(self, x=1):\n        self.x = x\n        return x\n",
    ).diagnostics
    (edit,) = finding.fixes[0].edits
    assert (edit.column, edit.old, edit.text) == (28, "valeu", "value")
