"""Prefixes of classes with several parents (MOD405)."""

from pathlib import Path

from tests.reporting import codes_and_places, of_olmo


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
    assert codes_and_places(reported) == [
        "MOD405 models/olmo/modular_olmo.py:3:7, models/olmo/modular_olmo.py:1:8"
    ]
    assert "hint: everything else from that file is named `Olmo...`" in reported


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
    assert codes_and_places(reported) == ["MOD405 models/olmo/modular_olmo.py:1:8"]
