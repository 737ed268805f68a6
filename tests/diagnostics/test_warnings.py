"""What is converted as it is written, but hardly as it was meant (MOD4xx)."""

from pathlib import Path

import pytest

from tests.reporting import LLAMA, OLMO, PARENT, lines, of_olmo, report


def test_del_of_missing_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.down_proj
        """,
    )
    assert reported == lines("""
        warning[MOD401]: `del self.down_proj` has no effect: the parent's `__init__` \
does not assign `self.down_proj`
          --> models/olmo/modular_olmo.py:6:9
         6 |         del self.down_proj
           |         ^^^^^^^^^^^^^^^^^^
             inherited from models/llama/modeling_llama.py:7:5
         7 |     def __init__(self, config):
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: remove the line

        """)


def test_del_of_a_class_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.scale
        """,
    )
    assert "warning[MOD401]: `del self.scale` has no effect" in reported
    assert (
        "hint: to remove the class attribute, write `scale = AttributeError()`"
        in reported
    )


def test_deleted_attribute_still_read(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj
        """,
    )
    assert reported == lines("""
        warning[MOD402]: `del self.up_proj` removes only the assignment: `OlmoMLP` still \
reads `self.up_proj`, in `forward`
           --> models/olmo/modular_olmo.py:6:9
          6 |         del self.up_proj
            |         ^^^^^^^^^^^^^^^^
              read at models/llama/modeling_llama.py:12:16
         12 |         return self.up_proj(x)
            |                ^^^^^^^^^^^^
              hint: override `forward` as well, or keep `self.up_proj`

        """)


def test_deleted_attribute_read_in_two_methods(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                del self.up_proj

            def backward(self, x):
                return self.up_proj.weight
        """,
    )
    assert "still reads `self.up_proj`, in `forward` and `backward`" in reported


def test_what_is_not_still_read(tmp_path: Path) -> None:
    """Assigned again elsewhere, registered, asked for first, made a property, or provided by a base in the file."""
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaBase, LlamaMLP

        class OlmoBase(LlamaBase):
            pass

        class OlmoMLP(LlamaMLP):
            def __init__(self):
                super().__init__()
                del self.again
                del self.registered
                del self.asked
                del self.made
                del self.inherited
                del self.unread
                self.register_buffer("registered", None)

            def reset(self):
                self.again = 1

            @property
            def made(self):
                return 1
        """,
        lines("""
            class LlamaBase:
                def __init__(self):
                    self.inherited = 1

            class LlamaMLP(LlamaBase):
                def __init__(self):
                    self.again = self.registered = 1
                    self.again = 1
                    self.registered = 1
                    self.asked = 1
                    self.made = 1
                    self.inherited = 1
                    self.unread = 1

                def forward(self):
                    if hasattr(self, "asked"):
                        return self.asked
                    return self.again, self.registered, self.made, self.inherited
            """),
    )
    assert reported == ""


def test_removal_of_missing_method(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            scale = 2

            def forwards(self):
                raise AttributeError("not needed")
        """,
    )
    assert reported == lines("""
        warning[MOD403]: `forwards` raises to remove a method, but is kept: `LlamaMLP` has no `forwards`
          --> models/olmo/modular_olmo.py:6:5
         6 |     def forwards(self):
           |     ^^^^^^^^^^^^^^^^^^^
             inherited from models/llama/modeling_llama.py:4:1
         4 | class LlamaMLP(nn.Module):
           | ^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: remove the method, unless a base of `LlamaMLP` has one; or did you mean `forward`?

        """)


def test_removal_of_missing_attribute(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            dropout = AttributeError()
        """,
    )
    assert reported == lines("""
        warning[MOD403]: `dropout = AttributeError()` removes nothing: `LlamaMLP` has no \
`dropout`
          --> models/olmo/modular_olmo.py:4:5
         4 |     dropout = AttributeError()
           |     ^^^^^^^^^^^^^^^^^^^^^^^^^^
             inherited from models/llama/modeling_llama.py:4:1
         4 | class LlamaMLP(nn.Module):
           | ^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: remove the line

        """)


def test_raise_does_not_remove(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                raise AttributeError("not needed")
        """,
    )
    assert reported == lines("""
        warning[MOD404]: `forward` raises, but the parent's `forward` is not removed: \
it is overridden
           --> models/olmo/modular_olmo.py:4:5
          4 |     def forward(self, x):
            |     ^^^^^^^^^^^^^^^^^^^^^
              inherited from models/llama/modeling_llama.py:11:5
         11 |     def forward(self, x):
            |     ^^^^^^^^^^^^^^^^^^^^^
              hint: to remove it, leave exactly one blank line, and no comment, above its `def`

        """)


def raising(tmp_path: Path, method: str) -> str:
    """Report on a class with one attribute and, a blank line below, a method that raises."""
    head = "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP):\n    scale = 2\n\n"
    reported = of_olmo(tmp_path, head + method)
    return reported[reported.index("hint: ") :].strip()


def test_what_keeps_a_raise_from_removing(tmp_path: Path) -> None:
    body = '        raise AttributeError("not needed")\n'
    decorated = f"    @staticmethod\n    def forward(self, x):\n{body}"
    documented = f'    def forward(self, x):\n        """Not needed."""\n{body}'
    long = f"    def forward(\n        self, x\n    ):\n{body}"
    deferred = f"    async def forward(self, x):\n{body}"
    assert (
        raising(tmp_path, decorated)
        == "hint: to remove it, write it without decorators"
    )
    assert (
        raising(tmp_path, documented)
        == "hint: to remove it, write it without a docstring"
    )
    assert raising(tmp_path, deferred) == "hint: to remove it, write it without `async`"
    assert raising(tmp_path, long) == (
        "hint: to remove it, write the `def` on one line, and `raise AttributeError(...)` directly below it"
    )


def test_several_prefixes(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoTextMLP(LlamaMLP):
            pass

        class OlmoModel(LlamaModel):
            pass
        """,
    )
    assert reported == lines("""
        warning[MOD405]: the classes that inherit from `models/llama/modeling_llama.py` \
use more than one prefix, `OlmoText`, `Olmo`: `Olmo` is used
          --> models/olmo/modular_olmo.py:3:7
         3 | class OlmoTextMLP(LlamaMLP):
           |       ^^^^^^^^^^^
             imported at models/olmo/modular_olmo.py:1:8
         1 | from ..llama.modeling_llama import LlamaMLP, LlamaModel
           |        ^^^^^^^^^^^^^^^^^^^^
             hint: everything else from that file is named `Olmo...`; if that is wrong, give the classes that inherit \
from it one prefix

        """)


def test_prefix_falls_back(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoTextMLP(LlamaMLP):
            pass
        """,
        parent="class LlamaMLP:\n    pass\n\n\nclass LlamaTextMLP:\n    pass\n",
    )
    assert reported == lines("""
        warning[MOD406]: `models/llama/modeling_llama.py` has classes of its own that \
begin like the prefix `OlmoText` (of `OlmoText`): `Olmo` is used
          --> models/olmo/modular_olmo.py:1:8
         1 | from ..llama.modeling_llama import LlamaMLP
           |        ^^^^^^^^^^^^^^^^^^^^
             hint: everything else from that file is named `Olmo...`; if that is wrong, define those classes too, with \
the names that they should have

        """)


def test_undefined_name_in_the_modular_file(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMLP(LlamaMLP):
            pass

        class OlmoModel(LlamaModel):
            def __init__(self, config):
                super().__init__(config)
                self.second = LlamaMLP(config)
                self.third = LlamaMLP(config)
        """,
    )
    assert reported == lines("""
        error[MOD408]: `LlamaMLP` is not defined in the generated \
`models/olmo/modeling_olmo.py`
          --> models/olmo/modular_olmo.py:9:23
         9 |         self.second = LlamaMLP(config)
           |                       ^^^^^^^^
             hint: `LlamaMLP` is called `OlmoMLP` in the generated files: write that

        """)


def test_undefined_name_in_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace(
        "return self.up_proj(x)", "return llama_gate(self.up_proj(x))"
    )
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
        parent,
    )
    assert reported == lines("""
        error[MOD408]: `olmo_gate` is not defined in the generated \
`models/olmo/modeling_olmo.py`
           --> models/olmo/modular_olmo.py:3:7
          3 | class OlmoMLP(LlamaMLP):
            |       ^^^^^^^
              used at models/llama/modeling_llama.py:12:9
         12 |         return llama_gate(self.up_proj(x))
            |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              hint: import it or define it in `models/olmo/modular_olmo.py`

        """)


def test_undefined_name_in_code_that_came_along(tmp_path: Path) -> None:
    parent = PARENT.replace("return self.up_proj(x)", "return gate(self.up_proj(x))")
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaModel

        class OlmoModel(LlamaModel):
            pass
        """,
        parent,
    )
    assert reported == lines("""
        error[MOD408]: `gate` is not defined in the generated \
`models/olmo/modeling_olmo.py`
           --> models/olmo/modular_olmo.py:1:8
          1 | from ..llama.modeling_llama import LlamaModel
            |        ^^^^^^^^^^^^^^^^^^^^
              used at models/llama/modeling_llama.py:12:16
         12 |         return gate(self.up_proj(x))
            |                ^^^^
              hint: import it or define it in `models/olmo/modular_olmo.py`

        """)


@pytest.mark.parametrize("formatter", ["ruff", "black", "none"])
def test_undefined_names_are_found_whatever_the_formatter(
    tmp_path: Path, formatter: str
) -> None:
    settings = f'[tool.modular]\nmodels = ["models"]\nformatter = "{formatter}"\n[tool.ruff.lint]\nselect = ["I"]\n'
    modular = lines("""
        class OlmoMLP:
            def forward(self, x):
                return gate(x)
        """)
    answer = report(tmp_path, {"pyproject.toml": settings, OLMO: modular})
    assert answer.startswith("error[MOD408]: `gate` is not defined")


def test_undefined_name_that_is_meant(tmp_path: Path) -> None:
    modular = lines("""
        class OlmoMLP:
            def forward(self, x):
                return gate(x)  # noqa: F821
        """)
    assert report(tmp_path, {OLMO: modular}) == ""


def test_leftover_name_in_the_modular_file(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                return x.LlamaMLP
        """,
    )
    assert reported == lines("""
        warning[MOD409]: `LlamaMLP` refers to `Llama`, but everything else from its files \
is renamed here
          --> models/olmo/modular_olmo.py:5:18
         5 |         return x.LlamaMLP
           |                  ^^^^^^^^
             hint: write `OlmoMLP`

        """)


def test_leftover_name_in_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace("return self.up_proj(x)", "return self.isLlamaProj(x)")
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            pass
        """,
        parent,
    )
    assert reported == lines("""
        warning[MOD409]: `isLlamaProj` still refers to `Llama` after \
renaming
           --> models/olmo/modular_olmo.py:3:7
          3 | class OlmoMLP(LlamaMLP):
            |       ^^^^^^^
              used at models/llama/modeling_llama.py:12:21
         12 |         return self.isLlamaProj(x)
            |                     ^^^^^^^^^^^
              hint: override the member that contains it, with `isOlmoProj` there

        """)


def test_what_is_no_leftover(tmp_path: Path) -> None:
    """Names that are imported, at module level or in a method, and names that the modular file itself gives."""
    reported = of_olmo(
        tmp_path,
        """
        from transformers.models.llama import LlamaTool

        from ..llama.modeling_llama import LlamaMLP

        class OlmoLlamaHelper:
            pass

        class OlmoMLP(LlamaMLP):
            def forward(self, x):
                from somewhere import LlamaThing

                return LlamaTool(x), OlmoLlamaHelper()
        """,
    )
    assert "MOD409" not in reported


def test_warnings_do_not_keep_files_from_being_written(tmp_path: Path) -> None:
    files = {
        LLAMA: PARENT,
        OLMO: lines("""
            from ..llama.modeling_llama import LlamaMLP

            class OlmoMLP(LlamaMLP):
                dropout = AttributeError()
            """),
    }
    assert report(tmp_path, files).startswith("warning[MOD403]")
    assert (
        "class OlmoMLP(nn.Module):"
        in (tmp_path / "project/models/olmo/modeling_olmo.py").read_text()
    )


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
    assert reported == lines("""
        warning[MOD410]: this statement is not copied to any generated file: in a class with a parent class, \
only the docstring, attributes and methods are kept
           --> models/olmo/modular_olmo.py:12:5
         12 |     class Inner:
            |     ^^^^^^^^^^^^
              hint: move it into a method, or turn it into an attribute

        """)


def test_left_out_of_the_parent_class(tmp_path: Path) -> None:
    parent = PARENT.replace(
        "    scale = 1\n", "    scale = 1\n    if scale:\n        ratio = 2\n"
    )
    reported = of_olmo(
        tmp_path,
        "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n",
        parent,
    )
    assert reported == lines("""
        warning[MOD410]: `OlmoMLP` does not get all of `LlamaMLP`: in a class with a \
parent class, only the docstring, attributes and methods are kept
          --> models/olmo/modular_olmo.py:3:1
         3 | class OlmoMLP(LlamaMLP): pass
           | ^^^^^^^^^^^^^^^^^^^^^^^^
             left out models/llama/modeling_llama.py:6:5
         6 |     if scale:
           |     ^^^^^^^^^
             hint: move what is missing into an attribute or a method

        """)


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
        "warning[MOD410]: only the names in `__all__` as strings are exported"
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
        "warning[MOD408]: `helper` is not defined in the generated `models/olmo/modeling_olmo.py`"
    ) in reported


def test_the_mark_is_under_the_word_and_not_in_another_one(tmp_path: Path) -> None:
    parent = "class LlamaMLP:\n    def inner(self):\n        self.inner = nn.LlamaLinear(nn)\n"
    reported = of_olmo(
        tmp_path,
        "from ..llama.modeling_llama import LlamaMLP\n\nclass OlmoMLP(LlamaMLP): pass\n",
        parent,
    )
    assert "used at models/llama/modeling_llama.py:3:22\n" in reported


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
    assert "warning[MOD410]: `async` is left out: a method that overrides" in reported
    assert reported.count("MOD410") == 1


def test_await_in_an_override_that_loses_its_async(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            async def forward(self, x):
                return await x
        """,
    )
    assert "error[MOD109]" in reported
    assert "--> models/olmo/modular_olmo.py:5:" in reported
    assert (
        "hint: `async` is left out: a method that overrides the parent's is `async` only if that is"
        in reported
    )
