"""Classes that no generated file uses instead of the parent class (MOD304)."""

from pathlib import Path

from tests.reporting import codes_and_places, of_olmo


def test_replacement_with_another_name_than_the_need(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMlp(LlamaMLP):
            scale = 2

        class OlmoModel(LlamaModel):
            pass
        """,
    )
    assert codes_and_places(reported) == [
        "MOD304 models/olmo/modular_olmo.py:3:7, models/llama/modeling_llama.py:18:20"
    ]
    assert "hint: rename `OlmoMlp`" in reported


def test_a_base_in_other_capitals_beside_an_unused_class_is_only_reported_itself(
    tmp_path: Path,
) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LLamaModel

        class OlmoMlp(LlamaMLP):
            scale = 2

        class OlmoModel(LLamaModel):
            pass
        """,
    )
    assert codes_and_places(reported) == ["MOD412 models/olmo/modular_olmo.py:1:46"]
    assert "hint: write `LlamaModel`" in reported


def test_a_class_that_no_class_needs_any_more_is_not_reported(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMLP(LlamaMLP):
            scale = 2

        class OlmoModel(LlamaModel):
            def __init__(self, config):
                nn.Module.__init__(self)
                self.mlp = nn.Identity()
        """,
    )
    assert reported == ""


def test_a_class_that_is_generated_like_its_parent_is_not_reported(
    tmp_path: Path,
) -> None:
    """The flattened class is the parent's, so that nothing is lost where the parent's is used instead."""
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMlp(LlamaMLP):
            def forward(self, x):
                return super().forward(x)  # as it is

        class OlmoModel(LlamaModel):
            pass
        """,
    )
    assert reported == ""


def test_replacement_that_one_of_two_flattened_classes_goes_without(
    tmp_path: Path,
) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP, LlamaModel

        class OlmoFeedForward(LlamaMLP):
            scale = 2

        class OlmoModel(LlamaModel):
            def __init__(self):
                self.layer = None

        class OlmoBlockLayer(LlamaLayer):
            pass
        """,
        CHAIN,
    )
    assert "error[MOD304]: `OlmoFeedForward` is never used" in reported
    assert "the code that `OlmoBlockLayer` inherits uses" in reported


CHAIN = """\
from torch import nn


class LlamaMLP(nn.Module):
    scale = 1


class LlamaLayer(nn.Module):
    def __init__(self):
        self.mlp = LlamaMLP()


class LlamaModel(nn.Module):
    def __init__(self):
        self.layer = LlamaLayer()
"""


def test_replacement_of_what_is_needed_through_another_class(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoFeedForward(LlamaMLP):
            scale = 2

        class OlmoModel(LlamaModel):
            pass
        """,
        CHAIN,
    )
    assert (
        "`OlmoFeedForward` is never used: the code that `OlmoModel` inherits uses"
        in reported
    )
    assert (
        "needed at models/llama/modeling_llama.py:10:20\n 10 |         self.mlp = LlamaMLP()"
        in reported
    )


def test_what_is_not_an_unused_replacement(tmp_path: Path) -> None:
    """Exported, quoted in an annotation, used by another class, needed by nobody, or nothing but another name."""
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaLayer, LlamaMLP, LlamaModel

        class OlmoExportedMLP(LlamaMLP):
            scale = 2

        class OlmoQuotedMLP(LlamaMLP):
            scale = 3

        class OlmoUsedMLP(LlamaMLP):
            scale = 4

        class OlmoOtherMLP(LlamaMLP):
            pass

        class OlmoOtherModel(LlamaModel):
            scale = 5

        class OlmoLayer(LlamaLayer):
            other: "OlmoQuotedMLP"

            def __init__(self):
                super().__init__()
                self.other = OlmoUsedMLP()

        __all__ = ["OlmoExportedMLP", "OlmoLayer"]
        """,
        CHAIN,
    )
    assert "MOD304" not in reported


def test_replacement_is_used_by_its_own_name(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP, LlamaModel

        class OlmoMLP(LlamaMLP):
            scale = 2

        class OlmoModel(LlamaModel):
            pass
        """,
    )
    assert reported == ""
    assert (
        "scale = 2" in (tmp_path / "project/models/olmo/modeling_olmo.py").read_text()
    )
