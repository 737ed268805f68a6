"""Statements that are copied to no generated file (MOD410)."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Diagnostic
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
from tests.support import convert


PARENT_WITH_BASE = lines("""
    from typing import TypedDict

    from torch import nn


    class LlamaKwargs(TypedDict, total=False):
        size: int


    class LlamaMLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.up_proj = nn.Linear(config.size, 4)

        def forward(self, x):
            return self.up_proj(x)

        def train(self, mode=True):
            return self
    """)


def find_problems(folder: Path, body: str, base: str = "LlamaMLP") -> list[Diagnostic]:
    """Give a class that inherits from a base of the parent file a body, or keywords and a body."""
    text = f"from ..llama.modeling_llama import {base}\n\n\nclass Olmo{base[5:]}({base}{lines(body)}"
    return list(diagnostics(folder, {LLAMA: PARENT_WITH_BASE, OLMO: text}))


def test_left_out_of_a_class(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
            ...
            width: int
            scale.table = 1
            first, second = 1, 2

            def forward(self, x): return x; print(x)

            class Inner:
                pass
        """,
    )
    assert codes_and_places(reported) == ["MOD410 models/olmo/modular_olmo.py:12:5"]


def test_left_out_of_the_parent_class(tmp_path: Path) -> None:
    parent = PARENT.replace(
        "    scale = 1\n", "    scale = 1\n    if scale:\n        ratio = 2\n"
    )
    reported = of_olmo(
        tmp_path,
        "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n",
        parent,
    )
    assert codes_and_places(reported) == [
        "MOD410 models/olmo/modular_olmo.py:3:1, models/llama/modeling_llama.py:6:5"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "print(1)",
        "for x in y: pass",
        "assert True",
        "a, b = 1, 2",
        "a += 1",
        "del a",
        "a()",
    ],
)
def test_left_out_of_the_file(tmp_path: Path, statement: str) -> None:
    modular = f"from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n\n{statement}\n"
    assert of_olmo(tmp_path, modular) == lines(f"""
        warning[MOD410]: this statement is not copied to any generated file: only imports, functions, classes \
and assignments to one name are read
          --> models/olmo/modular_olmo.py:5:1
         5 | {statement}
           | {"^" * len(statement)}
             hint: write it into a function, or assign its result to a name

        """)


@pytest.mark.parametrize(
    "value",
    [
        "names",
        '"OlmoMLP"',
        '[*names, "OlmoMLP"]',
        '["OlmoMLP"] + names',
        '["OlmoMLP"] * 2',
    ],
)
def test_exports_that_are_computed(tmp_path: Path, value: str) -> None:
    modular = f"from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n\n__all__ = {value}\n"
    assert of_olmo(tmp_path, modular).startswith(
        "warning[MOD410]: `__all__` is not a plain list of strings, so"
    )


def test_what_is_not_left_out(tmp_path: Path) -> None:
    assert not of_olmo(
        tmp_path,
        """
        \"""A docstring.\"""
        import os
        from ..llama.modeling_llama import LlamaMLP

        if os.name:
            import sys

        TABLE: dict = {}
        TABLE["a"] = 1
        pass
        ...

        class OlmoMLP(LlamaMLP):
            \"""A docstring.\"""
            scale: int = 3

            @property
            def wide(self):
                return 1

        class Plain:
            for x in TABLE:
                pass

        __all__ = ["OlmoMLP"] + ["Plain"]
        """,
    )


def test_exports_of_what_is_not_written(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        def helper():
            pass

        class OlmoMLP(LlamaMLP):
            pass

        __all__ = ["OlmoMLP", "helper"]
        """,
    )
    assert "warning[MOD451]: `helper` is in no generated file" in reported
    assert (
        "error[MOD408]: `helper` is not defined in the generated `models/olmo/modeling_olmo.py`"
    ) in reported


def test_async_of_an_override(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            async def forward(self, x):
                return x

            async def new(self):
                pass
        """,
    )
    assert "warning[MOD410]: `async` is ignored: an override is" in reported
    assert reported.count("MOD410") == 1


def test_all_that_is_added_to(tmp_path: Path) -> None:
    modular = """
        __all__ = ["OlmoMLP"]

        class OlmoMLP:
            pass

        __all__ += ["OlmoModel"]
        """
    assert (
        only_hint(tmp_path, modular)
        == "list the names in the one assignment to `__all__`"
    )


def test_all_that_is_extended(tmp_path: Path) -> None:
    modular = """
        __all__ = ["OlmoMLP"]

        class OlmoMLP:
            pass

        __all__.extend(["OlmoModel"])
        """
    assert (
        only_hint(tmp_path, modular)
        == "list the names in the one assignment to `__all__`"
    )


@pytest.mark.parametrize(
    ("body", "is_lost"),
    [
        ("SIZES.append(3)", True),
        ("SIZES.reverse()", True),
        ("global COUNT\n    COUNT = 2", True),
        ("return SIZES, COUNT", False),
    ],
)
def test_a_call_of_a_function_that_changes_a_name_is_not_left_out_silently(
    tmp_path: Path, body: str, is_lost: bool
) -> None:
    parent = (
        f"SIZES = [1, 2]\nCOUNT = 1\n\n\ndef prepare():\n    {body}\n\n\nprepare()\n\n\n"
        "class LlamaMLP:\n    def forward(self):\n        return SIZES, COUNT\n"
    )
    files = {
        "models/llama/modeling_llama.py": parent,
        "models/olmo/modular_olmo.py": "from ..llama.modeling_llama import LlamaMLP\n"
        "\n\nclass OlmoMLP(LlamaMLP):\n    depth = 1\n",
    }
    codes = [diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics]
    assert codes == (["MOD410"] if is_lost else [])


def test_only_statements_that_no_class_uses_are_reported_with_pythons_inheritance(
    tmp_path: Path,
) -> None:
    text = lines("""
        from ..llama.modeling_llama import LlamaMLP

        __all__ = ["OlmoMLP"]
        SIZES = [1]

        class OlmoMLP(LlamaMLP):
            sizes = SIZES
            for width in (4, 8):
                print(width)

        SIZES.append(2)
        unused = 1
        unused += 1
        __all__ += ["SIZES"]
        print(1)
        """)
    files = {
        "pyproject.toml": '[tool.modular]\ninheritance = "python"\n',
        LLAMA: PARENT_WITH_BASE,
        OLMO: text,
    }
    unused, added, printed = diagnostics(tmp_path, files)
    codes = (unused.code.id, added.code.id, printed.code.id)
    assert codes == ("MOD451", "MOD410", "MOD410")
    assert added.hint == "list the names in the one assignment to `__all__`"
    assert printed.message.endswith("it changes no name that a generated class uses")
