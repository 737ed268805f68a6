"""Generated files that the formatter cannot read (MOD109)."""

from pathlib import Path

from tests.reporting import (
    PARENT,
    lines,
    of_olmo,
)


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
    assert reported == lines("""
        error[MOD109]: the formatter cannot read the generated \
`models/olmo/modeling_olmo.py`: Duplicate keyword argument "bias"
          --> models/olmo/modular_olmo.py:9:9
         9 |         self.gate = nn.Linear(4, 4, bias=True, bias=False)
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: correct the line; no file of this model was written

        """)


def test_formatter_failed_at_a_line_of_the_parent(tmp_path: Path) -> None:
    parent = PARENT.replace("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=True, bias=False)")
    assert of_olmo(tmp_path, OLMO_MLP, parent) == lines("""
        error[MOD109]: the formatter cannot read the generated \
`models/olmo/modeling_olmo.py`: Duplicate keyword argument "bias"
          --> models/olmo/modular_olmo.py:4:7
         4 | class OlmoMLP(LlamaMLP):
           |       ^^^^^^^
             inherited from models/llama/modeling_llama.py:9:9
         9 |         self.up_proj = nn.Linear(4, 4, bias=True, bias=False)
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
             hint: correct the line; no file of this model was written

        """)


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
