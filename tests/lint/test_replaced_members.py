"""MOD482: `@dataclass` that other decorators replace."""

from pathlib import Path

import pytest

from tests.conftest import Flatten
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
        ("@no_inherit_decorator", ["MOD482"]),
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


def test_another_decorator_may_be_dropped(flatten: Flatten) -> None:
    parent = """
        def tag(cls):
            cls.tag = "llama"
            return cls


        @tag
        class LlamaOutput:
            loss: float = 0.0
        """
    modular = """
        from ...utils.modular import no_inherit_decorator
        from ..llama.modeling_llama import LlamaOutput


        @no_inherit_decorator
        class MyModelOutput(LlamaOutput):
            score: float = 0.0
        """
    assert flatten(modular, parent).codes == []


KERNEL_PARENT = """
    from torch import nn

    from ...integrations import use_kernel_forward_from_hub, use_kernelized_func


    @use_kernel_forward_from_hub("rotate")
    def rotate(x):
        return -x


    def turn(x):
        return x


    @use_kernelized_func([rotate, turn])
    class LlamaAttention(nn.Module):
        def forward(self, x):
            return turn(rotate(x))


    @use_kernelized_func(rotate)
    class LlamaCrossAttention(nn.Module):
        def forward(self, x):
            return rotate(x)
    """


@pytest.mark.parametrize(
    ("function", "decorator", "lines"),
    [
        ("def rotate(x):\n    return x", "", [7]),
        ("def turn(x):\n    return 2 * x", "", []),
        ('@use_kernel_func_from_hub("other")\ndef rotate(x):\n    return x', "", []),
        (
            '@use_kernel_func_from_hub_with_fallback("other", "fla")\ndef rotate(x):\n    return x',
            "",
            [],
        ),
        ("def rotate(x):\n    return x", "@no_inherit_decorator\n", []),
    ],
)
def test_a_function_without_the_decorator_of_its_kernel(
    flatten: Flatten, function: str, decorator: str, lines: list[int]
) -> None:
    classes = ""
    for name in ("Attention", "CrossAttention"):
        classes += f"\n\n{decorator}class MyModel{name}(Llama{name}):\n    pass\n"
    modular = (
        "from ...integrations import use_kernel_func_from_hub\n"
        "from ...integrations import use_kernel_func_from_hub_with_fallback\n"
        "from ...utils.modular import no_inherit_decorator\n"
        "from ..llama.modeling_llama import LlamaAttention, LlamaCrossAttention\n\n\n"
        f"{function}\n{classes}"
    )
    codes = flatten(modular, KERNEL_PARENT).codes
    assert [line for code, line in codes if code == "MOD490"] == lines


def test_a_class_that_is_copied_with_the_decorator_of_a_kernel(
    flatten: Flatten,
) -> None:
    parent = (
        KERNEL_PARENT
        + """

    class LlamaLayer(nn.Module):
        def forward(self, x):
            return LlamaAttention()(x)
    """
    )
    modular = """
    from ..llama.modeling_llama import LlamaLayer


    def rotate(x):
        return x


    class MyModelLayer(LlamaLayer):
        pass
    """
    assert flatten(modular, parent).codes == [("MOD490", 4)]


OTHER_MODEL = "def rotate(x):\n    return x\n"


@pytest.mark.parametrize(
    ("inherited", "decorator", "above", "hint"),
    [
        (
            "Attention",
            "",
            "from ..bert.modeling_bert import rotate\n",
            "write `@no_inherit_decorator` above the class",
        ),
        (
            "Plain",
            "@use_kernelized_func(rotate)\n",
            "\n\ndef rotate(x):\n    return x\n",
            "remove the decorator of the class or, if the kernel does the same, write "
            '`@use_kernel_forward_from_hub("rotate")` above the function',
        ),
        ("Plain", "@use_kernelized_func(rotate)\n", "", None),
        ("Plain", "", "\n\ndef rotate(x):\n    return x\n", None),
    ],
    ids=[
        "from another model",
        "an own decorator",
        "the parent's function",
        "no kernel",
    ],
)
def test_the_function_of_a_kernel_in_the_generated_file(
    flatten: Flatten, inherited: str, decorator: str, above: str, hint: str | None
) -> None:
    parent = f"{KERNEL_PARENT}\n\n    class LlamaPlain(nn.Module):\n        size = 1\n"
    modular = (
        "from ...integrations import use_kernelized_func\n"
        f"from ..llama.modeling_llama import Llama{inherited}, rotate\n"
        f"{above}\n\n{decorator}class MyModel{inherited}(Llama{inherited}):\n"
        "    def turned(self, x):\n        return rotate(x)\n"
    )
    if "bert" in above or "def" in above:
        modular = modular.replace(", rotate\n", "\n", 1)
    files = {"models/bert/modeling_bert.py": OTHER_MODEL}
    hints = [
        finding.hint
        for finding in flatten(modular, parent, files).diagnostics
        if finding.code.id == "MOD490"
    ]
    assert hints == ([] if hint is None else [hint])
