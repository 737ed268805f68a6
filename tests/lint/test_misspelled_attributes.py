"""Attributes that are misspelt by one letter (MOD478)."""

from pathlib import Path

import pytest

from modular.source.diagnostics import Problem
from tests.reporting import LLAMA, OLMO, PARENT, diagnostics


def marked(folder: Path, statement: str) -> list[str]:
    """What is marked in a method with a statement."""
    modular = (
        "from ..llama.modeling_llama import LlamaMLP\n\n\n"
        "class OlmoMLP(LlamaMLP):\n"
        f"    def forward(self, x):\n        {statement}\n        return x\n"
    )
    found = diagnostics(folder, {LLAMA: PARENT, OLMO: modular})
    places = [item.place for item in found if item.code is Problem.MISSPELLED_ATTRIBUTE]
    return [place.text[place.column - 1 :][: place.width] for place in places]


@pytest.mark.parametrize(
    "statement",
    ["x = self.up_porj(x)", "x = f(self.up_porj, x)", "x = {self.up_porj: x}"],
)
def test_a_misspelt_attribute_is_found(tmp_path: Path, statement: str) -> None:
    assert marked(tmp_path, statement) == ["up_porj"]


def test_a_property_is_not_told_to_read_itself(tmp_path: Path) -> None:
    modular = (
        "from ..llama.modeling_llama import LlamaMLP\n\n\nclass OlmoMLP(LlamaMLP):\n"
        "    @property\n    def width(self):\n        return self.widht\n"
    )
    (finding,) = diagnostics(tmp_path, {LLAMA: PARENT, OLMO: modular})
    assert finding.code is Problem.MISSPELLED_ATTRIBUTE
    assert finding.hint == "`width` cannot read itself: define `widht`"
    assert finding.fixes == ()


@pytest.mark.parametrize(
    "statement",
    [
        "self.up_porj = x",
        "self.up_porj: int = x",
        "self.up_porj, x = x",
        "del self.up_porj",
    ],
)
def test_an_attribute_that_the_class_changes_is_not_reported(
    tmp_path: Path, statement: str
) -> None:
    assert marked(tmp_path, f"{statement}; x = self.up_porj") == []
