"""Functions of several parent files with one name (MOD413)."""

from pathlib import Path

import pytest

from tests.support import convert, source


def codes(root: Path, llama: str, siglip: str) -> list[str]:
    """Convert a model that inherits a class of two parent files, and return what is reported."""
    modular = source("""
        from ..llama.modeling_llama import LlamaAttention
        from ..siglip.modeling_siglip import SiglipAttention


        class OlmoAttention(LlamaAttention):
            pass


        class OlmoVisionAttention(SiglipAttention):
            pass
        """)
    sources = {
        "models/llama/modeling_llama.py": source(llama),
        "models/siglip/modeling_siglip.py": source(siglip),
    }
    report = convert(root, {**sources, "models/olmo/modular_olmo.py": modular})
    return [diagnostic.code.id for diagnostic in report.diagnostics]


LLAMA = """
    def attend(x):
        return x


    class LlamaAttention:
        def forward(self, x):
            return attend(x)
    """


@pytest.mark.parametrize(
    ("function", "found"),
    [
        pytest.param("def attend(x):\n    return -x", ["MOD413"], id="another body"),
        pytest.param(
            'def attend(x):\n    """Attend."""\n    return x', [], id="a docstring"
        ),
        pytest.param(
            "def attend(x: int) -> int:\n    # as it is\n    return x",
            [],
            id="annotations and a comment",
        ),
        pytest.param(
            "def attend(y, x=1):\n    return x", ["MOD413"], id="other parameters"
        ),
    ],
)
def test_functions_of_two_parent_files(
    tmp_path: Path, function: str, found: list[str]
) -> None:
    siglip = f"{function}\n\n\nclass SiglipAttention:\n    def forward(self, x):\n        return attend(x)\n"
    assert codes(tmp_path, LLAMA, siglip) == found


def test_equal_functions_that_read_different_values_are_reported(
    tmp_path: Path,
) -> None:
    parent = """
        SCALE = {}


        def attend(x):
            return x * SCALE


        class {}Attention:
            def forward(self, x):
                return attend(x)
        """
    found = codes(tmp_path, parent.format(2, "Llama"), parent.format(3, "Siglip"))
    assert found == ["MOD413"]


@pytest.mark.parametrize(
    ("members", "found"),
    [
        pytest.param("pass", ["MOD413"], id="nothing"),
        pytest.param("pi = 1", ["MOD413"], id="an attribute of another object"),
        pytest.param("other = 1", ["MOD413"], id="another attribute"),
        pytest.param("groups = 1", [], id="the attribute in the class"),
        pytest.param(
            "def __init__(self, config):\n"
            "        super().__init__(config)\n"
            "        self.groups = 1",
            [],
            id="the attribute in a method",
        ),
    ],
)
def test_a_class_that_sets_what_only_the_chosen_function_reads_is_not_reported(
    tmp_path: Path, members: str, found: list[str]
) -> None:
    files = {
        "models/llama/modeling_llama.py": source("""
            import math


            def attend(module, x):
                return x * module.groups * module.scale * math.pi


            class LlamaAttention:
                def __init__(self, config):
                    self.groups = config.groups
                    self.scale = 2

                def forward(self, x):
                    return attend(self, x)
            """),
        "models/siglip/modeling_siglip.py": source("""
            def attend(module, x):
                return x * module.scale


            class SiglipAttention:
                def __init__(self, config):
                    self.scale = 2

                def forward(self, x):
                    return attend(self, x)
            """),
        "models/olmo/modular_olmo.py": (
            "from ..llama.modeling_llama import LlamaAttention\n"
            "from ..siglip.modeling_siglip import SiglipAttention\n\n\n"
            "class OlmoAttention(LlamaAttention):\n    pass\n\n\n"
            f"class OlmoVisionAttention(SiglipAttention):\n    {members}\n"
        ),
    }
    reported = convert(tmp_path, files).diagnostics
    assert [diagnostic.code.id for diagnostic in reported] == found
