"""MOD451 to MOD454: what of a modular file ends up nowhere."""

import pytest

from modular.source.diagnostics import Severity
from tests.conftest import Flatten


PARENT = """
    from torch import nn


    INF = 1e6
    EPS = 1e-6


    def scaled(x):
        return x * INF * EPS


    class LlamaMLP(nn.Module):
        def forward(self, x):
            return scaled(x)


    class LlamaNorm(nn.Module):
        eps = EPS
    """


def found(flatten: Flatten, text: str) -> list[tuple[str, int, str]]:
    """The codes, the lines, and what is marked."""
    places = (
        (diagnostic.code.id, diagnostic.place)
        for diagnostic in flatten(text, PARENT).diagnostics
    )
    return [
        (
            code,
            place.line,
            place.text[place.column - 1 : place.column - 1 + place.width],
        )
        for code, place in places
    ]


IMPORT = "from ..llama.modeling_llama import LlamaMLP\n\n\n"
CLASS = "\n\nclass MyModelMLP(LlamaMLP):\n    pass\n"


def test_the_first_of_several_definitions_decides_where_the_last_one_stands(
    flatten: Flatten,
) -> None:
    classes = "class MyModelA:\n    a = 1\n\n\nclass MyModelB:\n    b = 1\n\n\n"
    text = classes + "class MyModelA:\n    a = 2\n\n\nclass MyModelA:\n    a = 3\n"
    result = flatten(IMPORT + text + CLASS, PARENT)
    assert [diagnostic.message for diagnostic in result.diagnostics] == [
        "`MyModelA` is defined twice, and only the last definition is used, at the position of the first one",
        "`MyModelA` is defined twice, and only the last definition is used",
    ]
    assert result.only.index("a = 3") < result.only.index("b = 1")


@pytest.mark.parametrize(
    ("text", "code", "line", "marked"),
    [
        ("def rotate(x):\n    return x\n", "MOD451", 4, "rotate"),
        ("SIZE = 1\n", "MOD451", 4, "SIZE"),
        ("SIZE = 1\n\n\ndef rotate(x):\n    return x + SIZE\n", "MOD451", 7, "rotate"),
        (
            "class MyModelA:\n    a = 1\n\n\nclass MyModelA:\n    a = 2\n",
            "MOD451",
            4,
            "MyModelA",
        ),
        ("INF = 1e9\n", "MOD452", 4, "INF"),
    ],
)
def test_definitions_that_end_up_nowhere(
    flatten: Flatten, text: str, code: str, line: int, marked: str
) -> None:
    assert (code, line, marked) in found(flatten, IMPORT + text + CLASS)


@pytest.mark.parametrize(
    "text",
    [
        "INF = 1e6\n",
        "def scaled(x):\n    return -x\n",
        "logger = None\n",
        "SIZE = 1\n\n\nclass MyModelA:\n    a = SIZE\n",
        "TABLE = {}\nTABLE[1] = 2\n\n\nclass MyModelA:\n    a = TABLE\n",
        "__all__ = ['MyModelMLP']\n",
    ],
)
def test_definitions_that_are_used(flatten: Flatten, text: str) -> None:
    assert found(flatten, IMPORT + text + CLASS) == []


def test_the_ignored_assignment_names_the_parents(flatten: Flatten) -> None:
    (warning,) = flatten(f"{IMPORT}INF = 1e9\n{CLASS}", PARENT).diagnostics
    assert (
        warning.message
        == "this `INF` is ignored: the `INF` of `models/llama/modeling_llama.py` is used instead"
    )
    assert warning.related is not None
    assert (warning.related.line, warning.related.text) == (4, "INF = 1e6")


def test_of_two_parents_the_ignored_assignment_names_the_one_that_is_generated(
    flatten: Flatten,
) -> None:
    siglip = "INF = 7\n\n\nclass SiglipNorm:\n    inf = INF\n"
    files = {"models/siglip/modeling_siglip.py": siglip}
    modular = """
        from ..llama.modeling_llama import LlamaMLP
        from ..siglip.modeling_siglip import SiglipNorm


        INF = 1e9


        class MyModelNorm(SiglipNorm):
            pass


        class MyModelMLP(LlamaMLP):
            pass
        """
    result = flatten(modular, PARENT, files)
    # The inherited code that uses the other `INF` is reported, too.
    warning, other = result.diagnostics
    if warning.code.id != "MOD452":
        warning, other = other, warning
    assert (warning.code.id, other.code.id) == ("MOD452", "MOD418")
    assert warning.related is not None
    assert warning.related.text in result.only
    assert warning.related.path in warning.message


def test_an_ignored_assignment_is_an_error_where_classes_do_what_python_does(
    flatten: Flatten, flatten_like_python: Flatten
) -> None:
    text = f"{IMPORT}INF = 1e9\n{CLASS}"
    levels = []
    for run in (flatten, flatten_like_python):
        levels += [diagnostic.severity for diagnostic in run(text, PARENT).diagnostics]
    assert levels == [Severity.WARNING, Severity.ERROR]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("import math", "math"),
        ("from torch import nn, optim", "optim"),
        ("from torch import optim as opt", "opt"),
        ("from ..llama.modeling_llama import LlamaNorm", "LlamaNorm"),
        ("import torch.fx", "torch.fx"),
    ],
)
def test_imports_that_are_not_used(flatten: Flatten, line: str, marked: str) -> None:
    assert found(flatten, f"{line}\n{IMPORT}{CLASS}") == [("MOD453", 1, marked)]


@pytest.mark.parametrize(
    "text",
    [
        "import math  # noqa: F401\n" + IMPORT + CLASS,
        "from __future__ import annotations\n" + IMPORT + CLASS,
        "from torch import nn\n" + IMPORT + CLASS,
        "import math\n" + IMPORT + CLASS + "    size = math.pi\n",
        "from a import Cache\n"
        + IMPORT
        + CLASS
        + "    def run(self, x: 'Cache'):\n        return x\n",
        "from ..llama.modeling_llama import LlamaNorm\n"
        + IMPORT
        + CLASS
        + "\n\nclass MyModelNorm(LlamaNorm):\n    pass\n",
        "from ..llama.modeling_llama import scaled\n"
        + IMPORT
        + CLASS
        + "    size = scaled(2)\n",
    ],
)
def test_imports_that_are_used(flatten: Flatten, text: str) -> None:
    assert found(flatten, text) == []


def test_a_class_that_lost_its_base(flatten: Flatten) -> None:
    text = "from torch import nn\n\nfrom ..llama.modeling_llama import LlamaMLP, LlamaNorm\n\n\nclass MyModelNorm(LlamaNorm):\n    pass\n"
    lost = "\n\nclass MyModelMLP(nn.Module):\n    pass\n"
    assert found(flatten, text + lost) == [("MOD454", 10, "MyModelMLP")]


def test_a_class_of_its_own_beside_an_unused_import(flatten: Flatten) -> None:
    text = "from ..llama.modeling_llama import LlamaMLP, LlamaNorm\n\n\nclass MyModelNorm(LlamaNorm):\n    pass\n"
    assert found(flatten, text + "\n\nclass MyModelGate:\n    pass\n") == [
        ("MOD453", 1, "LlamaMLP")
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SIZE = 1\nif SIZE:\n    import json\n", "MOD451"),
        ("def f():\n    return 1\n\n\nX = f()\n\n\ndef f():\n    return 2\n", "MOD451"),
        ("INF = 1e9\nif INF > 1:\n    import json\n", "MOD452"),
    ],
)
def test_no_fix_removes_a_name_that_the_modular_file_still_uses(
    flatten: Flatten, text: str, code: str
) -> None:
    diagnostics = flatten(IMPORT + text + CLASS, PARENT).diagnostics
    [found_fixes] = [item.fixes for item in diagnostics if item.code.id == code][:1]
    assert [fix.title for fix in found_fixes if "Remove" in fix.title] == []


def test_an_exported_function_that_no_class_uses(flatten: Flatten) -> None:
    text = "def small():\n    return 1\n\n\n__all__ = ['MyModelMLP', 'small']\n"
    diagnostics = flatten(IMPORT + text + CLASS, PARENT).diagnostics
    assert [(item.code.id, item.hint) for item in diagnostics] == [
        ("MOD451", "use it in a class, or remove it and its name in `__all__`"),
        (
            "MOD408",
            "use it in a class, or remove it from `__all__`: definitions that no class uses are not written",
        ),
    ]


def test_the_hint_about_a_function_that_other_code_reads_names_that_code(
    flatten: Flatten,
) -> None:
    text = "def small():\n    return 1\n\n\nif small():\n    import json\n"
    diagnostics = flatten(IMPORT + text + CLASS, PARENT).diagnostics
    [hint] = [item.hint for item in diagnostics if item.code.id == "MOD451"]
    assert hint == "use it in a class, or remove it and the code that reads it"


def test_a_misspelt_use_of_an_import_does_not_advise_to_remove_the_import(
    flatten: Flatten,
) -> None:
    text = "from ...activations import ACT2FN\n" + IMPORT
    text += "class MyModelMLP(LlamaMLP):\n    act = ACT2FNN['silu']\n"
    [undefined] = flatten(text, PARENT).diagnostics
    assert (undefined.code.id, undefined.hint) == ("MOD408", "did you mean `ACT2FN`?")
    assert undefined.fixes[0].title == "Write `ACT2FN`"


def test_an_unused_dataclass_is_no_safe_fix_while_a_class_lacks_the_decorator(
    flatten: Flatten,
) -> None:
    text = "from dataclasses import dataclass\n\nfrom ...utils import ModelOutput\n"
    text += f"{IMPORT}class MyModelOutput(ModelOutput):\n    loss: int = 0\n\n{CLASS}"
    [unused] = flatten(text, PARENT).diagnostics
    assert (unused.code.id, unused.fixes) == ("MOD453", ())
    assert (
        unused.hint == "write `@dataclass` above `MyModelOutput`, or remove the import"
    )
