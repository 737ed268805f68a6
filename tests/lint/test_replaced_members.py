"""MOD482: `@dataclass` that other decorators replace."""

from pathlib import Path

import pytest

from tests.support import convert, source


PARENT = source("""
    from dataclasses import dataclass


    @dataclass
    class LlamaOutput:
        loss: float = 0.0
""")


@pytest.mark.parametrize(
    ("decorators", "codes"),
    [
        ("@final", ["MOD482"]),
        ("@dataclass", []),
        ("@dataclasses.dataclass", []),
        ("@no_inherit_decorator", []),
    ],
)
def test_a_dataclass_may_lose_its_decorator_only_on_purpose(
    tmp_path: Path, decorators: str, codes: list[str]
) -> None:
    modular = source(f"""
        import dataclasses
        from dataclasses import dataclass
        from typing import final

        from ...utils.modular import no_inherit_decorator
        from ..llama.modeling_llama import LlamaOutput


        {decorators}
        class OlmoOutput(LlamaOutput):
            score: float = 0.0
    """)
    files = {
        "models/llama/modeling_llama.py": PARENT,
        "models/olmo/modular_olmo.py": modular,
    }
    findings = [
        diagnostic.code.id for diagnostic in convert(tmp_path, files).diagnostics
    ]
    assert [code for code in findings if code != "MOD453"] == codes
