"""Dataclasses that are merged with their parent class (MOD416, MOD488, MOD493)."""

import pytest

from modular.source.diagnostics import Severity
from tests.conftest import Flatten


PARENT = """
    from collections import OrderedDict
    from dataclasses import dataclass, field


    class Base(OrderedDict):
        rate = 1


    @dataclass
    class LlamaOutput(Base):
        loss: float = 0.0
    """


def modular(fields: str, decorator: str = "@dataclass") -> str:
    lines = "".join(f"    {line}\n" for line in fields.split("\n"))
    return (
        "from dataclasses import KW_ONLY, dataclass, field\n"
        "from typing import ClassVar\n\n"
        "from ..llama.modeling_llama import LlamaOutput\n\n\n"
        f"{decorator}\nclass OlmoOutput(LlamaOutput):\n{lines}"
    )


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ("score: float", 9),
        ("scale: float = 1.0\nscore: float = field(repr=False)", 10),
        ("loss: float\nscore: float = 1.0", None),
        ("score: float = 1.0", None),
        ("score: float = field(default_factory=list)", None),
        ("score: float = field(init=False)", None),
        ("score: float = field(kw_only=True)", None),
        ("score: ClassVar[float]", None),
        ("_: KW_ONLY\nscore: float", None),
        ("score: float\nscore = 1.0", None),
        pytest.param("rate: float", None, id="the value of a base is the default"),
    ],
)
def test_a_field_without_default_below_one_with_default(
    flatten: Flatten, fields: str, line: int | None
) -> None:
    found = []
    for finding in flatten(modular(fields), PARENT).diagnostics:
        if finding.code.id == "MOD488":
            assert finding.severity is Severity.ERROR
            found.append(finding.place.line)
    assert found == ([] if line is None else [line])


def test_a_field_that_the_child_gives_a_default_is_above_one_of_the_parent(
    flatten: Flatten,
) -> None:
    parent = PARENT.replace("loss: float = 0.0", "loss: float\n        score: float")
    codes = flatten(modular("loss: float = 1.0"), parent).codes
    assert ("MOD488", 8) in codes


def test_fields_of_a_base_that_is_a_dataclass_come_first(flatten: Flatten) -> None:
    parent = PARENT.replace("class Base", "@dataclass\n    class Base").replace(
        "rate = 1", "rate: float = 1"
    )
    parent = parent.replace("loss: float = 0.0", "pass")
    codes = flatten(modular("score: float"), parent).codes
    assert ("MOD488", 9) in codes


@pytest.mark.parametrize("decorator", ["@other.dataclass", "@dataclass(kw_only=True)"])
def test_other_decorators_may_take_fields_in_any_order(
    flatten: Flatten, decorator: str
) -> None:
    text = "import other\n" + modular("score: float", decorator)
    assert "MOD488" not in [code for code, _ in flatten(text, PARENT).codes]


@pytest.mark.parametrize(
    ("decorator", "parent_decorator", "level"),
    [
        ("@dataclass(kw_only=True)", "@dataclass", "warning"),
        ("@dataclass", "@dataclass(frozen=True)", "warning"),
        ("@dataclass(eq=True)", "@dataclass()", None),
        ("@dataclass(repr=False)", "@dataclass(repr=False)", None),
        ("@dataclass(**OPTIONS)", "@dataclass", "info"),
        ("", "@dataclass(kw_only=True)", None),
    ],
)
def test_other_arguments_of_the_decorator(
    flatten: Flatten, decorator: str, parent_decorator: str, level: str | None
) -> None:
    text = "OPTIONS = {}\n" + modular("score: float = 1.0", decorator)
    parent = PARENT.replace("@dataclass", parent_decorator)
    levels = [
        finding.severity.value
        for finding in flatten(text, parent).diagnostics
        if finding.code.id == "MOD416"
    ]
    assert levels == ([] if level is None else [level])


@pytest.mark.parametrize(
    ("field", "type_name"),
    [
        ("scores: list = []", "list"),
        ("scores: dict = {'a': 1}", "dict"),
        ("scores: set = {x for x in 'ab'}", "set"),
        ("scores: dict = dict(a=1)", "dict"),
        ("scores: list = field(default=[1])", "list"),
        ("scores: ClassVar[list] = []", None),
        ("scores: tuple = (1, 2)", None),
        ("scores: list = field(default_factory=list)", None),
        ("scores = []", None),
    ],
)
@pytest.mark.parametrize("decorator", ["@dataclass", ""])
def test_a_mutable_default_is_refused_if_the_generated_class_is_a_dataclass(
    flatten: Flatten, decorator: str, field: str, type_name: str | None
) -> None:
    found = []
    for finding in flatten(modular(field, decorator), PARENT).diagnostics:
        if finding.code.id == "MOD493":
            assert finding.is_error
            found.append(finding.message.split()[8].rstrip(","))
    assert found == ([] if type_name is None else [type_name])


def test_a_mutable_default_stays_below_a_parent_that_python_keeps(
    flatten_like_python: Flatten,
) -> None:
    codes = flatten_like_python(modular("scores: list = []", ""), PARENT).codes
    assert "MOD493" not in [code for code, _ in codes]


def test_a_base_can_make_dataclasses_of_its_subclasses(flatten: Flatten) -> None:
    parent = """
        from dataclasses import dataclass


        class Base:
            def __init_subclass__(cls):
                dataclass(cls)


        class LlamaOutput(Base):
            loss: float = 0.0
        """
    (finding,) = flatten(
        "from ..llama.modeling_llama import LlamaOutput\n\n\n"
        "class OlmoOutput(LlamaOutput):\n    scores: list = [1]\n",
        parent,
    ).diagnostics
    assert (finding.code.id, finding.is_error) == ("MOD493", True)
    assert "field(default_factory=lambda: [1])" in finding.hint


def test_a_field_without_default_of_a_class_without_a_parent(flatten: Flatten) -> None:
    text = (
        modular("pass")
        + "\n\n@dataclass\nclass OlmoMore:\n    a: int = 1\n    b: int\n"
    )
    found = [code for code in flatten(text, PARENT).codes if code[0] == "MOD488"]
    assert found == [("MOD488", 15)]
