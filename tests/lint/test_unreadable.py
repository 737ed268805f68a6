"""Generated files that the formatter cannot read (MOD109)."""

from pathlib import Path

from tests.reporting import PARENT, codes_and_places, of_olmo


OLMO_MLP = """\
from ..llama.modeling_llama import LlamaMLP


class OlmoMLP(LlamaMLP):
    pass
"""


def test_formatter_failed(tmp_path: Path) -> None:
    reported = of_olmo(
        tmp_path,
        """
        from torch import nn

        from ..llama.modeling_llama import LlamaMLP


        class OlmoMLP(LlamaMLP):
            def __init__(self, config):
                super().__init__(config)
                self.gate = nn.Linear(4, 4, bias=True, bias=False)
        """,
    )
    assert codes_and_places(reported) == ["MOD109 models/olmo/modular_olmo.py:9:9"]


def test_formatter_failed_at_a_line_of_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=True, bias=False)")
    reported = of_olmo(tmp_path, OLMO_MLP, parent)
    assert codes_and_places(reported) == [
        "MOD109 models/olmo/modular_olmo.py:4:7, models/llama/modeling_llama.py:9:9"
    ]


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
        "hint: `async` is ignored: an override is `async` only if the parent's method is"
        in reported
    )
