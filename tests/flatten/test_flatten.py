"""Methods that cannot be flattened (MOD302, MOD303)."""

from pathlib import Path

from modular.source.edits import apply_edits
from tests.reporting import LLAMA, OLMO, codes_and_places, diagnostics, of_olmo


def test_no_inherit_decorator_with_others_on_a_method(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        import torch

        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            @torch.no_grad()
            @no_inherit_decorator
            def forward(self, x):
                return x
        """,
    )
    assert codes_and_places(reported) == [
        "MOD302 models/olmo/modular_olmo.py:7:6, models/llama/modeling_llama.py:11:5"
    ]
    assert (
        "hint: to drop the parent's decorators, keep only `@no_inherit_decorator`"
        in reported
    )


def test_no_inherit_decorator_with_others_on_a_class(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        @no_inherit_decorator
        @final
        class OlmoMLP(LlamaMLP):
            pass
        """,
    )
    assert (
        "`@no_inherit_decorator` is combined with other decorators of `OlmoMLP`"
        in reported
    )
    assert (
        "inherited from models/llama/modeling_llama.py:4:1\n 4 | class LlamaMLP(nn.Module):"
        in reported
    )


def test_nothing_to_unravel(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forwards(self, x):
                y = 2 * x
                return super().forwards(y)
        """,
    )
    assert codes_and_places(reported) == [
        "MOD303 models/olmo/modular_olmo.py:6:9, models/llama/modeling_llama.py:4:1"
    ]
    assert "hint: did you mean `forward`?" in reported


def test_a_similar_method_with_other_parameters_is_named(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def forwards(self, x, scale):
                return super().forwards(x)
        """,
    )
    assert "hint: did you mean `forward`?" in reported


def test_a_base_that_lacks_the_method_is_not_advised(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP

        class OlmoMLP(LlamaMLP):
            def compute_rope(self, config, device):
                return super().compute_rope(config, device)
        """,
    )
    hint = "write the code yourself: no base of the parent class has the method"
    assert f"hint: {hint}\n" in reported


def test_a_base_of_the_child_may_have_the_method(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from ..llama.modeling_llama import LlamaMLP
        from .mixins import Rotary

        class OlmoMLP(LlamaMLP, Rotary):
            def compute_rope(self, config, device):
                return super().compute_rope(config, device)
        """,
    )
    assert "write `nn.Module.compute_rope(self, ...)`\n" in reported


def test_the_advised_base_of_a_class_without_bases_is_object(tmp_path: Path) -> None:
    modular = """\
from ..llama.modeling_llama import LlamaRotary


class OlmoRotary(LlamaRotary):
    def __repr__(self):
        return super().__repr__()
"""
    parent = "class LlamaRotary:\n    size = 1\n"
    [finding] = diagnostics(tmp_path, {LLAMA: parent, OLMO: modular})
    fixed = apply_edits(modular, finding.fixes[0].edits)
    assert fixed == modular.replace("super().__repr__()", "object.__repr__(self)")
    assert diagnostics(tmp_path / "fixed", {LLAMA: parent, OLMO: fixed}) == ()


def test_a_method_that_was_renamed_in_the_parent_is_named(tmp_path: Path) -> None:
    parent = """\
from torch import nn


class LlamaRotary(nn.Module):
    def init_rope(self, config, device):
        return config.base
"""
    modular = """\
from ..llama.modeling_llama import LlamaRotary


class OlmoRotary(LlamaRotary):
    def compute_default_parameters(self, config, device):
        return super().compute_default_parameters(config, device)
"""
    [finding] = diagnostics(tmp_path, {LLAMA: parent, OLMO: modular})
    assert (finding.code.id, finding.hint) == ("MOD303", "did you mean `init_rope`?")
    fixed = apply_edits(modular, finding.fixes[0].edits)
    assert fixed == modular.replace("compute_default_parameters", "init_rope")
    assert diagnostics(tmp_path / "fixed", {LLAMA: parent, OLMO: fixed}) == ()
