"""Names that still contain the name of the parent model (MOD409)."""

from pathlib import Path

from tests.conftest import Flatten
from tests.reporting import PARENT, codes_and_places, of_olmo


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
    assert codes_and_places(reported) == ["MOD409 models/olmo/modular_olmo.py:5:18"]
    assert "hint: write `OlmoMLP`" in reported


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
    assert codes_and_places(reported) == [
        "MOD409 models/olmo/modular_olmo.py:3:7, models/llama/modeling_llama.py:12:21"
    ]
    assert (
        "hint: override the member that contains it, and write `isOlmoProj`" in reported
    )


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


def test_a_name_that_a_method_imports_is_no_leftover(flatten: Flatten) -> None:
    result = flatten(
        """
        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            def parent(self):
                from ..llama.modeling_llama import LlamaNorm as LlamaParent

                return LlamaParent
        """,
        "class LlamaNorm:\n    size = 1\n",
    )
    assert result.codes == []


def test_an_attribute_of_an_imported_module_is_no_leftover(flatten: Flatten) -> None:
    result = flatten(
        """
        from ..llama import modeling_llama
        from ..llama.modeling_llama import LlamaNorm


        class MyModelNorm(LlamaNorm):
            def parent(self):
                return modeling_llama.LlamaNorm
        """,
        "class LlamaNorm:\n    size = 1\n",
    )
    assert result.codes == []
